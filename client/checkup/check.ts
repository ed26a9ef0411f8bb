/** One thing that was looked at: how it is, and what to do about it. */
export interface Check {
  name: string;
  level: 'pass' | 'warn' | 'fail';
  found: string;
  /** How to get what is missing. */
  advice?: string;
}

export const pass = (name: string, found: string): Check => ({ name, level: 'pass', found });

export const warn = (name: string, found: string, advice: string): Check => ({
  name,
  level: 'warn',
  found,
  advice,
});

export const fail = (name: string, found: string, advice: string): Check => ({
  name,
  level: 'fail',
  found,
  advice,
});
