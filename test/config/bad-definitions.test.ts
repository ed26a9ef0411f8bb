import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { loadAgent, loadRun } from '../../config/load-definitions.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import type { WiggumError } from '../../workflows/domain/errors.ts';
import { withDefinitions, type DefinitionFolder } from '../helpers/with-definitions.ts';

const caught = (promise: Promise<unknown>): Promise<WiggumError> =>
  promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: unknown) => error as WiggumError,
  );

const agent = (head = '', user = 'Task.', opening = '---') =>
  [
    opening,
    'type: test.one',
    'description: A test',
    'required_paths: [workspace]',
    'valid_results: [PASS, FAIL]',
    'mode: once',
    ...(head ? [head] : []),
    '---',
    '<WIGGUM_SYSTEM_PROMPT>\nRole.\n</WIGGUM_SYSTEM_PROMPT>',
    `<WIGGUM_USER_PROMPT>\n${user}\n</WIGGUM_USER_PROMPT>`,
    '',
  ].join('\n');

/** What is said of an agent file with this content, without its folder. */
async function saidOfAgent(content: string | Buffer): Promise<string> {
  let said = '';
  await withDefinitions(async ({ dir, places }) => {
    await mkdir(path.join(dir, '.ralph/agents/test'), { recursive: true });
    await writeFile(path.join(dir, '.ralph/agents/test/one.md'), content);
    const error = await caught(loadAgent('test.one', places));
    expect(error.code).toBe('AGENT_INVALID');
    said = error.message.replaceAll(/\/[^\n]*\//g, '');
  });
  return said;
}

/** The same of a pipeline file. */
async function saidOfPipeline(content: string | Buffer): Promise<WiggumError> {
  let error: WiggumError | undefined;
  await withDefinitions(async ({ dir, write, places }) => {
    await write({ '.ralph/agents/test/one.md': agent() });
    await writeFile(path.join(dir, '.ralph/pipeline.json'), content);
    error = await caught(loadRun({ taskId: 'AB-1' }, places));
  });
  if (!error) throw new Error('nothing was refused');
  return error;
}

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...[...'bcdefghij'].map((name, index) => {
    const before = [...'abcdefghij'][index];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
  }),
].join('\n');

describe('an agent file', () => {
  it.each<[string, string | Buffer, string]>([
    ['in JavaScript', agent('x: 1', '', '---js'), 'one.md:1: front matter is YAML between'],
    ['of ten megabytes', agent('', 'x'.repeat(10_000_000)), '262144 are the most'],
    ['in Latin-1', Buffer.from(agent('', 'Prüfe.'), 'latin1'), 'not UTF-8 text; see line 12'],
    ['in UTF-16', Buffer.from(`\uFEFF${agent()}`, 'utf16le'), 'it is not UTF-8 text; see line 1'],
    ['with a NUL byte', agent('', 'a\0b'), 'there is a NUL byte in line 12'],
    ['with a field given twice', agent('mode: live'), 'one.md:7: the same field stands twice'],
    [
      'with a tab before a value',
      agent('outputs:\n\t- a'),
      'one.md:8: a tab stands before the text',
    ],
    ['with a bomb of aliases', agent(bomb), 'one.md:8: *a is an alias; write the value itself'],
    ['with an alias of itself', agent('outputs: &a [*a]'), 'one.md:7: *a is an alias'],
    ['with brackets without end', agent(`outputs: ${'['.repeat(50_000)}`), 'it nests too deep'],
    ['with lists in lists', agent(`outputs:\n  ${'- '.repeat(50_000)}`), 'it nests too deep'],
    ['with a date in a list', agent('plan_file: [2026-01-02]'), 'expected a path, found'],
    ['with bytes for a value', agent('plan_file: !!binary aGVsbG8='), 'plan_file: expected a path'],
    ['with a function', agent('plan_file: !!js/function "() => {}"\nx: 1'), 'x: there is no such'],
    ['without an end', agent().replace('once\n---', 'once\n'), 'opened and never closed'],
    ['of one line', '---', 'opened and never closed'],
    ['of nothing', '', 'there is no front matter'],
    ['with a prototype', agent('__proto__: {readonly: true}'), '__proto__: there is no such field'],
    ['with a constructor', agent('constructor: x'), 'constructor: there is no such field'],
    ['with a very long word', agent(`? ${'x'.repeat(60_000)}\n: 1`), 'no such field'],
    ['with a prompt in two places', agent('', '</WIGGUM_USER_PROMPT>\nx'), 'closes nothing'],
  ])('%s is refused with its place (#67)', async (_title, content, message) => {
    expect(await saidOfAgent(content)).toContain(message);
  });

  it('may begin with a byte order mark and have lines of Windows (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      const text = `\uFEFF${agent().replaceAll('\n', '\r\n')}`;
      await write({ '.ralph/agents/test/one.md': text });
      expect(await loadAgent('test.one', places)).toMatchObject({ userPrompt: 'Task.' });
    }));

  it('keeps braces of other programs in its prompts (#69)', () =>
    withDefinitions(async ({ write, places }) => {
      const user = 'Use ${{ secrets.A }}, {{ user }}, {{#if x}}, {{, }} and {{}}.';
      await write({ '.ralph/agents/test/one.md': agent('', user) });
      expect((await loadAgent('test.one', places)).userPrompt).toBe(user);
    }));

  it('is judged in a moment, whatever its text repeats', async () => {
    const before = performance.now();
    const hostile = ['{{x}}', '<WIGGUM_IF_A:', '<WIGGUM_A', '{{a', '</WIGGUM_IF_SUPERVISOR>'];
    for (const words of hostile)
      await saidOfAgent(agent('redonly: 1', words.repeat(Math.floor(200_000 / words.length))));
    await saidOfAgent(agent(`x: 1\nplan_file: {{${' '.repeat(200_000)}x`));
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('tells the first fifty of very many faults, and how many there are', async () => {
    const lines = (await saidOfAgent(agent('', '{{x}}\n'.repeat(1000)))).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('and 950 more');
  });
});

const step = (id: string, more: object = {}) => ({ id, agent: 'test.one', ...more });
const nested = (depth: number): string => {
  const open = '{"agent": "test.one", "on_result": {"FIX": ';
  const one = `{"id": "one", "agent": "test.one", "max": 1, "on_result": {"FIX": `;
  return `{"steps": [${one}${open.repeat(depth)}{"jump": "self"}${'}}'.repeat(depth)}}}]}`;
};
const many = (count: number) =>
  JSON.stringify({ steps: Array.from({ length: count }, (_, index) => step(`s${index}`)) });

describe('a pipeline file', () => {
  it.each<[string, string | Buffer, string]>([
    ['nested 10,000 times', nested(10_000), 'the file cannot be read: it has'],
    ['nested 1,000 times', nested(1000), 'it nests deeper than 250 levels'],
    ['of 101 handlers in each other', nested(100), '101 steps and handlers are too many; 100'],
    ['of brackets only', '['.repeat(200_000), 'it nests deeper than 250 levels'],
    ['of 100,000 steps', many(100_000), 'the file cannot be read: it has'],
    ['of 5,000 steps', many(5000), '5000 steps and handlers are too many'],
    ['with a NUL byte', '{"steps": [\0]}', 'there is a NUL byte in line 1'],
    ['in Latin-1', Buffer.from('{"name": "Prüfung"}', 'latin1'), 'it is not UTF-8 text'],
    ['cut off', many(3).slice(0, -9), 'this is not JSON'],
    ['of nothing', '', 'the file is empty'],
    ['of a word', 'null', 'expected an object, found null'],
    [
      'with a prototype',
      '{"steps": [{"id": "a", "agent": "test.one",\n"__proto__": {"max": 1}}]}',
      'json:2: there is no such key: "__proto__"',
    ],
    [
      "with a prototype in a step's config",
      '{"steps": [{"id": "a", "agent": "test.one",\n"config": {"__proto__": {"max_turns": 1}}}]}',
      'json:2: there is no such key: "__proto__"',
    ],
    [
      'with a prototype among the mappings',
      '{"result_mappings": {"__proto__": {}}, "steps": [{"id": "a", "agent": "test.one"}]}',
      'json:1: there is no such key: "__proto__"',
    ],
    [
      'with a prototype as id',
      JSON.stringify({ steps: [step('__proto__')] }),
      'steps[0].id: an id has small letters',
    ],
    [
      'with a result called constructor',
      JSON.stringify({ steps: [step('a', { on_result: { constructor: { jump: 'a' } } })] }),
      'on_result.constructor: a result name has 3 to 10 capital letters',
    ],
    [
      'with an agent of an inherited name',
      JSON.stringify({ steps: [step('a', { agent: 'constructor' })] }),
      'there is no agent "constructor"',
    ],
  ])('%s is refused with its place (#60)', async (_title, content, message) => {
    const { code, message: said } = await saidOfPipeline(content);
    expect(['PIPELINE_INVALID', 'CONFIG_INVALID', 'AGENT_MISSING']).toContain(code);
    expect(said).toContain(message);
  });

  it('may have a step called constructor (#60)', () =>
    withDefinitions(async ({ write, places }) => {
      const steps = [step('constructor', { max: 2 }), step('valueof')];
      await write({
        '.ralph/agents/test/one.md': agent(),
        '.ralph/pipeline.json': JSON.stringify({ steps }),
      });
      const { pipeline } = await loadRun({ taskId: 'AB-1' }, places);
      expect(pipeline.steps.map(({ id }) => id)).toEqual(['constructor', 'valueof']);
    }));

  it('may nest 99 handlers (#50)', () =>
    withDefinitions(async ({ write, places }) => {
      const inner = (depth: number): object =>
        depth === 0
          ? { jump: 'self' }
          : { id: `h${depth}`, agent: 'test.one', max: 1, on_result: { FIX: inner(depth - 1) } };
      const steps = [step('a', { max: 1, on_result: { FIX: inner(99) } })];
      await write({
        '.ralph/agents/test/one.md': agent().replace('FAIL]', 'FAIL, FIX]'),
        '.ralph/pipeline.json': JSON.stringify({ steps }),
      });
      expect((await loadRun({ taskId: 'AB-1' }, places)).pipeline.steps).toHaveLength(1);
    }));
});

describe('something else in place of a file', () => {
  const places: [string, string][] = [
    ['a pipeline', '.ralph/pipeline.json'],
    ['an agent', '.ralph/agents/test/one.md'],
    ['agents.json', 'home/config/agents.json'],
  ];
  const put: [string, (file: string) => Promise<unknown>][] = [
    ['a folder', (file) => mkdir(file)],
    ['a pipe that nobody writes to', (file) => promisify(execFile)('mkfifo', [file])],
    ['a device without end', (file) => symlink('/dev/zero', file)],
  ];
  const cases = places.flatMap(([what, file]) =>
    put.map(([other, make]) => [other, what, file, make] as const),
  );

  it.each(cases)('%s in place of %s is named (#210)', (_other, _what, file, make) =>
    withDefinitions(async ({ dir, write, homed }: DefinitionFolder) => {
      if (!file.includes('agents/')) await write({ '.ralph/agents/test/one.md': agent() });
      if (!file.endsWith('pipeline.json'))
        await write({ '.ralph/pipeline.json': JSON.stringify({ steps: [step('a')] }) });
      await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
      await make(path.join(dir, file));
      const { code, where } = await caught(loadRun({ taskId: 'AB-1' }, homed));
      expect(['CONFIG_INVALID', 'AGENT_INVALID']).toContain(code);
      expect(where).toBe(path.join(dir, file));
    }),
  );
});

describe('settings', () => {
  it('that are a pipe without a writer are named at once (#210)', () =>
    withDefinitions(async ({ dir, places }) => {
      const file = path.join(dir, '.ralph/config.json');
      await promisify(execFile)('mkfifo', [file]);
      const error = await caught(loadProjectConfig(places.ralphDir, {}));
      expect(error).toMatchObject({ code: 'CONFIG_INVALID', where: file });
    }));
});

describe('agents.json', () => {
  it.each([
    ['empty', '', 'the file is empty'],
    ['cut', '{"agents": {"a.b": {"max_turns"', 'this is not JSON'],
    ['a list', '[]', 'expected an object, found a list'],
    ['no JSON', 'agents: {}', 'this is not JSON'],
    [
      'with a key given twice',
      '{"agents": {},\n"agents": {}}',
      'json:2: the same key stands twice',
    ],
    ['with a prototype', '{"agents": {"__proto__": {}}}', 'there is no such key: "__proto__"'],
    ['misspelt', '{"agent": {}}', 'there is no such key; did you mean "agents"?'],
  ])('that is %s is named, and nothing runs (#210)', (_title, text, message) =>
    withDefinitions(async ({ write, homed }) => {
      await write({ 'home/config/agents.json': text });
      const error = await caught(loadRun({ taskId: 'AB-1' }, homed));
      expect(error.code).toBe('CONFIG_INVALID');
      expect(error.message).toContain(message);
    }),
  );
});
