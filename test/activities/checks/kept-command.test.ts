import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { runKept, type KeptCommand } from '../../../activities/checks/kept-command.ts';
import { inActivity } from '../../helpers/in-activity.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const keep = ({ place, host }: AgentWorld, changes: Partial<KeptCommand>) =>
  inActivity(() =>
    runKept(
      {
        place,
        key: 'hooks/audit-1/pre/1',
        program: 'sh',
        args: [],
        title: 'the hook',
        logName: 'hook',
        timeoutMs: 30_000,
        environment: { PATH: host.environment['PATH'] ?? '' },
        ...changes,
      },
      host,
    ),
  ).result;

describe('runKept', () => {
  it('ends a program at its time limit, and says so in the log (#58)', async () => {
    await withAgents(async (world) => {
      const { exitCode, log } = await keep(world, {
        args: ['-c', 'echo begun; sleep 60'],
        timeoutMs: 1_500,
      });
      expect(exitCode).toBe(124);
      expect(await readFile(log, 'utf8')).toBe('$ the hook\nbegun\n\nended by us after 2 s\n');
    });
  });

  it('says in the log why a program could not be started (#58)', async () => {
    await withAgents(async (world) => {
      const { exitCode, log } = await keep(world, { program: 'no-such-program-here' });
      expect(exitCode).toBe(127);
      expect(await readFile(log, 'utf8')).toContain('no-such-program-here');
    });
  });
});
