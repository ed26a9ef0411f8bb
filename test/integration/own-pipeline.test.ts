import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { sessionsOf, workerOf } from '../helpers/sessions.ts';
import { task, withWorld } from '../helpers/with-world.ts';

const agent = (type: string, fields: string, prompt: string, system = 'You work on {{task_id}}.') =>
  [
    '---',
    `type: ${type}`,
    'description: An agent of this project',
    'required_paths: [workspace]',
    fields,
    '---',
    '<WIGGUM_SYSTEM_PROMPT>',
    system,
    '</WIGGUM_SYSTEM_PROMPT>',
    '<WIGGUM_USER_PROMPT>',
    prompt,
    '</WIGGUM_USER_PROMPT>',
    '',
  ].join('\n');

const AGENTS = {
  '.ralph/agents/own/planner.md': agent(
    'own.planner',
    'valid_results: [PASS]\nmode: once\nreadonly: true\noutputs: [report_file, answer]',
    'Plan, then {{next.step_id}} comes.',
  ),
  '.ralph/agents/own/builder.md': agent(
    'own.builder',
    'valid_results: [PASS, FAIL]\nmode: once',
    'After {{parent.step_id}} ({{parent.result}}): {{parent.report}}',
  ),
  '.ralph/agents/own/expert.md': agent(
    'own.expert',
    'valid_results: [PASS, FIX]\nmode: live\nreadonly: true',
    'Question {{task_id}}',
  ),
  '.ralph/agents/own/looker.md': agent(
    'own.looker',
    'valid_results: [PASS, SPLIT]\nmode: once',
    'Look at {{parent.step_id}}',
  ),
};

const PIPELINE = {
  name: 'own',
  result_mappings: { SPLIT: { status: 'partial', exit_code: 0, default_jump: 'next' } },
  steps: [
    { id: 'think', agent: 'own.planner', enabled_by: 'WIGGUM_PLAN_MODE' },
    {
      id: 'build',
      agent: 'own.builder',
      max: 2,
      commit_after: true,
      hooks: { pre: ['note before'], post: ['note after', 'broken'] },
    },
    {
      id: 'ask',
      agent: 'own.expert',
      max: 3,
      on_result: {
        FIX: {
          id: 'ask-fix',
          agent: 'own.looker',
          max: 2,
          readonly: true,
          on_result: {
            SPLIT: { id: 'ask-fix-deeper', agent: 'own.builder', max: 1, commit_after: true },
          },
        },
      },
    },
  ],
};

const SCRIPT = `tasks:
  AB-1:
    think:
      - - write: { path: '{{worker_dir}}/output/own.planner/outputs.json', content: '{"answer": "42", "secret": "not declared"}' }
        - write: { path: stray.txt, content: "must vanish\\n" }
        - report: The plan.
    build:
      - - run: 'env | grep -E "^(WIGGUM_|RALPH_|PIPELINE_|GIT_|AGENT_CONFIG_)" | sort > {{worker_dir}}/output/build.env'
        - write: { path: built.txt, content: "built\\n" }
        - tick_prd: all
    ask:
      - - result: FIX
      - - result: PASS
    ask-fix:
      - - write: { path: looked.txt, content: "must vanish\\n" }
        - result: SPLIT
      - - result: PASS
    ask-fix-deeper:
      - - append: { path: built.txt, content: "mended\\n" }
  AB-2:
    build:
      - - cost: 1
        - write: { path: dear.txt, content: dear }
        - tick_prd: all
    ask:
      - - result: FIX
    ask-fix:
      - - cost: 3
`;

it('runs agents and pipelines of a project: hooks, outputs, live sessions, nested handlers (#53, #56, #58, #59, #74, #78, #194)', async () => {
  const board = task('AB-1', 'Build') + task('AB-2', 'Cost too much');
  const plan = {
    board,
    script: SCRIPT,
    pipeline: PIPELINE,
    config: {
      hooks: {
        commands: {
          note: ['sh', '-c', 'echo "$0 $PIPELINE_STEP_ID" >> "$PIPELINE_WORKER_DIR/hooks.txt"'],
          broken: ['false'],
        },
      },
    },
    settings: { environment: { WIGGUM_PLAN_MODE: 'true' } },
  };
  await withWorld(plan, async (world) => {
    await world.repository.write({
      ...AGENTS,
      '.ralph/pipelines/AB-2.json': JSON.stringify({ ...PIPELINE, name: 'dear', cost_limit: 2 }),
    });
    const view = await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': '*' });
    const road = view.tasks[0]?.steps?.map(({ step, result }) => `${step} ${result}`);
    expect(road).toEqual([
      ...['think PASS', 'build PASS', 'ask FIX', 'ask-fix SPLIT', 'ask-fix-deeper PASS'],
      ...['ask-fix PASS', 'ask PASS'],
    ]);
    // Readonly handlers leave no trace; what their own handlers made stays.
    expect(await world.repository.git(['show', 'main:built.txt'])).toBe('built\nmended');
    const files = await world.repository.git(['ls-tree', '--name-only', 'main']);
    expect(files).not.toMatch(/stray|looked/);

    const worker = await workerOf(world, 'AB-1');
    expect(await readFile(path.join(worker, 'hooks.txt'), 'utf8')).toBe(
      'before build\nafter build\n',
    );
    const variables = await readFile(path.join(worker, 'output', 'build.env'), 'utf8');
    expect(variables).toContain('WIGGUM_OUTPUT_ANSWER=42\n');
    expect(variables).toContain('WIGGUM_PARENT_STEP_ID=think\n');
    expect(variables).toContain('WIGGUM_NEXT_STEP_ID=ask\n');
    expect(variables).not.toContain('not declared');

    const asked = (await sessionsOf(world, 'AB-1')).filter(
      ({ agent: type }) => type === 'own.expert',
    );
    expect(asked).toHaveLength(2);
    expect(new Set(asked.map((session) => session.session_id)).size).toBe(1);
    const kept = await readFile(path.join(worker, 'live_sessions', 'ask.session'), 'utf8');
    expect(kept.trim()).toBe(asked[0]?.session_id);

    const dear = await readFile(path.join(await workerOf(world, 'AB-2'), 'failure.md'), 'utf8');
    // The handler's cost counts: its step is not visited again.
    expect(dear).toContain('cost limit: $4.00 spent, $2 allowed by pipeline dear');
  });
});
