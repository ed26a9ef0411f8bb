import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Interruption } from '../../../client/run-line.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { wiggumLine } from '../../helpers/run-line.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const RUN = '.ralph/workers/worker-AB-1-1700000002';
const LOG = `${RUN}/logs/execution-1/execution-0-work-0.log`;
const events = [
  {
    type: 'iteration_start',
    agent: 'engineering.software-engineer',
    iteration: 0,
    purpose: 'work',
    attempt: 1,
  },
  { type: 'text', text: 'I \u001b[2Jwill look.', turn: 1 },
  { type: 'tool', name: 'Bash', command: 'npm test', exit: 0, output: 'ok', turn: 2 },
  { type: 'end', ok: true, code: 'completed', message: '', turns: 2, cost_usd: 0.1 },
];
const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');

async function withLogs(
  marker: 'x' | '=' | ' ',
  use: (project: TestProject) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      '.ralph/kanban.md': aBoard().withTask('AB-1', { marker }).withTask('XY-2').text(),
      '.ralph/workers/worker-AB-1-1700000001/logs/old.log': 'an older run\n',
      [LOG]: text,
    });
    await sleep(20); // files count by the time at which they were begun
    await project.write({ [`${RUN}/logs/checks-1.log`]: 'checks pass\n' });
    await use(project);
  });
}

describe('logs', () => {
  it('shows what the agents of the newest run said and did', async () => {
    await withLogs('x', async ({ dir }) => {
      const { code, stdout } = await wiggumLine(['logs', 'ab-1'], { cwd: dir });
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual([
        '',
        '── engineering.software-engineer · iteration 1',
        'I \\u{1b}[2Jwill look.',
        '→ Bash npm test',
        '  exit 0',
        '  ok',
        '= completed · 2 turns · $0.10',
        '',
        '── checks-1.log',
        'checks pass',
        '',
      ]);
    });
  });

  it('gives a pipe the lines as the agent wrote them with --raw', async () => {
    await withLogs('x', async ({ dir }) => {
      const { stdout } = await wiggumLine(['logs', 'AB-1', '--raw'], { cwd: dir });
      expect(stdout).toBe(`${text}checks pass\n`);
    });
  });

  it('gives programs one object per event with --json', async () => {
    await withLogs('x', async ({ dir }) => {
      const { stdout } = await wiggumLine(['logs', 'AB-1', '--json'], { cwd: dir });
      const objects = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(objects[1]).toEqual({
        file: 'execution-1/execution-0-work-0.log',
        kind: 'text',
        text: 'I \u001b[2Jwill look.',
      });
    });
  });

  it('follows until the task stops working, and misses nothing', async () => {
    await withLogs('=', async ({ dir, write }) => {
      const goOn = async () => {
        await appendFile(path.join(dir, LOG), '{"type":"text","text":"one more thing"}\n');
        await write({ '.ralph/kanban.md': aBoard().withTask('AB-1', { marker: '*' }).text() });
      };
      let more: Promise<void> | undefined;
      const { code, stdout } = await wiggumLine(['logs', 'AB-1', '--follow', '-q'], {
        cwd: dir,
        heard: (said) => {
          if (said.stdout.includes('checks pass')) more ??= goOn();
        },
      });
      await more;
      expect(code).toBe(0);
      expect(stdout).toContain('one more thing');
      expect(stdout.match(/npm test/g)).toHaveLength(1);
    });
  });

  it('waits for a task that has not started, until it is ended', async () => {
    await withLogs('x', async ({ dir }) => {
      const ending = new AbortController();
      const { code, stderr } = await wiggumLine(['logs', 'XY', '-f'], {
        cwd: dir,
        signal: ending.signal,
        heard: () => ending.abort(new Interruption('SIGINT')),
      });
      expect(code).toBe(130);
      expect(stderr).toBe('XY-2 has not started; waiting for it\n');
    });
  });

  it('says that a task has not run yet, with exit 1', async () => {
    await withLogs('x', async ({ dir }) => {
      const { code, stderr } = await wiggumLine(['logs', 'XY-2'], { cwd: dir });
      expect(code).toBe(1);
      expect(stderr).toContain('XY-2 has not run yet');
    });
  });

  it.each([
    [[], 'missing required argument'],
    [['NO-1'], 'No task matches "NO-1"'],
    [['-'], 'matches several tasks'],
  ])('refuses %j with exit 2 (#5)', async (words, message) => {
    await withLogs('x', async ({ dir }) => {
      const { code, stderr } = await wiggumLine(['logs', ...words], { cwd: dir });
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    });
  });
});
