import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identityOf, type ProcessIdentity } from '../../../activities/process-identity.ts';
import { endProcess } from '../../../workers/server/end-process.ts';

async function withProcess(
  program: string,
  use: (identity: ProcessIdentity) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const identity = await identityOf(child.pid ?? 0);
    if (!identity) throw new Error('the process did not start');
    await use(identity);
  } finally {
    child.kill('SIGKILL');
  }
}

const WAITS = 'console.log("up"); setInterval(() => {}, 1000);';

describe('endProcess', () => {
  it('asks a process to end', () =>
    withProcess(WAITS, async (identity) => {
      expect(await endProcess(identity)).toBe('ended');
      expect(await endProcess(identity)).toBe('was-dead');
    }));

  it(
    'kills a process that does not listen',
    () =>
      withProcess(`process.on("SIGTERM", () => {}); ${WAITS}`, async (identity) => {
        expect(await endProcess(identity)).toBe('killed');
        expect(await identityOf(identity.pid)).toBeUndefined();
      }),
    20_000,
  );

  it('leaves a later process with the same number alone', () =>
    withProcess(WAITS, async (identity) => {
      expect(await endProcess({ ...identity, startTicks: '1' })).toBe('was-dead');
      expect(await endProcess({ ...identity, bootId: 'another boot' })).toBe('was-dead');
      expect(await identityOf(identity.pid)).toEqual(identity);
    }));
});
