import { execa } from 'execa';
import type { Environment } from '../../config/state-dir.ts';

export interface ProgramVersion {
  /** Of the command line program. */
  version: string;
  /** Of the server inside. */
  server: string;
}

const ANSWER_MS = 20_000;

/** Asks a Temporal program for its versions; throws with what it said when it gives none. */
export async function programVersion(
  program: string,
  environment: Environment,
): Promise<ProgramVersion> {
  const answer = await execa(program, ['--version'], {
    env: { ...environment },
    extendEnv: false,
    reject: false,
    timeout: ANSWER_MS,
    stdin: 'ignore',
  });
  const [, version, server] = /version (\S+) \(Server ([\d.]+)/.exec(answer.stdout) ?? [];
  if (version && server) return { version, server };
  const said = [answer.stdout, answer.stderr, answer.shortMessage ?? '']
    .map((part) => (part ?? '').trim())
    .find((part) => part !== '');
  throw new Error(`it does not tell its version: ${(said ?? 'no answer').slice(0, 200)}`);
}

/** Whether a dotted version is another one or newer. */
export function isAtLeast(version: string, floor: string): boolean {
  const [have, want] = [version, floor].map((dotted) => dotted.split('.').map(Number));
  for (const [place, wanted] of (want ?? []).entries()) {
    const had = have?.[place] ?? 0;
    if (had !== wanted) return had > wanted;
  }
  return true;
}
