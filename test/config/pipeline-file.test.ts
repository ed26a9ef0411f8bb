import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../config/agent-definition.ts';
import { parsePipeline } from '../../config/pipeline-file.ts';

const parse = (value: unknown) => parsePipeline(JSON.stringify(value), 'p.json');
const problemsOf = (value: unknown) => parse(value).problems.map(describeProblem);
const step = (id: string, more: object = {}) => ({ id, agent: 'test.agent', ...more });

describe('parsePipeline', () => {
  it('fills in what a step leaves open', () => {
    expect(parse({ steps: [step('one')] }).pipeline).toEqual({
      name: 'unnamed',
      steps: [
        {
          id: 'one',
          agent: 'test.agent',
          max: 0,
          onMax: 'next',
          onResult: {},
          readonly: false,
          commitAfter: false,
          config: {},
        },
      ],
      resultMappings: {},
    });
  });

  it('takes every field, also of handlers inside handlers', () => {
    const unit = { max: 2, on_max: 'abort', readonly: true, commit_after: true };
    const more = {
      ...unit,
      timeout_seconds: 90,
      config: { max_turns: 7, own: [1] },
      enabled_by: 'SWITCH',
      hooks: { pre: ['a b'] },
    };
    const { pipeline, problems } = parse({
      $schema: 'x',
      name: 'whole',
      description: 'All of it.',
      cost_limit: 2.5,
      result_mappings: {
        OTHER: { status: 'partial', exit_code: 4, default_jump: 'one' },
        FAIL: { default_jump: 'next' },
      },
      steps: [
        step('one', {
          ...more,
          on_result: {
            FIX: {
              ...step('fix', more),
              on_result: { PASS: { jump: 'one' }, FIX: { ...more, agent: 'test.agent' } },
            },
          },
        }),
      ],
    });
    expect(problems).toEqual([]);
    const taken = {
      agent: 'test.agent',
      max: 2,
      onMax: 'abort',
      readonly: true,
      commitAfter: true,
      timeoutSeconds: 90,
      config: { max_turns: 7, own: [1] },
      enabledBy: 'SWITCH',
      hooks: { pre: ['a b'], post: [] },
    };
    expect(pipeline).toMatchObject({
      name: 'whole',
      costLimitUsd: 2.5,
      resultMappings: {
        OTHER: { status: 'partial', exitCode: 4, defaultJump: 'one' },
        FAIL: { status: 'failure', exitCode: 10, defaultJump: 'next' },
      },
      steps: [
        {
          ...taken,
          onResult: {
            FIX: {
              kind: 'inline',
              step: {
                ...taken,
                id: 'fix',
                onResult: {
                  PASS: { kind: 'jump', to: 'one' },
                  FIX: { kind: 'inline', step: { ...taken, id: 'inline' } },
                },
              },
            },
          },
        },
      ],
    });
  });

  it('shows the right form of a handler that is a bare string', () => {
    expect(problemsOf({ steps: [step('one', { on_result: { FIX: 'prev' } })] })).toEqual([
      'p.json:1: steps[0].on_result.FIX: a bare "prev" is no handler; write {"jump": "prev"}',
    ]);
  });

  it.each<[string, object, string]>([
    [
      'an unknown target',
      { on_result: { FIX: { jump: 'tow' } } },
      'no step "tow"; did you mean "two"?',
    ],
    [
      'an unknown on_max',
      { on_max: 'nowhere' },
      'steps[0].on_max: there is no step "nowhere"; targets',
    ],
    [
      'an unknown target of a handler inside a handler',
      {
        on_result: {
          FIX: { agent: 'a.b', on_result: { FIX: { agent: 'a.c', id: 'c', on_max: 'x' } } },
        },
      },
      'steps[0].on_result.FIX.on_result.FIX.on_max: there is no step "x"',
    ],
    [
      'a jump to a handler',
      { on_result: { FIX: { agent: 'a.b', id: 'fix' }, FAIL: { jump: 'fix' } } },
      'an inline handler cannot be jumped to',
    ],
  ])('refuses %s (#60)', (_title, change, message) => {
    const problems = problemsOf({ steps: [step('one', change), step('two')] });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it.each<[string, unknown, string]>([
    [
      'a step id that stands twice',
      [step('a'), step('a')],
      'steps[1].id: the id "a" stands for step 1',
    ],
    ['a step called like a target', [step('next')], '"next" is a jump target'],
    [
      'a handler called like a step',
      [step('a', { on_result: { FIX: step('b') } }), step('b')],
      'steps[0].on_result.FIX.id: the id "b" stands for another',
    ],
    [
      'two handlers of one name',
      [step('a', { on_result: { FIX: step('f') } }), step('b', { on_result: { FIX: step('f') } })],
      'steps[1].on_result.FIX.id: the id "f" stands for another',
    ],
    [
      'two nameless handlers of one step',
      [step('a', { on_result: { FIX: { agent: 'x.y' }, FAIL: { agent: 'x.z' } } })],
      'two handlers of one step without an id',
    ],
    [
      'a nameless handler beside one that has its name',
      [step('a', { on_result: { FIX: { agent: 'x.y' }, FAIL: step('inline') } })],
      'steps[0].on_result.FIX: give it an "id": another is called "inline" already',
    ],
    [
      'a nameless handler beside a step that has its name',
      [step('inline', { on_result: { FIX: { agent: 'x.y' } } })],
      'give it an "id"',
    ],
  ])('refuses %s (#60)', (_title, steps, message) => {
    const problems = problemsOf({ steps });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it.each<[string, unknown, string]>([
    ['no steps', { steps: [] }, 'steps: a pipeline has at least one step'],
    ['steps that are missing', {}, 'steps: is missing; expected a list'],
    ['a list', [], 'p.json:1: expected an object, found a list'],
    ['a step without agent', { steps: [{ id: 'a' }] }, 'steps[0].agent: is missing'],
    ['a step without id', { steps: [{ agent: 'a.b' }] }, 'steps[0].id'],
    ['a bad id', { steps: [step('One')] }, 'steps[0].id: an id has small letters'],
    ['a negative max', { steps: [step('a', { max: -1 })] }, 'steps[0].max: expected 0'],
    ['half a visit', { steps: [step('a', { max: 1.5 })] }, 'steps[0].max: expected a whole number'],
    [
      'a bad switch',
      { steps: [step('a', { enabled_by: 'A B' })] },
      'name of an environment variable',
    ],
    [
      'a hook without words',
      { steps: [step('a', { hooks: { pre: [' '] } })] },
      'steps[0].hooks.pre[0]: must not be empty',
    ],
    [
      'a hook of another time',
      { steps: [step('a', { hooks: { prae: [] } })] },
      'steps[0].hooks.prae: there is no such key; did you mean "pre"?',
    ],
    [
      'a hook of no time',
      { steps: [step('a', { hooks: { mid: [] } })] },
      'steps[0].hooks.mid: there is no such key; there are pre, post',
    ],
    [
      'a time that is too short',
      { steps: [step('a', { timeout_seconds: 0 })] },
      'steps[0].timeout_seconds: expected a whole number from 1 to 86400, found 0',
    ],
    [
      'a cost below nothing',
      { cost_limit: -1, steps: [step('a')] },
      'cost_limit: expected an amount in dollars, 0 or more, found -1',
    ],
    [
      'a mapping of no status',
      { result_mappings: { FIX: { status: 'good' } }, steps: [step('a')] },
      'result_mappings.FIX.status: expected one of "success", "failure"',
    ],
    [
      'a mapping of no exit code',
      { result_mappings: { FIX: { exit_code: 256 } }, steps: [step('a')] },
      'result_mappings.FIX.exit_code: expected 255 or less',
    ],
    [
      'a NUL in a name',
      { name: 'a\u0000b', steps: [step('a')] },
      'name: expected one line without control characters',
    ],
    ['a wrong boolean', { steps: [step('a', { readonly: 'yes' })] }, 'steps[0].readonly'],
    [
      'a result in small letters',
      { steps: [step('a', { on_result: { fix: { jump: 'self' } } })] },
      'steps[0].on_result.fix: a result name has 3 to 10 capital letters',
    ],
    [
      'a handler of no form',
      { steps: [step('a', { on_result: { FIX: { to: 'b' } } })] },
      'expected {"jump": "…"} or an inline agent',
    ],
    [
      'a handler of both forms',
      { steps: [step('a', { on_result: { FIX: { jump: 'self', agent: 'x.y' } } })] },
      'steps[0].on_result.FIX: either a jump or an agent, not both',
    ],
    ['a misspelt key', { steps: [step('a', { on_results: {} })] }, 'did you mean "on_result"?'],
    ['a misspelt key at the top', { step: [], steps: [step('a')] }, 'did you mean "steps"?'],
    [
      'a limit out of range',
      { steps: [step('a', { config: { max_turns: 201 } })] },
      'steps[0].config.max_turns: expected a whole number from 1 to 200, found 201',
    ],
    [
      'half a mapping of an own result',
      { result_mappings: { OWN: { status: 'success' } }, steps: [step('a')] },
      "result_mappings.OWN: a result of one's own needs all of status, exit_code, default_jump",
    ],
    [
      'a mapping to nowhere',
      { result_mappings: { FIX: { default_jump: 'x' } }, steps: [step('a')] },
      'result_mappings.FIX.default_jump: there is no step "x"',
    ],
  ])('refuses %s', (_title, value, message) => {
    const problems = problemsOf(value);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('names each target once (#60)', () => {
    const [problem] = problemsOf({ steps: [step('a', { on_max: 'nowhere' }), step('a')] });
    expect(problem).toContain('; targets are self, prev, next, abort, a');
    expect(problem).not.toContain('a, a');
  });

  it('lists every error at once, with its line (#60)', () => {
    const text = [
      '{',
      '\t"name": "broken",',
      '\t"steps": [',
      '\t\t{"id": "one", "agent": "test.agent", "max": -1,',
      '\t\t "on_result": {"FIX": "prev",',
      '\t\t               "FAIL": {"agent": "test.fix", "on_result": {"PASS": {"jump": "tow"}}}}},',
      '\t\t{"id": "one", "agnt": "test.agent"}',
      '\t]',
      '}',
    ].join('\n');
    const problems = parsePipeline(text, 'p.json').problems.map(describeProblem);
    expect(problems.map((problem) => problem.split(': ').slice(0, 2).join(' '))).toEqual([
      'p.json:4 steps[0].max',
      'p.json:5 steps[0].on_result.FIX',
      'p.json:7 steps[1].agent',
      'p.json:7 steps[1].agnt',
      'p.json:6 steps[0].on_result.FAIL.on_result.PASS.jump',
      'p.json:7 steps[1].id',
    ]);
  });

  it.each([
    ['an empty file', ' \n', 'p.json: the file is empty'],
    ['text that is no JSON', '{\n"a": 1,\n}', 'p.json:3: this is not JSON'],
    ['a word cut off', '{\n"a": tru}', 'this is not JSON'],
    [
      'a key given twice',
      '{"steps": [{"id": "a", "agent": "x.y", "max": 1,\n"max": 2}]}',
      'p.json:2: the same key stands twice',
    ],
  ])('names %s (#210)', (_title, text, message) => {
    const { pipeline, problems } = parsePipeline(text, 'p.json');
    expect(pipeline).toBeUndefined();
    expect(problems.map(describeProblem)).toEqual([expect.stringContaining(message)]);
  });

  it('takes targets without the blanks around them (#46)', () => {
    const { pipeline } = parse({
      result_mappings: { FIX: { default_jump: ' a ' } },
      steps: [step('a', { on_max: ' next', on_result: { FAIL: { jump: 'a ' } } })],
    });
    expect(pipeline).toMatchObject({
      resultMappings: { FIX: { defaultJump: 'a' } },
      steps: [{ onMax: 'next', onResult: { FAIL: { to: 'a' } } }],
    });
  });

  it('leaves handlers of different steps nameless, as the original does (#60)', () => {
    const nameless = { on_result: { FIX: { agent: 'x.y' } } };
    expect(problemsOf({ steps: [step('a', nameless), step('b', nameless)] })).toEqual([]);
  });

  it('names the hooks of steps and handlers by their first word (#58)', () => {
    const { hooks } = parse({
      steps: [
        step('a', {
          hooks: { pre: ['lint --fix'], post: ['tell'] },
          on_result: { FIX: { agent: 'x.y', hooks: { post: [' tidy\tup '] } } },
        }),
      ],
    });
    expect(hooks.map(({ name, problem }) => `${name} ${problem('').field}`)).toEqual([
      'lint steps[0].hooks.pre[0]',
      'tell steps[0].hooks.post[0]',
      'tidy steps[0].on_result.FIX.hooks.post[0]',
    ]);
  });

  it('names the agents of a file that is wrong otherwise (#60)', () => {
    const { agents } = parse({
      steps: [{ agent: 'a.b', on_result: { FIX: { agent: 'c.d', max: 'x' } } }],
    });
    expect(
      agents.map(({ type, problem }) => describeProblem({ ...problem('here'), file: type })),
    ).toEqual(['a.b:1: steps[0].agent: here', 'c.d:1: steps[0].on_result.FIX.agent: here']);
  });
});
