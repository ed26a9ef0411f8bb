import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AgentView } from '../../../client/inspect/agent-view.ts';
import type { PipelineView } from '../../../client/inspect/pipeline-view.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { jsonOf, wiggumLine, type Answer } from '../../helpers/run-line.ts';
import { withRepository } from '../../helpers/with-repository.ts';

const AGENT = `---
type: own.builder
description: Builds it
required_paths: [workspace]
valid_results: [PASS, FAIL]
mode: once
readonly: true
---
<WIGGUM_SYSTEM_PROMPT>
You build in {{workspace}}.
</WIGGUM_SYSTEM_PROMPT>
<WIGGUM_USER_PROMPT>
Build {{task_id}}. End with <result>PASS</result> or <result>FAIL</result>.
</WIGGUM_USER_PROMPT>
`;
const pipeline = (name: string, step: object = {}) =>
  JSON.stringify({ name, steps: [{ id: 'build', agent: 'own.builder', ...step }] });

async function inspect(
  words: string[],
  {
    files = {},
    environment = {},
  }: { files?: Record<string, string>; environment?: Record<string, string> } = {},
): Promise<Answer & { dir: string }> {
  let answer: (Answer & { dir: string }) | undefined;
  await withRepository(async ({ dir, write }) => {
    await write({
      '.ralph/kanban.md': aBoard().withTask('AB-1').withTask('XY-2').text(),
      '.ralph/agents/own/builder.md': AGENT,
      ...files,
    });
    const told = await wiggumLine(['inspect', ...words], { cwd: dir, environment });
    answer = { ...told, dir };
  });
  if (!answer) throw new Error('nothing was answered');
  return answer;
}

describe('inspect pipeline', () => {
  const all = {
    '.ralph/pipelines/named.json': pipeline('the named one'),
    '.ralph/pipelines/AB-1.json': pipeline('of the task'),
    '.ralph/pipeline.json': pipeline('of the project'),
  };

  it.each([
    ['named', ['named', '--task', 'ab-1'], {}, 'the named one', 'named.json', 'name'],
    [
      'variable',
      [],
      { WIGGUM_PIPELINE: 'named' },
      'the named one',
      'named.json',
      'WIGGUM_PIPELINE',
    ],
    ['task', ['--task', 'ab-1'], {}, 'of the task', 'AB-1.json', 'task'],
    ['other task', ['--task', 'xy'], {}, 'of the project', 'pipeline.json', 'project'],
    ['project', [], {}, 'of the project', 'pipeline.json', 'project'],
  ])('takes the one that a run would take, and says which: %s (#4)', async (...row) => {
    const [, words, environment, name, file, chosenBy] = row;
    const answer = await inspect(['pipeline', ...words, '--json'], { files: all, environment });
    const view = jsonOf<PipelineView>(answer);
    expect(view).toMatchObject({ name, chosenBy });
    expect(path.basename(view.file)).toBe(file);
  });

  it('draws the shipped default where a project has none', async () => {
    const { code, stdout } = await inspect(['pipeline']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^default: 7 steps, from shipped config\/pipelines\/default\.json\n/);
    expect(stdout).toMatch(/^│ └─+ PASS +↑ 5 test$/m);
    expect(stdout).toMatch(/^└─+ FIX +↑ 2 execution$/m);
  });

  it('tells the limits in force per step with their source as JSON (#4, #98)', async () => {
    const answer = await inspect(['pipeline', '--json'], {
      files: {
        '.ralph/pipeline.json': pipeline('p', { config: { max_turns: 7 } }),
        '.ralph/config.json': JSON.stringify({ agents: { 'own.builder': { max_restarts: 1 } } }),
      },
      environment: { WIGGUM_BUILDER_TIMEOUT_SECONDS: '90' },
    });
    const [step] = jsonOf<PipelineView>(answer).steps;
    expect(step).toMatchObject({
      path: ['build'],
      agent: 'own.builder',
      mode: 'once',
      readonly: true,
    });
    expect(step?.limits).toMatchObject({
      max_turns: { value: 7, key: 'step build: config.max_turns' },
      timeout_seconds: { value: 90, source: 'environment', key: 'WIGGUM_BUILDER_TIMEOUT_SECONDS' },
      max_restarts: { value: 1, key: 'agents.own.builder.max_restarts' },
      auto_commit: { value: false, source: 'built in' },
    });
    expect(path.basename(step?.limits.max_turns.source ?? '')).toBe('pipeline.json');
  });

  it('knows that a step is on by the setting plan_mode', async () => {
    const answer = await inspect(['pipeline'], {
      files: { '.ralph/config.json': '{"plan_mode":true}' },
    });
    expect(answer.stdout).toContain('only with WIGGUM_PLAN_MODE (now on)');
  });

  it('prints a flowchart with --mermaid (#4)', async () => {
    const { stdout } = await inspect(['pipeline', '--mermaid'], { files: all });
    expect(stdout).toMatch(/^flowchart TD\n {2}begin\(\["of the project"\]\)\n/);
  });

  it('prints everything that is wrong with a pipeline, with its place, and exits 3', async () => {
    const files = {
      '.ralph/pipeline.json': pipeline('p', { on_max: 'nowhere', max: -1, agent: 'own.bilder' }),
    };
    const { code, stdout } = await inspect(['pipeline'], { files });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^\.ralph\/pipeline\.json:1: steps\[0\]\.max: expected 0/m);
    expect(stdout).toMatch(/there is no step "nowhere"/);
    expect(stdout).toMatch(/there is no agent "own\.bilder"; did you mean "own\.builder"\?/);
    const json = await inspect(['pipeline', '--json'], { files });
    expect(json.code).toBe(3);
    expect(jsonOf<{ problems: object[] }>(json).problems).toHaveLength(3);
  });

  it('names the pipelines that there are when it is asked for another', async () => {
    const { code, stderr } = await inspect(['pipeline', 'defalt']);
    expect(code).toBe(3);
    expect(stderr).toContain('there is no pipeline "defalt"; did you mean "default"?');
  });
});

describe('inspect agents', () => {
  const files = {
    '.ralph/agents/engineering/code-review.md': AGENT.replace(
      'own.builder',
      'engineering.code-review',
    ),
    '.ralph/agents/own/broken.md': '---\ntype: own.broken\n---\n',
  };

  it('lists all that could be named: mode, results, limits with source, file, what it replaces (#4)', async () => {
    const { code, stdout } = await inspect(['agents'], {
      files,
      environment: { WIGGUM_CODE_REVIEW_MAX_TURNS: '9' },
    });
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith('engineering.code-review '));
    expect(lines.slice(at, at + 5)).toEqual([
      'engineering.code-review            once        readonly  PASS FAIL',
      '    9 turns · 30m (WIGGUM_CODE_REVIEW_MAX_TURNS; timeout_seconds: shipped',
      '    config/agents.json)',
      '    .ralph/agents/engineering/code-review.md',
      '    instead of shipped config/agents/engineering/code-review.md',
    ]);
    expect(stdout).toMatch(/^workflow\.pr-merge +built-in +PASS FAIL$/m);
    expect(stdout).toMatch(/^own\.broken +has faults\n {4}\.ralph\/agents\/own\/broken\.md: /m);
    const wide = lines.filter((line) => line.length > 80 && !line.includes('broken'));
    expect(wide).toEqual([]);
  });

  it('gives programs the same (#4)', async () => {
    const { agents } = jsonOf<{ agents: AgentView[] }>(
      await inspect(['agents', '--json'], { files }),
    );
    const find = (type: string) => agents.find((agent) => agent.type === type);
    expect(find('own.builder')).toMatchObject({
      origin: 'project',
      overrides: [],
      definition: { mode: 'once', readonly: true, validResults: ['PASS', 'FAIL'] },
      limits: {
        max_turns: { value: expect.any(Number), source: expect.any(String) },
      },
      variables: ['workspace', 'task_id'],
    });
    expect(find('engineering.code-review')?.overrides).toHaveLength(1);
    expect(find('engineering.test-runner')).toMatchObject({ origin: 'shipped' });
    expect(find('workflow.pr-merge')).toMatchObject({ origin: 'built in', file: 'built in' });
    expect(find('own.broken')?.problems.length).toBeGreaterThan(2);
  });

  it('tells everything about one, its prompts in full', async () => {
    const { code, stdout } = await inspect(['agents', 'own.builder']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^own\.builder: Builds it$/m);
    expect(stdout).toMatch(/^ {2}variables {2}workspace, task_id$/m);
    expect(stdout).toMatch(/^ {2}max_restarts +2 \(built in\)$/m);
    expect(stdout).toMatch(
      /^── system prompt\n\nYou build in \{\{workspace\}\}\.\n\n── user prompt\n\nBuild/m,
    );
  });

  it('finds one by its old name, refuses an unknown one, lists the faults of a broken one', async () => {
    expect((await inspect(['agents', 'system.task-executor'])).stdout).toMatch(
      /^engineering\.software-engineer:/,
    );
    const unknown = await inspect(['agents', 'own.bilder']);
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      expect.stringContaining('did you mean "own.builder"'),
    ]);
    const broken = await inspect(['agents', 'own.broken'], { files });
    expect([broken.code, broken.stdout]).toEqual([
      3,
      expect.stringContaining('broken.md: description: is missing'),
    ]);
  });
});

describe('inspect', () => {
  it.each([
    [['worker'], 'needs the id of a task'],
    [['path', 'AB-1'], 'needs a kind: result, report'],
    [['path', 'AB-1', 'reslt'], 'did you mean result?'],
    [['path', 'AB-1', 'prd', 'build'], 'one prd'],
    [['agents', '--mermaid'], 'belong to inspect pipeline'],
    [['pipeline', 'default', 'more'], 'takes one name'],
    [['worker', 'QQ'], 'No task matches "QQ"'],
  ])('says what is wrong with the line: %j', async (words, message) => {
    const { code, stderr } = await inspect(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
