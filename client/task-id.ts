import { WiggumError } from '../workflows/domain/errors.ts';

/** Finds the one id that a person means by a whole id or a part of it (checklist 5). */
export function resolveTaskId(wanted: string, ids: readonly string[]): string {
  const needle = wanted.toLowerCase();
  const exact = ids.filter((id) => id.toLowerCase() === needle);
  const found = exact.length > 0 ? exact : ids.filter((id) => id.toLowerCase().includes(needle));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw new WiggumError(
    'TASK_UNKNOWN',
    only === undefined
      ? `No task matches "${wanted}".`
      : `"${wanted}" matches several tasks: ${found.slice(0, 10).join(', ')}.`,
  );
}
