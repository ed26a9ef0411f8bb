import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';
import { withFolder } from '../helpers/with-folder.ts';

it('docs/conformance.md is as the titles of the tests make it', () => {
  const script = path.join(packageRoot(), 'scripts', 'conformance.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

describe('a promise', () => {
  it.each<[string, string, string]>([
    ['a title', "it('does it (#7)', () => {});", 'tested'],
    ['one of several numbers', "it('does it (#6, #7)', () => {});", 'tested'],
    ['a title with places to fill', "it.each([1])('does %d (#7)', () => {});", 'tested'],
    ['a row of a table', "it.each([['does it (#7)', 1]])('%s', () => {});", 'tested'],
    ['a group', "describe('it (#7)', () => {});", 'tested'],
    ['a title that may be skipped', "itAsRoot('does it (#7)', () => {});", 'tested †'],
    [
      'a group that may be skipped',
      "describeWithClaude('it', () => { it('does it (#7)', () => {}); });",
      'tested †',
    ],
    ['a test that never runs', "it.skip('does it (#7)', () => {});", 'open'],
    ['a comment', '/* see (#7) */', 'open'],
    ['a value', "it('does it', () => { expect('x (#7)').toBe('x (#7)'); });", 'open'],
  ])('with its number in %s is told as it is', async (_place, test, state) => {
    await withFolder(async (folder) => {
      for (const name of ['scripts', 'docs', 'test']) await mkdir(path.join(folder, name));
      const script = path.join(folder, 'scripts', 'conformance.mjs');
      await copyFile(path.join(packageRoot(), 'scripts', 'conformance.mjs'), script);
      await symlink(path.join(packageRoot(), 'node_modules'), path.join(folder, 'node_modules'));
      await writeFile(path.join(folder, 'docs', 'conformance-items.json'), '{ "7": "It does it" }');
      await writeFile(path.join(folder, 'test', 'x.test.ts'), test);
      spawnSync(process.execPath, [script]);
      const page = await readFile(path.join(folder, 'docs', 'conformance.md'), 'utf8');
      expect(page.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`\\| ${state} \\|$`));
    });
  });
});
