import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/start-child.ts';
import { withFolder, writeProgram } from '../helpers/with-folder.ts';

const INSTALLED = 'node_modules/.bin/claude';
/** What npm does, in place of fetching 371 MB. */
const BRINGS = [
  `mkdir -p ${path.dirname(INSTALLED)}`,
  `printf '#!/bin/sh\\necho "2.1.326 (Claude Code)"\\n' > ${INSTALLED}`,
  `chmod +x ${INSTALLED}`,
];

interface Place {
  folder: string;
  cache: string;
  /** Tells how it went, by its last line; the environment has what is given, and an npm. */
  bring: (environment?: Record<string, string>) => Promise<string>;
}

/** A machine on which `npm` does what these lines say. */
function withNpm(npm: string[], use: (place: Place) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const bin = path.join(folder, 'bin');
    const cache = path.join(folder, 'cache');
    await writeProgram(path.join(bin, 'npm'), ...npm);
    await mkdir(cache);
    const bring = async (environment: Record<string, string> = {}) => {
      const child = startChild('scripts/brings-claude.mjs', [cache, '1500'], {
        PATH: `${bin}:/usr/bin:/bin`,
        ...environment,
      });
      expect(await child.ended).toBe(0);
      return child.output().trim().split('\n').at(-1) ?? '';
    };
    await use({ folder, cache, bring });
  });
}

describe('Claude Code for the contract tests (#220)', () => {
  it('is brought into our cache once, whole or not at all', () =>
    withNpm(BRINGS, async ({ cache, bring }) => {
      const program = path.join(cache, 'claude-code-2.1.326', INSTALLED);
      expect(await bring()).toBe(`brought ${program}`);
      expect(await bring()).toBe(`found ${program}`);
      expect(await readdir(cache)).not.toContain('claude-code-2.1.326.new');
    }));

  it('is the one that CLAUDE names, or the one on PATH, when the version is ours', () =>
    withNpm(BRINGS, async ({ folder, bring }) => {
      const ours = ['echo "2.1.326 (Claude Code)"'];
      const named = await writeProgram(path.join(folder, 'own', 'claude-of-mine'), ...ours);
      expect(await bring({ CLAUDE: named })).toBe(`found ${named}`);
      await writeProgram(path.join(folder, 'bin', 'claude'), ...ours);
      expect(await bring()).toBe('found claude');
    }));

  it('is not one of another version', () =>
    withNpm(BRINGS, async ({ folder, bring }) => {
      const other = await writeProgram(path.join(folder, 'bin', 'claude'), 'echo "2.1.3260 (X)"');
      expect(await bring({ CLAUDE: other })).toMatch(/^brought /);
    }));

  it.each([
    ['npm fails', ['exit 7'], 'npm ci ended with code 7'],
    ['npm takes too long', ['sleep 60'], 'npm took more than 1.5 s'],
    ['what came does not run', ['exit 0'], 'npm was content, but the program does not run'],
  ])('cannot be had when %s, and that is said', (_title, npm, said) =>
    withNpm(npm, async ({ bring }) => {
      expect(await bring()).toContain(`in vain: ${said}`);
    }),
  );
});
