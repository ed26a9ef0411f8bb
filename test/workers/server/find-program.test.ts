import { describe, expect, it } from '@jest/globals';
import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { findTemporal } from '../../../workers/server/find-program.ts';
import { GO_VERSION, PINNED_VERSION } from '../../../workers/server/pinned.ts';
import { cachedProgram, keepProgram } from '../../../workers/server/program-cache.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';

const answer = (version: string, server: string) =>
  `echo "temporal version ${version} (Server ${server}, UI 2.54.1)"`;
const GOOD = answer('1.9.1', '1.32.0');
const SCRIPT = Buffer.from(`#!/bin/sh\n${GOOD}\n`);

interface World {
  /** Puts a program of this name on the only PATH there is. */
  program: (name: string, ...lines: string[]) => Promise<string>;
  find: (environment: Record<string, string>) => ReturnType<typeof findTemporal>;
  said: string[];
  cacheDir: string;
}

function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const [bin, cacheDir] = [path.join(folder, 'bin'), path.join(folder, 'cache')];
    const said: string[] = [];
    await use({
      program: (name, ...lines) => writeProgram(path.join(bin, name), ...lines),
      find: (environment) =>
        findTemporal({
          environment: { PATH: bin, ...environment },
          cacheDir,
          log: (sentence) => said.push(sentence),
        }),
      said,
      cacheDir,
    });
  });
}

/** Switches every other way off. */
const only = (...sources: string[]) => ({ WIGGUM_TEMPORAL_SOURCES: sources.join(',') });

describe('the finder of the Temporal program', () => {
  it('takes the program that WIGGUM_TEMPORAL_CLI names', () =>
    withWorld(async ({ program, find }) => {
      const named = await program('mine', GOOD);
      expect(await find({ WIGGUM_TEMPORAL_CLI: named })).toEqual({
        path: named,
        source: 'WIGGUM_TEMPORAL_CLI',
        version: '1.9.1',
      });
    }));

  it('does not look further when the named program is unusable', () =>
    withWorld(async ({ program, find }) => {
      await program('temporal', GOOD);
      await expect(find({ WIGGUM_TEMPORAL_CLI: '/nowhere/temporal' })).rejects.toMatchObject({
        code: 'TEMPORAL_MISSING',
        message: expect.stringContaining('WIGGUM_TEMPORAL_CLI names /nowhere/temporal'),
      });
    }));

  it('warns of a named program that is too old, and takes it', () =>
    withWorld(async ({ program, find, said }) => {
      const named = await program('mine', answer('1.0.0', '1.20.0'));
      expect(await find({ WIGGUM_TEMPORAL_CLI: named })).toMatchObject({ version: '1.0.0' });
      expect(said).toEqual([expect.stringContaining('1.29.0 is the oldest that is tested')]);
    }));

  it('takes the program on PATH', () =>
    withWorld(async ({ program, find }) => {
      const found = await program('temporal', GOOD);
      expect(await find(only('PATH'))).toEqual({ path: found, source: 'PATH', version: '1.9.1' });
    }));

  it('passes over a program on PATH that is too old or broken', () =>
    withWorld(async ({ program, find, cacheDir }) => {
      await program('temporal', answer('1.0.0', '1.28.9'));
      await keepProgram(cachedProgram(cacheDir, PINNED_VERSION), { bytes: SCRIPT });
      expect(await find(only('PATH', 'cache'))).toMatchObject({ source: 'cache' });
      await expect(find(only('PATH'))).rejects.toThrow('has server 1.28.9, too old');
      await program('temporal', 'exit 1');
      await expect(find(only('PATH'))).rejects.toThrow('it does not tell its version');
    }));

  it.each([PINNED_VERSION, GO_VERSION])('takes %s from the cache', (version) =>
    withWorld(async ({ find, cacheDir }) => {
      const kept = cachedProgram(cacheDir, version);
      await keepProgram(kept, { bytes: SCRIPT });
      expect(await find(only('cache'))).toEqual({ path: kept, source: 'cache', version });
    }),
  );

  it('throws a damaged program out of the cache, says so, and goes on', () =>
    withWorld(async ({ program, find, said, cacheDir }) => {
      const kept = cachedProgram(cacheDir, PINNED_VERSION);
      await keepProgram(kept, { bytes: SCRIPT });
      await appendFile(kept, 'x');
      await program('go', `printf '%s' '${SCRIPT.toString()}' > "$GOBIN/temporal"`);
      expect(await find(only('cache', 'go'))).toMatchObject({ source: 'go' });
      expect(said[0]).toContain('was damaged');
      await expect(stat(kept)).rejects.toThrow('ENOENT');
    }));

  it('refuses a wheel with a wrong sum, and says that it did', () =>
    withWorld(async ({ program, find, cacheDir }) => {
      await program('python3', 'echo "DO NOT MATCH THE HASHES" >&2', 'exit 1');
      await expect(find(only('wheel'))).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED' });
      await expect(stat(cacheDir)).rejects.toThrow('ENOENT');
    }));

  it('builds with Go, once', () =>
    withWorld(async ({ program, find, said, cacheDir }) => {
      await program(
        'go',
        `[ "$*" = "install github.com/temporalio/cli/cmd/temporal@v${GO_VERSION}" ] || exit 1`,
        `printf '%s' '${SCRIPT.toString()}' > "$GOBIN/temporal"`,
      );
      const kept = cachedProgram(cacheDir, GO_VERSION);
      expect(await find(only('cache', 'go'))).toEqual({
        path: kept,
        source: 'go',
        version: GO_VERSION,
      });
      expect(said).toEqual([
        expect.stringMatching(/^Building Temporal .* with Go, which takes minutes …$/),
        expect.stringMatching(/: done in \d+\.\d s$/),
      ]);
      expect(await find(only('cache', 'go'))).toMatchObject({ source: 'cache' });
    }));

  it('does not keep a program that does not run here', () =>
    withWorld(async ({ program, find, cacheDir }) => {
      await program('go', 'echo "not a program" > "$GOBIN/temporal"');
      await expect(find(only('go'))).rejects.toMatchObject({ code: 'TEMPORAL_MISSING' });
      await expect(stat(cachedProgram(cacheDir, GO_VERSION))).rejects.toThrow('ENOENT');
    }));

  it('names each way and why it failed in one message', () =>
    withWorld(async ({ program, find }) => {
      await program('python3', 'echo "No module named pip" >&2; exit 1');
      await program('go', 'echo "no network" >&2; exit 1');
      const failure: unknown = await find(
        only('WIGGUM_TEMPORAL_CLI', 'PATH', 'cache', 'wheel', 'go'),
      ).catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ code: 'TEMPORAL_MISSING' });
      expect((failure as Error).message.split('\n')).toEqual([
        'The Temporal program could not be found or brought. Tried:',
        '  WIGGUM_TEMPORAL_CLI: not set',
        '  PATH: no program named temporal',
        expect.stringMatching(/^ {2}cache: .*1\.9\.1.* is not there; .*1\.5\.1.* is not there$/),
        '  download: switched off',
        '  wheel: No module named pip',
        '  go: no network',
      ]);
    }));

  it('refuses to switch on a way that it does not know', () =>
    withWorld(async ({ find }) => {
      await expect(find(only('PATH', 'brew'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }));
});
