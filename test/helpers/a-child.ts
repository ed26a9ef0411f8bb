import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of its own that a test started. */
export interface Child {
  process: ChildProcess;
  /** Lines that it has said so far. */
  said: string[];
  /** Resolves as soon as it has said this line. */
  says: (line: string) => Promise<void>;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  kill: () => Promise<void>;
}

/**
 * Starts a program of `test/fixtures/` that imports our sources as they are. `under` is a line of the
 * shell to be obeyed first, for limits that only a shell can set.
 */
export function startChild(fixture: string, args: string[], under?: string): Child {
  const words = [
    process.execPath,
    '--import',
    new URL('typescript.mjs', import.meta.url).href,
    fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url)),
    ...args,
  ];
  const [program = '', ...rest] = under
    ? ['sh', '-c', `${under}; exec "$@"`, 'sh', ...words]
    : words;
  // Jest's own options are for Jest.
  const child = spawn(program, rest, {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const hooks: (() => void)[] = [];
  let unfinished = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    said.push(...lines);
    for (const hook of hooks) hook();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal ?? -1)),
  );
  return {
    process: child,
    said,
    ended,
    says: (line) =>
      new Promise((resolve, reject) => {
        const look = () => said.includes(line) && resolve();
        hooks.push(look);
        look();
        void ended.then((code) =>
          reject(new Error(`it ended with ${code} without saying "${line}": ${complaints}`)),
        );
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
