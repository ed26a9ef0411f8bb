import { existsSync } from 'node:fs';
import path from 'node:path';
import { CLAUDE_VERSION, findClaude, installClaude } from './claude-code.mjs';
import { ROOT } from './prepare.mjs';
import { say, SetupError } from './steps.mjs';

/*
 * Prints where the Claude Code is that the contract tests drive, and brings it when it is not here.
 *
 *   --only-look  brings nothing
 *
 * The checkout must be built: our cache folder is named by the program itself.
 */

try {
  const { CLAUDE: named } = process.env;
  const cache = await cacheFolder();
  const onlyLook = process.argv.includes('--only-look');
  const program = findClaude(cache) ?? (onlyLook ? undefined : await installClaude(cache));
  if (program && named && program !== named)
    say(`${named} is not Claude Code ${CLAUDE_VERSION}; ${program} is used`);
  if (program) console.log(program);
  else
    throw new SetupError('it is not on this machine; `node scripts/install-claude.mjs` brings it');
} catch (cause) {
  if (!(cause instanceof SetupError)) throw cause;
  say(`Claude Code ${CLAUDE_VERSION} cannot be had: ${cause.message}`);
  process.exitCode = 1;
}

async function cacheFolder() {
  const file = path.join(ROOT, 'dist', 'workers', 'server', 'cache-dir.js');
  if (!existsSync(file))
    throw new SetupError('this checkout is not built; `npm run setup` does it');
  const { cacheDir } = await import(file);
  return cacheDir(process.env);
}
