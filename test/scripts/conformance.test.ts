import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';

it('docs/conformance.md is as the titles of the tests make it', () => {
  const script = path.join(packageRoot(), 'scripts', 'conformance.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
