import { once } from 'node:events';

/** Ends the server that start-server.mjs started. */
export default async function stopServer() {
  const server = globalThis.wiggumTestServer;
  if (!server || server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.stdin.end();
  await ended;
}
