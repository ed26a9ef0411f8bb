import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { freePort } from '../../../workers/server/ports.ts';
import { runWiggum } from '../../helpers/run-wiggum.ts';
import { withFolder } from '../../helpers/with-folder.ts';

/** A user who never started a server, and cannot: every way to the program is switched off. */
function withUser(
  use: (
    server: (words: string[], more?: Record<string, string>) => ReturnType<typeof runWiggum>,
  ) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const environment = {
      HOME: folder,
      WIGGUM_STATE_DIR: path.join(folder, 'state'),
      WIGGUM_CACHE_DIR: path.join(folder, 'cache'),
      WIGGUM_TEMPORAL_SOURCES: 'PATH,cache',
      PATH: folder,
    };
    await use((words, more) =>
      runWiggum(['server', ...words], { environment: { ...environment, ...more }, cwd: folder }),
    );
  });
}

describe('wiggum server', () => {
  it('shows by default that none was ever started', () =>
    withUser(async (server) => {
      expect(await server([])).toMatchObject({
        code: 1,
        stdout: 'never started; the first `wiggum run` starts it\n',
      });
      const { stdout } = await server(['status', '--json']);
      expect(JSON.parse(stdout)).toEqual({ embedded: true, kind: 'never-started' });
    }));

  it('has nothing to stop', () =>
    withUser(async (server) => {
      expect(await server(['stop', '--json'])).toMatchObject({
        code: 1,
        stdout: '{"kind":"not-running"}\n',
      });
    }));

  it('says why no server can be started, and what to do (#190)', () =>
    withUser(async (server) => {
      const { code, stderr, stdout } = await server(['start']);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('PATH: no program named temporal');
      expect(stderr).toContain('Install the Temporal CLI');
    }));

  it('refuses an action that it does not know (#190)', () =>
    withUser(async (server) => {
      const { code, stderr } = await server(['restart']);
      expect(code).toBe(2);
      expect(stderr).toContain('status');
    }));

  it('leaves a server alone that the environment names', () =>
    withUser(async (server) => {
      const address = `127.0.0.1:${await freePort()}`;
      const { code, stdout } = await server(['stop'], { TEMPORAL_ADDRESS: address });
      expect(code).toBe(1);
      expect(stdout).toContain(`${address} was chosen by TEMPORAL_ADDRESS`);
    }));

  it('names the address of a named server that does not answer', () =>
    withUser(async (server) => {
      const address = `127.0.0.1:${await freePort()}`;
      const { code, stderr } = await server(['status'], { TEMPORAL_ADDRESS: address });
      expect(code).toBe(1);
      expect(stderr).toContain(`The Temporal server at ${address} does not answer`);
      expect(stderr).toContain('Check TEMPORAL_ADDRESS');
    }));
});
