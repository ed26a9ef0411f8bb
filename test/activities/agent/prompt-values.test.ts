import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { promptValues } from '../../../activities/agent/prompt-values.ts';
import { renderPrompts } from '../../../activities/agent/prompt.ts';
import { writeResult } from '../../../activities/agent/result-record.ts';
import { PROMPT_VARIABLES, type PromptVariable } from '../../../config/prompt-variables.ts';
import { AGENT_MODES, type AgentTurn } from '../../../workflows/domain/agent.ts';
import { anAgent } from '../../helpers/an-agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const put = async (world: AgentWorld, name: string, text = 'text') => {
  const file = path.resolve(world.place.workerDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};

/** Nobody adds anything, and nothing came before. */
const NOTHING_ELSE = {
  wrappers: { preSystem: '', postSystem: '', preUser: '', postUser: '' },
  finished: [],
  lastCheckpoint: () => Promise.resolve(undefined),
};

/** One line per variable; a value that is no plain text would show. */
const TABLE = PROMPT_VARIABLES.map((name) => `${name}=[{{${name}}}]`).join('\n');

describe('the variables of a prompt', () => {
  it.each(AGENT_MODES)('have their right values in mode %s (#69)', async (mode) => {
    await withAgents(async (world) => {
      const { workerDir, ralphDir, projectDir, workspace } = world.place;
      const report = await put(world, 'reports/1-audit-report.md');
      const plan = await put(world, path.join(ralphDir, 'plans', 'AB-1.md'));
      await put(world, 'context-updates.json', '{"{{task_id}}": 1}');
      const definition = anAgent({
        mode,
        outputPath: 'out/{{task_id}}.md',
        systemPrompt: TABLE,
        userPrompt: `${TABLE}\n<result>`,
        continuationPrompt: TABLE,
      });
      const turn = world.turn({
        iteration: 2,
        nextStepId: 'test',
        readonly: true,
        guidance: 'Look at {{task_id}} again.',
        parent: {
          stepId: 'execution',
          runId: 'execution-1699',
          sessionId: 'sid',
          result: 'FIX',
          report,
          outputDir: '/elsewhere/output',
        },
      });
      const values = await promptValues(definition, turn, {});
      const expected: Record<PromptVariable, unknown> = {
        workspace,
        worker_dir: workerDir,
        project_dir: projectDir,
        ralph_dir: ralphDir,
        task_id: 'AB-1',
        step_id: 'audit',
        run_id: 'audit-1700000100',
        session_id: '11111111-2222-4333-8444-555555555555',
        'parent.step_id': 'execution',
        'parent.run_id': 'execution-1699',
        'parent.session_id': 'sid',
        'parent.result': 'FIX',
        'parent.report': report,
        'parent.output_dir': '/elsewhere/output',
        'next.step_id': 'test',
        iteration: '2',
        prev_iteration: '1',
        output_dir: path.join(workerDir, 'output', 'test.once'),
        supervisor_feedback: 'Look at {{task_id}} again.',
        plan_file: plan,
        output_path: path.join(workerDir, 'out', 'AB-1.md'),
        context_section: expect.stringContaining(`2. ${report}: the report of the step execution`),
        git_restrictions: expect.stringMatching(/^## Look, do not change\n/),
        plan_section: expect.stringContaining(plan),
        context_updates: '{"{{task_id}}": 1}',
      };
      expect(values).toEqual(expected);

      // Each stands in each section that the mode uses, and none is left as it was written.
      const table = PROMPT_VARIABLES.map((name) => `${name}=[${values[name]}]`).join('\n');
      const input = { definition, turn, values, ...NOTHING_ELSE };
      const { system, user } = await renderPrompts({ ...input, session: 'new' });
      expect(system).toBe(table);
      expect(user.split(table)).toEqual(
        mode === 'ralph_loop' ? ['', '\n<result>\n\n', ''] : ['', '\n<result>'],
      );
    });
  });

  it('are empty only where there is nothing to tell (#69)', async () => {
    await withAgents(async (world) => {
      const values = await promptValues(anAgent(), world.turn(), {});
      const empty = PROMPT_VARIABLES.filter((name) => values[name] === '');
      expect(empty).toEqual([
        'parent.step_id',
        'parent.run_id',
        'parent.session_id',
        'parent.result',
        'parent.output_dir',
        'parent.report',
        'next.step_id',
        'supervisor_feedback',
        'git_restrictions',
        'plan_section',
        'output_path',
        'context_updates',
      ]);
      expect([values.iteration, values.prev_iteration]).toEqual(['0', '-1']);
    });
  });

  it('find the output of a parent by its record where nobody says where it is (#69)', async () => {
    await withAgents(async (world) => {
      await writeResult({
        place: world.place,
        epoch: 1699,
        agentType: 'engineering.security-audit',
        stepId: 'audit',
        runId: 'audit-1699',
        result: 'FIX',
        mapping: undefined,
        iterations: 1,
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:00.000Z',
        errors: [],
        outputs: {},
        metadata: {},
      });
      const turn = world.turn({ parent: { stepId: 'audit', runId: 'audit-1699' } });
      expect((await promptValues(anAgent(), turn, {}))['parent.output_dir']).toBe(
        path.join(world.place.workerDir, 'output', 'engineering.security-audit'),
      );
    });
  });

  it('take the plan from the run, the host, the agent, then its usual place (#69)', async () => {
    await withAgents(async (world) => {
      const planned = anAgent({ planFile: 'plans/{{task_id}}.txt' });
      const host = { WIGGUM_PLAN_FILE: '/host.md' };
      const run = world.turn({ environment: { WIGGUM_PLAN_FILE: '/run.md' } });
      const own = path.join(world.place.workerDir, 'plans', 'AB-1.txt');
      expect((await promptValues(planned, run, host)).plan_file).toBe('/run.md');
      expect((await promptValues(planned, world.turn(), host)).plan_file).toBe('/host.md');
      expect((await promptValues(planned, world.turn(), {})).plan_file).toBe(own);
      expect((await promptValues(anAgent(), world.turn(), {})).plan_file).toBe(
        path.join(world.place.ralphDir, 'plans', 'AB-1.md'),
      );
    });
  });
});

describe('the generated sections of a prompt', () => {
  it('list what there is to read, and nothing else (#72)', async () => {
    await withAgents(async (world) => {
      const section = async (changes: Partial<AgentTurn> = {}) =>
        (await promptValues(anAgent(), world.turn(changes), {})).context_section;
      const prd = path.join(world.place.workerDir, 'prd.md');
      expect(await section()).toMatch(new RegExp(`^Read these first:\n\n1\\. ${prd}: [^\n]+$`));

      const summary = await put(world, 'summaries/summary.txt');
      const report = await put(world, 'reports/2-x-report.md');
      const memory = await put(world, path.join(world.place.ralphDir, 'memory', 'INDEX.md'));
      const named = async (changes: Partial<AgentTurn>) =>
        (await section(changes))
          .split('\n')
          .slice(2)
          .map((line) => line.split(':')[0]);
      const parent = { stepId: 'audit', runId: 'audit-1', report };
      expect(await named({ parent })).toEqual([
        `1. ${prd}`,
        `2. ${summary}`,
        `3. ${report}`,
        `4. ${memory}`,
      ]);
      const gone = { ...parent, report: `${report}.gone` };
      expect(await named({ parent: gone })).toEqual([`1. ${prd}`, `2. ${summary}`, `3. ${memory}`]);
    });
  });

  it('speak of a plan only when there is one (#72)', async () => {
    await withAgents(async (world) => {
      expect((await promptValues(anAgent(), world.turn(), {})).plan_section).toBe('');
      const plan = await put(world, path.join(world.place.ralphDir, 'plans', 'AB-1.md'));
      expect((await promptValues(anAgent(), world.turn(), {})).plan_section).toContain(plan);
    });
  });

  it('restrict whoever only reads, be it for the agent or for the step (#72)', async () => {
    await withAgents(async (world) => {
      const restrictions = async (agent: boolean, step: boolean) => {
        const turn = world.turn({ readonly: step });
        return (await promptValues(anAgent({ readonly: agent }), turn, {})).git_restrictions;
      };
      expect(await restrictions(false, false)).toBe('');
      expect(await restrictions(true, false)).toContain('no checkout');
      expect(await restrictions(false, true)).toContain('no checkout');
    });
  });
});
