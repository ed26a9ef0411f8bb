import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serversOnFile } from '../../../workers/server/servers-on-file.ts';

describe('serversOnFile', () => {
  it('finds the server on a file, and no other', async () => {
    const file = '/data/ünïque/temporal.db';
    const waits = 'console.log("up"); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, [
      ...['-e', waits, '--', 'server', 'start-dev', '--db-filename', file, '--log-level', 'warn'],
    ]);
    try {
      await once(child.stdout, 'data');
      expect(await serversOnFile(file)).toEqual([expect.objectContaining({ pid: child.pid })]);
      expect(await serversOnFile('/data/ünïque/temporal.db2')).toEqual([]);
      expect(await serversOnFile('/data/ünïque')).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
