import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { logActivity } from '../../../activities/agent/activity-log.ts';
import { startChild } from '../../helpers/start-child.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const files = ({ place }: AgentWorld) => [
  path.join(place.ralphDir, 'logs', 'activity.jsonl'),
  path.join(place.workerDir, 'activity.jsonl'),
];

const lines = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('logActivity', () => {
  it("adds the event to the project's and to the task run's log (#169)", async () => {
    await withAgents(async (world) => {
      const fields = { step_id: 'audit', text: 'two\nlines', event: 'forged', task_id: 'XX-1' };
      await logActivity(world.place, 'step.started', fields, 'audit-1:started');
      for (const file of files(world))
        expect(await lines(file)).toEqual([
          {
            ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
            event: 'step.started',
            worker_id: 'worker-AB-1-1700000000',
            task_id: 'AB-1',
            step_id: 'audit',
            text: 'two\nlines',
            key: 'worker-AB-1-1700000000/audit-1:started',
          },
        ]);
    });
  });

  it('adds nothing when the same key comes again', async () => {
    await withAgents(async (world) => {
      await logActivity(world.place, 'a', {}, 'one');
      await logActivity(world.place, 'a', { later: true }, 'one');
      await logActivity(world.place, 'a', {}, 'one"');
      await logActivity({ ...world.place, workerDir: `${world.place.workerDir}1` }, 'a', {}, 'one');
      const [all = '', own = ''] = files(world);
      expect((await lines(own)).map(({ key }) => key)).toEqual([
        'worker-AB-1-1700000000/one',
        'worker-AB-1-1700000000/one"',
      ]);
      expect(await lines(all)).toHaveLength(3);
    });
  });

  it('adds only where a killed attempt did not come to', async () => {
    await withAgents(async (world) => {
      const [all = '', own = ''] = files(world);
      await logActivity(world.place, 'a', {}, 'one');
      await writeFile(own, '');
      await logActivity(world.place, 'a', {}, 'one');
      expect([await lines(all), await lines(own)]).toMatchObject([
        [{ event: 'a' }],
        [{ event: 'a' }],
      ]);
    });
  });

  it('begins a line of its own behind one that was cut off', async () => {
    await withAgents(async (world) => {
      const [, own = ''] = files(world);
      await logActivity(world.place, 'a', {}, 'one');
      await appendFile(own, '{"ts":"20');
      await logActivity(world.place, 'a', {}, 'two');
      const text = await readFile(own, 'utf8');
      expect(text.split('\n')[1]).toBe('{"ts":"20');
      expect(JSON.parse(text.split('\n')[2] ?? '')).toMatchObject({ event: 'a' });
    });
  });

  it('writes whole lines also when many write at once (#169)', async () => {
    await withAgents(async (world) => {
      const names = ['a', 'b', 'c'];
      const children = names.map((name) =>
        startChild('agent/logs-activity.mjs', [
          JSON.stringify({ place: world.place, name, count: 40 }),
        ]),
      );
      expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
      for (const file of files(world)) {
        const entries = await lines(file);
        expect(entries).toHaveLength(120);
        for (const name of names)
          expect(
            entries.filter((entry) => entry['name'] === name).map(({ number }) => number),
          ).toEqual(Array.from({ length: 40 }, (_, number) => number));
      }
    });
  });

  it('does not write through a link that an agent put in its place', async () => {
    await withAgents(async (world) => {
      const [, own = ''] = files(world);
      const precious = path.join(world.place.projectDir, 'precious');
      await mkdir(path.dirname(own), { recursive: true });
      await writeFile(precious, 'keep me');
      await symlink(precious, own);
      await expect(logActivity(world.place, 'a', {}, 'one')).rejects.toThrow('ELOOP');
      expect(await readFile(precious, 'utf8')).toBe('keep me');
    });
  });
});
