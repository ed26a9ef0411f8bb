import { describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startChild } from '../helpers/start-child.ts';
import { withFolder } from '../helpers/with-folder.ts';

const INSTALLS = '✓ Installing packages (npm ci)';

/** A package without dependencies: npm installs it without asking anybody. */
function withPackage(
  use: (place: { root: string; install: () => Promise<string> }) => Promise<void>,
): Promise<void> {
  return withFolder(async (root) => {
    await writePackage(root, '1.0.0');
    const install = async () => {
      const child = startChild('scripts/installs-packages.mjs', [root]);
      expect(await child.ended).toBe(0);
      return child.output();
    };
    await use({ root, install });
  });
}

async function writePackage(root: string, version: string): Promise<void> {
  const entry = { name: 'empty', version };
  const lock = { ...entry, lockfileVersion: 3, requires: true, packages: { '': entry } };
  await writeFile(path.join(root, 'package.json'), JSON.stringify(entry));
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(lock));
}

describe('installPackages', () => {
  it('installs what is missing, and nothing the second time', () =>
    withPackage(async ({ install }) => {
      expect(await install()).toContain(INSTALLS);
      expect(await install()).toBe('nothing to do\n');
    }));

  it('installs again after a change of the lock file', () =>
    withPackage(async ({ root, install }) => {
      await install();
      await rm(path.join(root, 'node_modules', '.package-lock.json'), { force: true });
      await writePackage(root, '2.0.0');
      expect(await install()).toContain(INSTALLS);
    }));

  it('does not take what a killed npm left for whole', () =>
    withPackage(async ({ root, install }) => {
      await install();
      await mkdir(path.join(root, '.cache'), { recursive: true });
      await writeFile(path.join(root, '.cache', 'installing'), '999999999');
      expect(await install()).toContain(INSTALLS);
      expect(await install()).toBe('nothing to do\n');
    }));

  it('takes over what somebody installed by hand', () =>
    withPackage(async ({ root, install }) => {
      await mkdir(path.join(root, 'node_modules'));
      await writeFile(path.join(root, 'node_modules', '.package-lock.json'), '{"packages":{}}');
      expect(await install()).toBe('');
      expect(await install()).toBe('nothing to do\n');
    }));
});
