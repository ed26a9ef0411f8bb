import { describe, expect, it } from '@jest/globals';
import { appendFile, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { PINNED_VERSION } from '../../../workers/server/pinned.ts';
import { cachedProgram, checkCached, keepProgram } from '../../../workers/server/program-cache.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const BYTES = Buffer.from('#!/bin/sh\n');

function withKept(use: (program: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const program = cachedProgram(folder, PINNED_VERSION);
    await keepProgram(program, { bytes: BYTES });
    await use(program);
  });
}

describe('the cache of programs', () => {
  it('keeps a program executable and finds it whole', () =>
    withKept(async (program) => {
      expect(await checkCached(program, PINNED_VERSION)).toEqual({ kind: 'good' });
      expect((await stat(program)).mode & 0o777).toBe(0o755);
    }));

  it('says where a program would be that is not there', () =>
    withFolder(async (folder) => {
      const program = cachedProgram(folder, PINNED_VERSION);
      expect(await checkCached(program, PINNED_VERSION)).toEqual({
        kind: 'missing',
        reason: `${program} is not there`,
      });
    }));

  it('removes a program that was changed', () =>
    withKept(async (program) => {
      await appendFile(program, 'x');
      expect(await checkCached(program, PINNED_VERSION)).toMatchObject({ kind: 'damaged' });
      expect(await checkCached(program, PINNED_VERSION)).toMatchObject({ kind: 'missing' });
    }));

  it('takes a program that was only touched for whole', () =>
    withKept(async (program) => {
      await utimes(program, new Date(0), new Date(0));
      expect(await checkCached(program, PINNED_VERSION)).toEqual({ kind: 'good' });
    }));

  it('trusts nothing but the pinned sum where the stamp is lost or cut off', () =>
    withKept(async (program) => {
      await writeFile(`${program}.stamp.json`, '{"sha256": "');
      expect(await checkCached(program, PINNED_VERSION)).toMatchObject({ kind: 'damaged' });
    }));

  it('replaces a program while the old one is in use', () =>
    withKept(async (program) => {
      await keepProgram(program, { bytes: Buffer.from('newer') });
      expect(await checkCached(program, PINNED_VERSION)).toEqual({ kind: 'good' });
      expect(await readFile(program, 'utf8')).toBe('newer');
      await rm(program);
    }));
});
