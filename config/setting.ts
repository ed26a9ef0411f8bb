/** What one level says of a setting. */
export interface Level<T = unknown> {
  /** `environment`, `built in`, or a file. */
  source: string;
  /** Name of the variable, or place in the file. */
  key: string;
  value: T;
}

/** A setting and everybody who says something about it, the strongest first: that one holds. */
export interface Setting<T = unknown> {
  key: string;
  levels: readonly Level<T>[];
}

export const ENVIRONMENT = 'environment';
export const BUILT_IN = 'built in';

/** The value that holds; the levels below it are overruled. */
export function inForce<T>(levels: readonly Level<T>[]): T | undefined {
  return levels[0]?.value;
}
