import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../client/output.ts';
import { detach } from '../../client/detach.ts';
import { packageRoot } from '../../config/package-root.ts';
import { until } from '../helpers/until.ts';
import { withFolder } from '../helpers/with-folder.ts';

async function detached(
  cwd: string,
  fixture: string,
  words: string[],
  signal = new AbortController().signal,
) {
  const said = { out: '', err: '' };
  const script = path.join(packageRoot(), 'test/fixtures/client', fixture);
  const outcome = await detach(words, cwd, {
    program: [process.execPath, script],
    environment: { PATH: process.env['PATH'] },
    cwd,
    signal,
    quiet: false,
    announceReady: () => undefined,
    log: createLog({ write: (text: string) => void (said.err += text) }, 'info'),
    stdout: {
      write: (text) => void (said.out += text),
      isTerminal: false,
      hasColour: false,
      columns: () => 80,
      rows: () => 24,
    },
  });
  return { ...outcome, ...said };
}

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a program in the background', () => {
  it('goes on when it is up, with its output in a log file', async () => {
    await withFolder(async (folder) => {
      const { code, pid = 0, logFile } = await detached(folder, 'comes-up.mjs', ['run', '--x']);
      try {
        expect(code).toBe(0);
        expect(lives(pid)).toBe(true);
        expect(logFile).toBe(path.join(folder, 'logs', 'host.log'));
        expect(await readFile(logFile, 'utf8')).toBe('words: run --x\n');
      } finally {
        process.kill(pid, 'SIGTERM');
        await until('the program ends', () => !lives(pid));
      }
    });
  });

  it('that ends at once in peace has said all there is', async () => {
    await withFolder(async (folder) => {
      expect(await detached(folder, 'ends-at-once.mjs', ['0'])).toMatchObject({
        code: 0,
        out: 'what it said\n',
        err: '',
      });
    });
  });

  it('that cannot start passes on its exit code and its last words', async () => {
    await withFolder(async (folder) => {
      const outcome = await detached(folder, 'ends-at-once.mjs', ['22']);
      expect(outcome).toMatchObject({ code: 22, out: '' });
      expect(outcome).not.toHaveProperty('pid');
      expect(outcome.err).toContain('what it said');
    });
  });

  it('is ended when a person changes their mind before it is up', async () => {
    await withFolder(async (folder) => {
      const ending = new AbortController();
      const outcome = detached(folder, 'never-comes-up.mjs', [], ending.signal);
      const log = path.join(folder, 'logs', 'host.log');
      await until('it has begun', async () =>
        (await readFile(log, 'utf8').catch(() => '')).includes('begun'),
      );
      ending.abort();
      expect((await outcome).code).toBe(143);
    });
  });
});
