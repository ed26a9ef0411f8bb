import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';
import { actionsFor, parseScript, type Script } from '../../config/script-file.ts';

const manual = () => readFile(path.join(packageRoot(), 'docs', 'script-agent.md'), 'utf8');

const problemsOf = (text: string) => {
  const { script, problems } = parseScript(text);
  expect(script === undefined).toBe(problems.length > 0);
  return problems;
};

function scriptOf(text: string): Script {
  const { script, problems } = parseScript(text);
  expect(problems).toEqual([]);
  if (!script) throw new Error('no script');
  return script;
}

const actionNames = () =>
  (problemsOf('default: [[{ zzz: 1 }]]')[0]?.message.split('one of ')[1] ?? '').split(', ');

describe('parseScript', () => {
  it('reads every action', () => {
    const script = scriptOf(`
default:
  - - say: a
    - report: b
    - tool: Read
    - deny: Write
    - write: { path: a, content: "" }
    - append: { path: a, content: b }
    - replace: { path: a, find: b, with: "" }
    - delete: a
    - run: make
    - { run: make, on_failure: FIX }
    - tick_prd: all
    - tick_prd: 2
    - wait: 0.5
    - wait_for: a
    - cost: 0.1
    - tokens: { input: 1 }
    - result: PASS
    - forget_result: PASS
    - no_result: true
    - fail: ""
    - exit: 255
    - limit: true
    - limit: "2030-01-01T00:00:00Z"
    - auth: a
    - transient: a
    - lose_session: true
    - max_turns: true
    - hang: true
    - ignore_sigterm: true
`);
    const actions = script.default?.[0]?.iterations[0] ?? [];
    expect(actions).toHaveLength(29);
    expect([...new Set(actions.flatMap((action) => Object.keys(action)[0] ?? []))].sort()).toEqual(
      actionNames().sort(),
    );
    expect(actions[15]).toEqual({ tokens: { input: 1, output: 0 } });
  });

  it('takes an empty file and JSON', () => {
    expect(scriptOf('')).toEqual({ agents: {}, tasks: {} });
    expect(scriptOf('{"default": [[{"say": "x"}]]}').default).toHaveLength(1);
  });

  it.each([
    [
      'an unknown action',
      'agents: { audit: [[{ sya: x }]] }',
      'agents.audit[0][0]',
      /unknown action `sya`/,
    ],
    [
      'an action that is none',
      'agents: { audit: [[stop]] }',
      'agents.audit[0][0]',
      /unknown action/,
    ],
    ['a wrong value', 'agents: { audit: [[{ wait: soon }]] }', 'agents.audit[0][0].wait', /number/],
    [
      'a missing field',
      'agents: { audit: [[{ write: { path: a } }]] }',
      'agents.audit[0][0].write.content',
      /./,
    ],
    [
      'a field too many',
      'agents: { audit: [[{ say: a, loud: true }]] }',
      'agents.audit[0][0]',
      /loud/,
    ],
    ['a part without visits', 'agents: { audit: [] }', 'agents.audit', /./],
    [
      'a visit without iterations',
      'agents: { audit: [{ iterations: [] }] }',
      'agents.audit[0].iterations',
      /./,
    ],
    ['an unknown key', 'agent: {}', 'top level', /agent/],
    [
      'an unknown decision',
      'default: [{ iterations: [[{ say: x }]], supervisor: [{ decision: ABORT }] }]',
      'default[0].supervisor[0].decision',
      /CONTINUE/,
    ],
    [
      'an unknown action of a supervisor',
      'default: [{ iterations: [[{ say: x }]], supervisor: [[{ shout: x }]] }]',
      'default[0].supervisor[0][0]',
      /unknown action `shout`/,
    ],
    ['broken YAML', 'agents:\n  audit: [', 'line 2', /./],
  ])('names %s with its place', (_title, text, where, message) => {
    const problems = problemsOf(text);
    expect(problems).toContainEqual({ where, message: expect.stringMatching(message) });
  });

  it('names all problems at once', () => {
    const text =
      'agents: { a: [[{ x: 1 }, { y: 1 }]], b: [[{ wait: -1 }]] }\ntasks: { T: { c: [[{ z: 1 }]] } }';
    expect(problemsOf(text).map(({ where }) => where)).toEqual([
      'agents.a[0][0]',
      'agents.a[0][1]',
      'agents.b[0][0].wait',
      'tasks.T.c[0][0]',
    ]);
  });

  it('does not run code or follow endless aliases', () => {
    expect(problemsOf('default: [[{ say: !!js/function "x" }]]')).toEqual([]);
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 12; level += 1)
      bomb.push(`k${level}: &k${level} [${`*${level === 1 ? 'a' : `k${level - 1}`},`.repeat(9)}]`);
    expect(problemsOf(bomb.join('\n'))).not.toEqual([]);
  });
});

describe('actionsFor', () => {
  const script = scriptOf(`
agents:
  audit: [[{ say: step }], [{ say: second }]]
  e.agent: [[{ say: agent }]]
tasks:
  T-1:
    audit: [[{ say: task }]]
    e.other: [[{ say: task's agent }]]
default: [{ iterations: [[{ say: one }], [{ say: two }]], summary: short }]
`);
  const at = (changes: object) =>
    actionsFor(script, {
      taskId: 'T-9',
      stepId: 'audit',
      agent: 'e.agent',
      visit: 1,
      iteration: 0,
      ...changes,
    });

  it.each<[object, string]>([
    [{}, 'step'],
    [{ visit: 2 }, 'second'],
    [{ visit: 7 }, 'second'],
    [{ taskId: 'T-1' }, 'task'],
    [{ taskId: 'T-1', stepId: 'x', agent: 'e.other' }, "task's agent"],
    [{ stepId: 'x' }, 'agent'],
    [{ stepId: 'x', agent: 'y' }, 'one'],
    [{ stepId: 'x', agent: 'y', iteration: 1 }, 'two'],
    [{ stepId: 'x', agent: 'y', iteration: 5 }, 'two'],
  ])('finds the part of %j', (changes, said) => {
    expect(at(changes)?.actions).toEqual([{ say: said }]);
  });

  it('gives the words of a summary, and nothing where nobody has a part', () => {
    expect(at({ stepId: 'x', agent: 'y' })?.summary).toBe('short');
    const empty: Script = { agents: {}, tasks: {} };
    const named = scriptOf('default: [[{ say: x }]]');
    const place = { taskId: 'constructor', stepId: 'toString', agent: 'x', visit: 1, iteration: 0 };
    expect(actionsFor(empty, place)).toBeUndefined();
    expect(actionsFor(named, place)?.actions).toEqual([{ say: 'x' }]);
  });
});

describe('docs/script-agent.md', () => {
  it('has only scenarios that are right', async () => {
    const blocks = [...(await manual()).matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, yaml = '']) => yaml,
    );
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(problemsOf(block)).toEqual([]);
  });

  it('describes every action', async () => {
    const text = await manual();
    for (const name of actionNames()) expect(text).toContain(`\`${name}:`);
  });
});
