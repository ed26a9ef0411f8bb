import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../config/agent-definition.ts';
import { parseAgent } from '../../config/agent-file.ts';
import { PROMPT_VARIABLES } from '../../config/prompt-variables.ts';

const HEAD = [
  'type: engineering.code-review',
  'description: Reviews code',
  'required_paths: [workspace]',
  'valid_results: [PASS, FAIL]',
  'mode: once',
];
const BODY = [
  '<WIGGUM_SYSTEM_PROMPT>',
  'You review.',
  '</WIGGUM_SYSTEM_PROMPT>',
  '',
  '<WIGGUM_USER_PROMPT>',
  '',
  'Review {{workspace}}.',
  '  Indented.',
  '',
  '</WIGGUM_USER_PROMPT>',
];

/** An agent file; a field of the same name replaces the usual one, `undefined` leaves it out. */
function anAgent(fields: Record<string, string | undefined> = {}, body = BODY): string {
  const usual = HEAD.filter((line) => !Object.hasOwn(fields, line.split(':')[0] ?? ''));
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return ['---', ...usual, ...given, '---', ...body, ''].join('\n');
}

const problemsOf = (text: string) => parseAgent(text, 'a.md').problems.map(describeProblem);

describe('parseAgent', () => {
  it('fills in what the required fields leave open (#199)', () => {
    expect(parseAgent(anAgent(), 'a.md')).toEqual({
      definition: {
        type: 'engineering.code-review',
        description: 'Reviews code',
        requiredPaths: ['workspace'],
        validResults: ['PASS', 'FAIL'],
        mode: 'once',
        readonly: false,
        reportTag: 'report',
        resultTag: 'result',
        completionCheck: { kind: 'result-tag' },
        supervisorInterval: 0,
        outputs: [],
        systemPrompt: 'You review.',
        userPrompt: 'Review {{workspace}}.\n  Indented.',
        settings: { resultMappings: {} },
        source: 'a.md',
      },
      problems: [],
      notices: [],
    });
  });

  it('takes every field as it is given (#199)', () => {
    const text = anAgent(
      {
        mode: 'ralph_loop',
        readonly: 'true',
        report_tag: 'findings',
        result_tag: 'verdict',
        output_path: '{{ralph_dir}}/out/{{task_id}}.md',
        completion_check: 'file_exists:{{output_path}}',
        session_from: 'parent',
        supervisor_interval: '2',
        plan_file: 'plans/{{task_id}}.md',
        outputs: '[session_id, report_file]',
      },
      [...BODY, '<WIGGUM_CONTINUATION_PROMPT>', 'Go on.', '</WIGGUM_CONTINUATION_PROMPT>'],
    );
    expect(parseAgent(text, 'a.md').definition).toMatchObject({
      mode: 'ralph_loop',
      readonly: true,
      reportTag: 'findings',
      resultTag: 'verdict',
      outputPath: '{{ralph_dir}}/out/{{task_id}}.md',
      completionCheck: { kind: 'file-exists', path: '{{output_path}}' },
      sessionFrom: 'parent',
      supervisorInterval: 2,
      planFile: 'plans/{{task_id}}.md',
      outputs: ['session_id', 'report_file'],
      continuationPrompt: 'Go on.',
    });
  });

  it('reads a status file as completion check (#89)', () => {
    const text = anAgent({ completion_check: 'status_file:{{worker_dir}}/prd.md' });
    expect(parseAgent(text, 'a.md').definition?.completionCheck).toEqual({
      kind: 'status-file',
      path: '{{worker_dir}}/prd.md',
    });
  });

  it.each(['exit_code', 'status_file', "'file_exists: '", 'result_tag:x', 'RESULT_TAG'])(
    'refuses the completion check %s (#89)',
    (check) => {
      expect(problemsOf(anAgent({ completion_check: check }))).toEqual([
        expect.stringContaining('expected result_tag, status_file:PATH or file_exists:PATH'),
      ]);
    },
  );

  it.each<[string, Record<string, string | undefined>, string]>([
    ['a missing type', { type: undefined }, 'a.md: type: is missing'],
    ['an empty type', { type: "''" }, 'a.md:6: type: must not be empty'],
    ['a type without category', { type: 'review' }, 'expected category.name'],
    ['a type in capitals', { type: 'Engineering.Review' }, 'expected category.name'],
    ['a missing description', { description: undefined }, 'description: is missing'],
    ['an empty description', { description: '' }, 'description: is missing'],
    ['missing paths', { required_paths: undefined }, 'required_paths: is missing'],
    ['an empty list of paths', { required_paths: '[]' }, 'required_paths: must not be empty'],
    ['an absolute path', { required_paths: '[/etc]' }, '"/etc" must lie inside the worker'],
    ['a type with a digit', { type: 'team.check-2' }, 'small letters and hyphens (no digits)'],
    ['an output that leaves', { output_path: '../x.md' }, '"../x.md" must not leave its folder'],
    [
      'a plan that leaves a variable',
      { plan_file: '"{{ralph_dir}}/../plan.md"' },
      'must not leave its folder',
    ],
    ['a path that leaves', { required_paths: '[a/../../b]' }, 'must lie inside the worker'],
    ['missing results', { valid_results: undefined }, 'valid_results: is missing'],
    ['an empty list of results', { valid_results: '[]' }, 'valid_results: must not be empty'],
    ['results that are no list', { valid_results: 'PASS' }, 'expected a list of results like'],
    ['a result in small letters', { valid_results: '[pass]' }, '"pass" is no result name'],
    ['UNKNOWN as a result', { valid_results: '[UNKNOWN]' }, 'UNKNOWN means'],
    ['a missing mode', { mode: undefined }, 'mode: is missing; expected one of ralph_loop, once'],
    ['an unknown mode', { mode: 'twice' }, 'mode: expected one of ralph_loop, once, live, resume'],
    ['resume without a session', { mode: 'resume' }, 'mode resume needs `session_from: parent`'],
    [
      'another session',
      { mode: 'resume', session_from: 'child' },
      'expected parent, found "child"',
    ],
    ['a wrong boolean', { readonly: 'maybe' }, 'readonly: expected true or false, found "maybe"'],
    ['an interval out of range', { supervisor_interval: '21' }, 'expected 0 to 20'],
    ['one tag for two things', { report_tag: 'result' }, 'need tags of different names'],
    ['a tag with blanks', { result_tag: '"my result"' }, 'a tag name has letters'],
    ['an unknown check', { completion_check: 'status_fil:x' }, 'did you mean "status_file"?'],
    [
      'a check without path',
      { completion_check: "'file_exists:'" },
      'expected result_tag, status_',
    ],
    ['a field that is misspelt', { read_only: 'true' }, 'no such field; did you mean "readonly"?'],
    [
      'an unknown variable in a path',
      { output_path: '"{{workdir}}/x"' },
      'no variable {{workdir}}',
    ],
    [
      'an output path that is not set',
      { completion_check: 'file_exists:{{output_path}}' },
      '`output_path` is not set',
    ],
  ])('refuses %s, with file and field (#67)', (_title, fields, message) => {
    const problems = problemsOf(anAgent(fields));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('lists all faults at once (#67)', () => {
    const text = anAgent({ type: undefined, mode: 'twice', redonly: 'true' }, [
      '<WIGGUM_USER_PROMPT>',
      'See {{wokspace}}.',
      '<WIGGUM_IF_SUPERVISOR>',
      '</WIGGUM_USER_PROMPT>',
    ]);
    expect(problemsOf(text)).toEqual([
      'a.md: type: is missing; expected a type like engineering.code-review',
      expect.stringContaining('a.md:5: mode: expected one of'),
      'a.md:6: redonly: there is no such field; did you mean "readonly"?',
      expect.stringContaining('a.md: WIGGUM_SYSTEM_PROMPT: is missing or empty'),
      'a.md:9: there is no variable {{wokspace}}; did you mean {{workspace}}?',
      'a.md:10: <WIGGUM_IF_SUPERVISOR> is never closed by </WIGGUM_IF_SUPERVISOR>',
    ]);
  });

  it('tells a type that its place contradicts beside other faults (#67)', () => {
    const text = anAgent({ readonly: 'perhaps' });
    const { problems, definition } = parseAgent(text, 'a.md', 'engineering.other');
    expect(definition).toBeUndefined();
    expect(problems.map(describeProblem)).toEqual([
      'a.md:7: readonly: expected true or false, found "perhaps"',
      'a.md:2: type: is "engineering.code-review", and the file\'s place makes it engineering.other',
    ]);
    expect(parseAgent(anAgent(), 'a.md', 'engineering.code-review').problems).toEqual([]);
  });

  it('tells the other faults of a file in which a field stands twice (#67)', () => {
    expect(problemsOf(anAgent({ redonly: 'true' }).replace('mode: once', '$&\n$&'))).toEqual([
      'a.md:7: the same field stands twice; only one can count',
      'a.md:8: redonly: there is no such field; did you mean "readonly"?',
    ]);
  });

  it('tells the faults of prompts whose head cannot be read (#67)', () => {
    const body = ['<WIGGUM_USER_PROMPT>', 'See {{wokspace}}.', '</WIGGUM_USER_PROMPT>'];
    expect(problemsOf(anAgent({ outputs: '"a' }, body))).toEqual([
      expect.stringContaining('a.md:7: '),
      'a.md:10: there is no variable {{wokspace}}; did you mean {{workspace}}?',
    ]);
  });

  it('names a file without front matter (#67)', () => {
    expect(problemsOf('You review.\n')).toEqual([
      expect.stringContaining('a.md:1: there is no front matter'),
    ]);
  });
});

describe('prompt sections', () => {
  const user = (...lines: string[]) => ['<WIGGUM_USER_PROMPT>', ...lines, '</WIGGUM_USER_PROMPT>'];
  const system = ['<WIGGUM_SYSTEM_PROMPT>', 'Role.', '</WIGGUM_SYSTEM_PROMPT>'];
  const withUser = (...lines: string[]) => problemsOf(anAgent({}, [...system, ...user(...lines)]));

  it('need a user prompt always, a system prompt except in mode resume (#67)', () => {
    expect(problemsOf(anAgent({}, system))).toEqual([
      expect.stringContaining('WIGGUM_USER_PROMPT: is missing'),
    ]);
    expect(problemsOf(anAgent({}, [...system, ...user('', ' ')]))).toHaveLength(1);
    const resume = { mode: 'resume', session_from: 'parent' };
    expect(problemsOf(anAgent(resume, user('Sum up.')))).toEqual([]);
  });

  it.each<[string, string[], string]>([
    ['never closed', ['<WIGGUM_USER_PROMPT>', 'x'], 'a.md:11: <WIGGUM_USER_PROMPT> is never'],
    ['closed without opening', [...user('x'), '</WIGGUM_USER_PROMPT>'], 'closes nothing'],
    ['there twice', [...user('x'), ...user('y')], 'a.md:14: <WIGGUM_USER_PROMPT> stands here a'],
    ['misspelt', [...user('x'), '<WIGGUM_USER_PROMT>'], 'did you mean "WIGGUM_USER_PROMPT"?'],
  ])('name a section that is %s (#67)', (_title, lines, message) => {
    expect(problemsOf(anAgent({}, [...system, ...lines])).join('\n')).toContain(message);
  });

  it.each<[string, string[], string]>([
    ['that is never closed', ['<WIGGUM_IF_ITERATION_ZERO>'], 'is never closed'],
    ['that closes nothing', ['</WIGGUM_IF_SUPERVISOR>'], '</WIGGUM_IF_SUPERVISOR> closes nothing'],
    ['of an unknown name', ['<WIGGUM_IF_ITERATION_ONE>'], 'no tag <WIGGUM_IF_ITERATION_ONE>'],
    ['without a path', ['<WIGGUM_IF_FILE_EXISTS:>', '</WIGGUM_IF_FILE_EXISTS>'], 'names no path'],
    [
      'that stands crosswise',
      ['<WIGGUM_IF_SUPERVISOR>', '<WIGGUM_IF_ITERATION_ZERO>', '</WIGGUM_IF_SUPERVISOR>'],
      'a.md:13: <WIGGUM_IF_ITERATION_ZERO> is never closed',
    ],
  ])('refuse a condition %s (#70)', (_title, lines, message) => {
    expect(withUser(...lines).join('\n')).toContain(message);
  });

  it('accept nested and repeated conditions (#70)', () => {
    const problems = withUser(
      '<WIGGUM_IF_ITERATION_ZERO>',
      '<WIGGUM_IF_FILE_EXISTS:{{worker_dir}}/a.md>a</WIGGUM_IF_FILE_EXISTS>',
      '<WIGGUM_IF_FILE_EXISTS:{{worker_dir}}/b.md>b</WIGGUM_IF_FILE_EXISTS>',
      '</WIGGUM_IF_ITERATION_ZERO>',
    );
    expect(problems).toEqual([]);
  });

  it('accept the 25 variables and no other (#69)', () => {
    expect(PROMPT_VARIABLES).toHaveLength(25);
    expect(withUser(...PROMPT_VARIABLES.map((name) => `{{${name}}}`))).toEqual([]);
    expect(withUser('{{parent.sesion_id}}')[0]).toContain('did you mean {{parent.session_id}}?');
    expect(withUser('{{ workspace }}')[0]).toContain('is written {{workspace}}, without blanks');
  });

  it('leave templates of other programs alone (#69)', () => {
    expect(withUser('${{ secrets.TOKEN }} and {{ user.name }} and {{}}')).toEqual([]);
  });
});

describe('notices', () => {
  const noticesOf = (text: string) => parseAgent(text, 'a.md').notices.map(describeProblem);

  it('name a field that has no effect', () => {
    expect(noticesOf(anAgent({ workspace_override: 'project_dir' }))).toEqual([
      'a.md:7: workspace_override: has no effect: agents work in their workspace',
    ]);
  });

  it.each(['once', 'live'])('name a supervisor that mode %s never asks', (mode) => {
    expect(noticesOf(anAgent({ mode, supervisor_interval: '2' }))).toEqual([
      'a.md:7: supervisor_interval: has no effect: a supervisor looks at a ralph_loop only',
    ]);
    expect(noticesOf(anAgent({ mode, supervisor_interval: '0' }))).toEqual([]);
    expect(noticesOf(anAgent({ mode: 'ralph_loop', supervisor_interval: '2' }))).toEqual([]);
  });

  it('name a session that is never taken up', () => {
    expect(noticesOf(anAgent({ session_from: 'parent' }))).toEqual([
      'a.md:7: session_from: has no effect: only mode resume takes up a session',
    ]);
    expect(noticesOf(anAgent({ mode: 'resume', session_from: 'parent' }))).toEqual([]);
  });

  it('name outputs that could not become variables', () => {
    expect(noticesOf(anAgent({ outputs: '[plan_file, my-key, 2nd]' }))).toEqual([
      expect.stringContaining('a.md:7: outputs: "my-key" is never handed on'),
      expect.stringContaining('a.md:7: outputs: "2nd" is never handed on'),
    ]);
  });

  it('name a continuation that is never used (#71)', () => {
    const body = [...BODY, '<WIGGUM_CONTINUATION_PROMPT>', 'x', '</WIGGUM_CONTINUATION_PROMPT>'];
    expect(noticesOf(anAgent({}, body))).toEqual([expect.stringContaining('mode ralph_loop only')]);
  });
});
