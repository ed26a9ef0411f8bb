import { execFile } from 'node:child_process';
import {
  access,
  appendFile,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { logActivity } from '../../../activities/agent/activity-log.ts';
import { startChild } from '../../helpers/start-child.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const run = promisify(execFile);

const files = ({ place }: AgentWorld) => [
  path.join(place.ralphDir, 'logs', 'activity.jsonl'),
  path.join(place.workerDir, 'activity.jsonl'),
];

const lines = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

// The queries as people type them; without jq they are read as what they are.
async function jq(query: string, file: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await run('jq', ['-c', query, file]).catch(
    async (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      const [, field = '', sign, value = ''] = /\.(\w+) (==|>=) "(.*)"/.exec(query) ?? [];
      const found = (await lines(file)).filter((entry) =>
        sign === '==' ? entry[field] === value : String(entry[field]) >= value,
      );
      return { stdout: found.map((entry) => JSON.stringify(entry)).join('\n') };
    },
  );
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

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

  it('adds the same to the event log, under the names of the seed (#169)', async () => {
    await withAgents(async (world) => {
      await logActivity(world.place, 'task.started', { attempt: 1 }, 'one');
      await logActivity(world.place, 'task.started', { attempt: 1 }, 'one');
      const events = await lines(path.join(world.place.ralphDir, 'logs', 'events.jsonl'));
      const [{ ts, event, ...same } = {}] = await lines(files(world)[0] ?? '');
      expect(events).toEqual([{ timestamp: ts, event_type: event, ...same }]);
      expect(same).toMatchObject({ worker_id: 'worker-AB-1-1700000000', task_id: 'AB-1' });
    });
  });

  it('is found by the queries of the seed: task, event and time (#169)', async () => {
    await withAgents(async (world) => {
      await logActivity(world.place, 'task.started', {}, 'one');
      const fields = { error_type: 'timeout', message: 'it took 30 s' };
      await logActivity(world.place, 'error', fields, 'two');
      await logActivity({ ...world.place, taskId: 'AB-2' }, 'task.started', {}, 'three');
      const [all = ''] = files(world);
      const ask = async (query: string) =>
        (await jq(query, all)).map((entry) => [entry['task_id'], entry['event']]);
      expect(await ask('select(.task_id == "AB-1")')).toEqual([
        ['AB-1', 'task.started'],
        ['AB-1', 'error'],
      ]);
      expect(await ask('select(.event == "error")')).toEqual([['AB-1', 'error']]);
      expect(await ask('select(.ts >= "2024-01-15T10:00:00Z")')).toHaveLength(3);
      expect(await ask('select(.ts >= "2924-01-15T10:00:00Z")')).toEqual([]);
    });
  });

  it('looks at the end of a long log only, and still finds what it wrote last', async () => {
    await withAgents(async (world) => {
      const [all = '', own = ''] = files(world);
      const count = async () => (await readFile(all, 'utf8')).split('"key":').length - 1;
      const again = async () => {
        await rm(own, { force: true });
        await logActivity(world.place, 'a', {}, 'one');
        return count();
      };
      expect(await again()).toBe(1);
      const other = `${'x'.repeat(99)}\n`;
      await appendFile(all, other.repeat(9_000));
      expect(await again()).toBe(1);
      await appendFile(all, other.repeat(3_000));
      expect(await again()).toBe(2); // beyond a megabyte nothing is read
      expect(await again()).toBe(2);
      expect(await lines(own)).toHaveLength(1);
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
      const events = path.join(world.place.ralphDir, 'logs', 'events.jsonl');
      for (const file of [...files(world), events]) {
        const entries = await lines(file);
        expect(entries).toHaveLength(120);
        for (const name of names)
          expect(
            entries.filter((entry) => entry['name'] === name).map(({ number }) => number),
          ).toEqual(Array.from({ length: 40 }, (_, number) => number));
      }
    });
  });

  it.each<[string, (file: string, precious: string) => Promise<unknown>]>([
    ['a link', (file, precious) => symlink(precious, file)],
    ['a link to nothing', (file) => symlink(`${file}-gone`, file)],
    ['a folder', (file) => mkdir(path.join(file, 'full'), { recursive: true })],
    ['a pipe', (file) => run('mkfifo', [file])],
  ])('puts aside what an agent put in its place, and goes on: %s (#169)', async (_title, make) => {
    await withAgents(async (world) => {
      const [all = '', own = ''] = files(world);
      const precious = path.join(world.place.projectDir, 'precious');
      await writeFile(precious, 'keep me');
      await logActivity(world.place, 'a', {}, 'one');
      for (const file of [all, own]) {
        await rm(file);
        await make(file, precious);
      }
      await logActivity(world.place, 'a', {}, 'two');
      await logActivity(world.place, 'a', {}, 'two');
      for (const file of [all, own]) {
        expect(await lines(file)).toHaveLength(1);
        const beside = await readdir(path.dirname(file));
        expect(beside.filter((name) => name.startsWith('activity.jsonl.not-a-file-'))).toHaveLength(
          1,
        );
      }
      expect(await readFile(precious, 'utf8')).toBe('keep me');
      await expect(access(`${own}-gone`)).rejects.toThrow('ENOENT');
    });
  });

  it('loses no line when many writers find a link at once (#169)', async () => {
    await withAgents(async (world) => {
      const [, own = ''] = files(world);
      await symlink('nowhere', own);
      const keys = Array.from({ length: 20 }, (_, number) => `key-${number}`);
      await Promise.all(keys.map((key) => logActivity(world.place, 'a', {}, key)));
      expect((await lines(own)).length).toBe(keys.length);
    });
  });
});
