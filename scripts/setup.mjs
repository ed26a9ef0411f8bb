import { setUp } from './prepare.mjs';
import { say, SetupError } from './steps.mjs';

/*
 * What `npm run demo`, `npm test` and `npm run wiggum` do first, with nothing but Node.
 *
 *   --quiet      says only what it does, not that nothing was to do
 *   --no-server  leaves the Temporal program out: commands bring it when they need it
 *   --build      builds even when nothing changed
 */

const args = process.argv.slice(2);
const began = Date.now();
try {
  const found = await setUp({
    server: !args.includes('--no-server'),
    force: args.includes('--build'),
  });
  const temporal = found ? ` with Temporal ${found.version} (${found.source})` : '';
  if (!args.includes('--quiet')) say(`Ready${temporal}: ${(Date.now() - began) / 1000} s`);
} catch (cause) {
  if (!(cause instanceof SetupError)) throw cause;
  say(cause.message);
  process.exitCode = 1;
}
