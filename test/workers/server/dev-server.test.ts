import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureServer, serverStatus, stopServer } from '../../../workers/server/dev-server.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';

const SAYS_VERSION =
  '[ "$1" != --version ] || { echo "temporal version 1.9.1 (Server 1.32.0)"; exit; }';

interface User {
  folder: string;
  environment: Record<string, string>;
  log: (sentence: string) => void;
}

/** A user whose Temporal program does what the lines say when it is to serve. */
function withProgram(lines: string[], use: (user: User) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const program = await writeProgram(path.join(folder, 'temporal'), SAYS_VERSION, ...lines);
    const environment = {
      ...{ HOME: folder, PATH: '/usr/bin:/bin' },
      ...{ WIGGUM_STATE_DIR: path.join(folder, 'state'), WIGGUM_TEMPORAL_CLI: program },
    };
    await use({ folder, environment, log: () => undefined });
  });
}

describe('ensureServer', () => {
  it('tells what a server said that does not start, and where its log is', () =>
    withProgram(['echo "Error: database is sealed" >&2', 'exit 7'], async (user) => {
      await expect(ensureServer(user)).rejects.toMatchObject({
        code: 'SERVER_FAILED',
        message: expect.stringMatching(
          /it ended with code 7\nError: database is sealed\nIts log is .*server\.log$/,
        ),
      });
    }));

  it.each([
    ['at once', ['exit 7']],
    ['after a while', ['sleep 0.3; exit 7']],
  ])('keeps no record of a server that ended %s without serving', (_title, lines) =>
    withProgram(lines, async (user) => {
      await expect(ensureServer(user)).rejects.toMatchObject({ code: 'SERVER_FAILED' });
      expect(await serverStatus(user)).toEqual({ kind: 'never-started' });
    }),
  );

  it('tries another port three times at most', () =>
    withProgram(
      [`echo x >> "$HOME/starts"; echo "bind: address already in use" >&2; exit 1`],
      async (user) => {
        await expect(ensureServer(user)).rejects.toMatchObject({ code: 'SERVER_FAILED' });
        expect(await readFile(path.join(user.folder, 'starts'), 'utf8')).toBe('x\n'.repeat(3));
      },
    ));

  it('names a state folder that cannot be used', () =>
    withProgram([], async (user) => {
      await writeFile(path.join(user.folder, 'state'), 'a file, not a folder');
      for (const call of [ensureServer, stopServer])
        await expect(call(user)).rejects.toMatchObject({
          code: 'NOT_WRITABLE',
          where: path.join(user.folder, 'state'),
        });
    }));
});

describe('stopServer', () => {
  it('has nothing to stop where no server ever ran', () =>
    withProgram([], async (user) => {
      expect(await serverStatus(user)).toEqual({ kind: 'never-started' });
      expect(await stopServer(user)).toBe('not-running');
    }));
});
