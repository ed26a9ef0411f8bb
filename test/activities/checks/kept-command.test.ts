import { access, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnd } from '../../../activities/agent/attempt-records.ts';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { runKept, type KeptCommand } from '../../../activities/checks/kept-command.ts';
import { inActivity } from '../../helpers/in-activity.ts';
import { startChild } from '../../helpers/start-child.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const command = ({ place, host }: AgentWorld, changes: Partial<KeptCommand>): KeptCommand => ({
  place,
  key: 'hooks/audit-1/pre/1',
  program: 'sh',
  args: [],
  title: 'the hook',
  logName: 'hook',
  timeoutMs: 30_000,
  environment: { PATH: host.environment['PATH'] ?? '' },
  ...changes,
});

const keep = (world: AgentWorld, changes: Partial<KeptCommand>) =>
  inActivity(() => runKept(command(world, changes), world.host)).result;

const turn = ({ place }: AgentWorld, name: string) =>
  path.join(turnFolder(place.workerDir, 'hooks/audit-1/pre/1'), name);

describe('runKept', () => {
  it('ends a program at its time limit, and says so in the log (#58)', async () => {
    await withAgents(async (world) => {
      const { exitCode, log } = await keep(world, {
        args: ['-c', 'echo begun; sleep 60'],
        timeoutMs: 1_500,
      });
      expect(exitCode).toBe(124);
      expect(await readFile(log, 'utf8')).toMatch(
        /^\$ the hook\nbegun\nended by us after \d+ s\n$/,
      );
    });
  });

  it('says in the log why a program could not be started (#58)', async () => {
    await withAgents(async (world) => {
      const { exitCode, log } = await keep(world, { program: 'no-such-program-here' });
      expect(exitCode).toBe(127);
      expect(await readFile(log, 'utf8')).toContain('no-such-program-here');
    });
  });

  it('gives the workspace back when nothing could be started', async () => {
    await withAgents(async (world) => {
      const logs = path.join(world.place.workerDir, 'logs');
      await writeFile(logs, 'in the way');
      await expect(keep(world, { args: ['-c', 'exit 3'] })).rejects.toThrow('EEXIST');
      await rm(logs);
      expect(await keep(world, { args: ['-c', 'exit 3'] })).toMatchObject({ exitCode: 3 });
    });
  });
});

describe('a retry of runKept', () => {
  it('does not repeat what ended before its worker died', async () => {
    await withAgents(async (world) => {
      const { workspace } = world.place;
      const changes = {
        args: ['-c', 'echo x >> count; while ! [ -e go ]; do sleep 0.05; done; exit 7'],
      };
      const order = { command: command(world, changes), host: world.host };
      const worker = startChild('agent/runs-kept.mjs', [JSON.stringify(order)]);
      try {
        await until('the program', () => isThere(path.join(workspace, 'count')));
        // It lives, so its keeper goes on, and it comes to nothing more.
        worker.process.kill('SIGSTOP');
        await writeFile(path.join(workspace, 'go'), '');
        const end = () => readEnd(turn(world, 'attempt-1'));
        await until('the end of the program', async () => (await end()) !== undefined);
        expect(await end()).toMatchObject({ reason: 'exited', exitCode: 7 });
      } finally {
        worker.process.kill('SIGKILL');
        await worker.ended;
      }
      expect(await isThere(turn(world, 'finished.json'))).toBe(false);
      const { exitCode, log } = await keep(world, changes);
      expect([exitCode, path.basename(log)]).toEqual([7, 'hook.log']);
      expect(await readFile(path.join(workspace, 'count'), 'utf8')).toBe('x\n');
    });
  });

  it.each<[string, Partial<KeptCommand>, number]>([
    ['was ended at its limit', { args: ['-c', 'echo x >> count; sleep 60'], timeoutMs: 900 }, 124],
    ['wrote without an end', { args: ['-c', 'echo x >> count; yes'] }, 125],
    ['is not there', { program: 'no-such-program-here' }, 127],
  ])('says once how a program ended that %s', async (_title, changes, code) => {
    await withAgents(async (world) => {
      const first = await keep(world, changes);
      expect(first.exitCode).toBe(code);
      const said = await tailOf(first.log);
      for (let again = 0; again < 2; again += 1) {
        await rm(turn(world, 'finished.json'));
        expect(await keep(world, changes)).toEqual(first);
      }
      expect(await tailOf(first.log)).toBe(said);
      const count = path.join(world.place.workspace, 'count');
      if (code !== 127) expect(await readFile(count, 'utf8')).toBe('x\n');
    });
  });

  it('runs again what was ended with its worker', async () => {
    await withAgents(async (world) => {
      const changes = { args: ['-c', 'echo x >> count; [ -e go ] || sleep 60'] };
      const order = { command: command(world, changes), host: world.host };
      const worker = startChild('agent/runs-kept.mjs', [JSON.stringify(order)]);
      const count = path.join(world.place.workspace, 'count');
      await until('the program', () => isThere(count));
      worker.process.kill('SIGKILL');
      await worker.ended;
      await writeFile(path.join(world.place.workspace, 'go'), '');
      expect(await keep(world, changes)).toMatchObject({ exitCode: 0 });
      expect(await readFile(count, 'utf8')).toBe('x\nx\n');
    });
  });
});

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

const tailOf = async (file: string) => (await readFile(file, 'latin1')).slice(-200);
