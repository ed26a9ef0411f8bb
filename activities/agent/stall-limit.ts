import { WiggumError } from '../../workflows/domain/errors.ts';

/** A command that an agent waits for, such as a test suite, may say nothing for long. */
const DEFAULT_SECONDS = 1_800;

/** How long an agent may be silent before it is taken for dead, in milliseconds. */
export function stallLimit({ WIGGUM_STALL_SECONDS: wanted }: Readonly<NodeJS.ProcessEnv>): number {
  const seconds = wanted ? Number(wanted) : DEFAULT_SECONDS;
  if (seconds > 0) return seconds * 1_000;
  throw new WiggumError(
    'CONFIG_INVALID',
    `WIGGUM_STALL_SECONDS is "${wanted}": it must be a number of seconds, such as ${DEFAULT_SECONDS}.`,
    { where: 'WIGGUM_STALL_SECONDS' },
  );
}
