import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../client/output.ts';
import { openScreen } from '../../client/screen.ts';
import { aTask, aView } from '../helpers/a-view.ts';

function surface(options: { terminal?: boolean; quiet?: boolean; rows?: number } = {}) {
  const said = { out: '', err: '' };
  return {
    said,
    surface: {
      stdout: {
        write: (text: string) => void (said.out += text),
        isTerminal: options.terminal ?? false,
        hasColour: false,
        columns: () => 60,
        rows: () => options.rows ?? 24,
      },
      log: createLog({ write: (text: string) => void (said.err += text) }, 'info'),
      quiet: options.quiet ?? false,
    },
  };
}

const now = () => 0;
const board = (why: string) => aView([aTask('AB-1', { why }), aTask('AB-2', { why: 'waits' })]);

describe('in a pipe', () => {
  it('prints a line per change and a summary, without control sequences', () => {
    const { said, surface: around } = surface();
    const screen = openScreen(around, { json: false, now });
    for (const why of ['one', 'one', 'two']) screen.show(board(why));
    screen.end(board('two'));
    expect(said.out.split('\n')).toEqual([
      '[ ] AB-1 pending · one',
      '[ ] AB-2 pending · waits',
      '[ ] AB-1 pending · two',
      '2 tasks: 2 pending',
      '',
    ]);
  });

  it('leaves only the summary when quiet', () => {
    const { said, surface: around } = surface({ quiet: true });
    const screen = openScreen(around, { json: false, now });
    screen.show(board('one'));
    screen.end(board('two'));
    expect(said.out).toBe('2 tasks: 2 pending\n');
  });

  it('does not tell of cost, turns, tokens and time alone', () => {
    const { said, surface: around } = surface();
    const screen = openScreen(around, { json: false, now });
    screen.show(aView([aTask('AB-1', { costUsd: 0.1, turns: 1 })]));
    screen.show(
      aView([aTask('AB-1', { costUsd: 0.2, turns: 2, inputTokens: 9, seconds: 3, models: {} })]),
    );
    expect(said.out).toBe('[ ] AB-1 pending · $0.10\n');
  });
});

it('prints one JSON object per change, and all of the board at the end', () => {
  const { said, surface: around } = surface({ terminal: true });
  const screen = openScreen(around, { json: true, now });
  screen.show(board('one'));
  screen.end(board('two'));
  const objects = said.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(objects).toMatchObject([
    { task: { id: 'AB-1', why: 'one', step: null } },
    { task: { id: 'AB-2' } },
    { task: { id: 'AB-1', why: 'two' } },
    { summary: '2 tasks: 2 pending', sweeping: false, tasks: [{ id: 'AB-1' }, { id: 'AB-2' }] },
  ]);
});

describe('on a terminal', () => {
  it('redraws the board in place', () => {
    const { said, surface: around } = surface({ terminal: true });
    const screen = openScreen(around, { json: false, now });
    screen.show(board('one'), ['head']);
    said.out = '';
    screen.show(board('two'), ['head']);
    expect(said.out).toBe(
      [
        '\u001b[4A\r\u001b[0Jhead',
        '[ ] AB-1 pending  two · Title of AB-1',
        '[ ] AB-2 pending  waits · Title of AB-2',
        '2 tasks: 2 pending',
        '',
      ].join('\n'),
    );
  });

  it('takes the drawing away while others speak, and puts it back', () => {
    const { said, surface: around } = surface({ terminal: true });
    const screen = openScreen(around, { json: false, now });
    screen.show(board('one'));
    said.out = '';
    screen.log.warn('the server is gone');
    expect(said.err).toBe('warning: the server is gone\n');
    expect(said.out.startsWith('\u001b[3A\r\u001b[0J\u001b[0J[ ] AB-1')).toBe(true);
  });

  it('never draws more lines than the screen has, nor wider ones', () => {
    const { said, surface: around } = surface({ terminal: true, rows: 8 });
    const screen = openScreen(around, { json: false, now });
    const many = Array.from({ length: 50 }, (_, index) => aTask(`AB-${index}`));
    many[40] = aTask('AB-40', { marker: '=', state: 'running', why: 'at work '.repeat(20) });
    const problems = [{ line: 3, message: 'wrong '.repeat(30), severity: 'error' as const }];
    screen.show(aView(many, { problems }));
    const lines = said.out.replace('\u001b[0J', '').trimEnd().split('\n');
    expect(lines.length).toBeLessThan(8);
    for (const line of lines) expect(line.length).toBeLessThan(60);
    expect(lines.join('\n')).toContain('AB-40');
    expect(lines.at(-1)).toBe('50 tasks: 1 running, 49 pending');
    expect(lines).toContainEqual('… and 46 more tasks');
  });

  it('shows everything at the end, and is not drawn over afterwards', () => {
    const { said, surface: around } = surface({ terminal: true, rows: 5 });
    const screen = openScreen(around, { json: false, now });
    const many = Array.from({ length: 10 }, (_, index) => aTask(`AB-${index}`));
    screen.end(aView(many));
    expect(said.out.match(/AB-\d pending/g)).toHaveLength(10);
    said.out = '';
    screen.log.info('bye');
    expect(said.out).not.toContain('\u001b[10A');
  });
});
