import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [path.join(packageRoot(), 'scripts', 'install-claude.mjs'), '--only-look'],
  { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
);

/** The real Claude Code at the version that our tests speak of; empty when it is not here. */
export const claudeCode = status === 0 ? stdout.trim() : '';

/** Tests that need it. Without it they are counted as skipped, and their title says why. */
export const whenInstalled = claudeCode ? it : it.skip;
export const describeWithClaude = (title: string, tests: () => void) =>
  claudeCode ? describe(title, tests) : describe.skip(`${title} (skipped: ${reason()})`, tests);

function reason(): string {
  return stderr.trim().split('\n').at(-1) ?? 'no reason was told';
}
