import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ROOT } from '../../scripts/prepare.mjs';
import { say } from '../../scripts/steps.mjs';

/** Has Claude Code brought, once for all contract tests. Why it cannot be had is said, and they are skipped. */
export default async function bringClaude() {
  const program = path.join(ROOT, 'scripts', 'install-claude.mjs');
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) say('The contract tests of the claude backend are skipped.');
}
