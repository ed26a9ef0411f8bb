import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { promptValues } from '../../../activities/agent/prompt-values.ts';
import { renderPrompts, type SessionState } from '../../../activities/agent/prompt.ts';
import { writeResult } from '../../../activities/agent/result-record.ts';
import type { AgentDefinition } from '../../../config/agent-definition.ts';
import { agentTypes } from '../../../config/find-definitions.ts';
import { loadAgent } from '../../../config/load-definitions.ts';
import { PROMPT_VARIABLES } from '../../../config/prompt-variables.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

function agent(changes: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    type: 'test.once',
    description: 'An agent of a test',
    requiredPaths: ['workspace'],
    validResults: ['PASS', 'FAIL'],
    mode: 'once',
    readonly: false,
    reportTag: 'report',
    resultTag: 'result',
    completionCheck: { kind: 'result-tag' },
    supervisorInterval: 0,
    outputs: [],
    settings: { resultMappings: {} },
    systemPrompt: 'Role of {{step_id}}.',
    userPrompt: 'Do {{task_id}}; end with <result>PASS</result>.',
    source: 'test',
    ...changes,
  };
}

async function render(
  world: AgentWorld,
  definition: AgentDefinition,
  changes: Partial<AgentTurn> = {},
  session: SessionState = 'new',
) {
  const turn = world.turn({ validResults: ['PASS', 'FAIL'], ...changes });
  const values = await promptValues(definition, turn, world.host.environment);
  return renderPrompts(definition, turn, values, session);
}

const put = async (world: AgentWorld, name: string, text = 'text') => {
  const file = path.resolve(world.place.workerDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};

describe('promptValues', () => {
  it('has a value for each variable (#69)', async () => {
    await withAgents(async (world) => {
      const { workerDir, ralphDir, projectDir, workspace } = world.place;
      const report = await put(world, 'reports/1-audit-report.md');
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
      const turn = world.turn({
        iteration: 2,
        nextStepId: 'test',
        parent: { stepId: 'audit', runId: 'audit-1699', sessionId: 'sid', result: 'FIX', report },
      });
      const values = await promptValues(agent({ outputPath: 'out/{{task_id}}.md' }), turn, {});

      expect(Object.keys(values).sort()).toEqual([...PROMPT_VARIABLES].sort());
      expect(values).toMatchObject({
        workspace,
        worker_dir: workerDir,
        project_dir: projectDir,
        ralph_dir: ralphDir,
        task_id: 'AB-1',
        step_id: 'audit',
        run_id: 'audit-1700000100',
        session_id: turn.sessionId,
        'parent.step_id': 'audit',
        'parent.run_id': 'audit-1699',
        'parent.session_id': 'sid',
        'parent.result': 'FIX',
        'parent.report': report,
        'parent.output_dir': path.join(workerDir, 'output', 'engineering.security-audit'),
        'next.step_id': 'test',
        iteration: '2',
        prev_iteration: '1',
        output_dir: path.join(workerDir, 'output', 'test.once'),
        supervisor_feedback: '',
        plan_file: path.join(ralphDir, 'plans', 'AB-1.md'),
        output_path: path.join(workerDir, 'out', 'AB-1.md'),
        git_restrictions: '',
        plan_section: '',
        context_updates: '',
      });
    });
  });

  it('takes the plan from the environment, then from the agent, then from its usual place (#69)', async () => {
    await withAgents(async (world) => {
      const planned = agent({ planFile: 'plans/{{task_id}}.txt' });
      const file = async (definition: AgentDefinition, environment: NodeJS.ProcessEnv) =>
        (await promptValues(definition, world.turn(), environment)).plan_file;
      expect(await file(planned, { WIGGUM_PLAN_FILE: '/p.md' })).toBe('/p.md');
      expect(await file(planned, {})).toBe(path.join(world.place.workerDir, 'plans', 'AB-1.txt'));
    });
  });

  it('lists what there is to read, and nothing else (#72)', async () => {
    await withAgents(async (world) => {
      const section = async (changes: Partial<AgentTurn> = {}) =>
        (await promptValues(agent(), world.turn(changes), {})).context_section;
      const prd = path.join(world.place.workerDir, 'prd.md');
      expect(await section()).toMatch(new RegExp(`^Read these first:\n\n1\\. ${prd}: [^\n]+$`));

      const summary = await put(world, 'summaries/summary.txt');
      const report = await put(world, 'reports/2-x-report.md');
      const memory = await put(world, path.join(world.place.ralphDir, 'memory', 'INDEX.md'));
      const parent = { stepId: 'audit', runId: 'audit-1', report };
      const lines = (await section({ parent })).split('\n').slice(2);
      expect(lines.map((line) => line.split(':')[0])).toEqual([
        `1. ${prd}`,
        `2. ${summary}`,
        `3. ${report}`,
        `4. ${memory}`,
      ]);
    });
  });

  it('has a plan section only when there is a plan (#72)', async () => {
    await withAgents(async (world) => {
      const plan = await put(world, path.join(world.place.ralphDir, 'plans', 'AB-1.md'));
      expect((await promptValues(agent(), world.turn(), {})).plan_section).toContain(plan);
    });
  });
});

describe('renderPrompts', () => {
  it('gives a new session its role and its task', async () => {
    await withAgents(async (world) => {
      expect(await render(world, agent())).toEqual({
        system: 'Role of audit.',
        user: 'Do AB-1; end with <result>PASS</result>.',
      });
    });
  });

  it('adds what a loop goes on with, from its second iteration and in no other mode (#71)', async () => {
    await withAgents(async (world) => {
      const user = async (mode: AgentDefinition['mode'], iteration: number) =>
        (await render(world, agent({ mode, continuationPrompt: 'You go on.' }), { iteration }))
          .user;
      expect(await user('ralph_loop', 0)).not.toContain('You go on.');
      expect(await user('ralph_loop', 1)).toContain('You go on.');
      for (const mode of ['once', 'live', 'resume'] as const)
        expect(await user(mode, 1)).not.toContain('You go on.');
    });
  });

  it('adds git restrictions to the role of a readonly agent, once, and to no other (#72)', async () => {
    await withAgents(async (world) => {
      const heading = /Look, do not change/g;
      const role = async (changes: Partial<AgentDefinition>) =>
        ((await render(world, agent(changes))).system?.match(heading) ?? []).length;
      expect(await role({})).toBe(0);
      expect(await role({ readonly: true })).toBe(1);
      expect(await role({ readonly: true, systemPrompt: 'A {{git_restrictions}}' })).toBe(1);
      expect(await role({ systemPrompt: 'A {{git_restrictions}}' })).toBe(0);
    });
  });

  it('asks for the result where the prompt does not name its tag (#73)', async () => {
    await withAgents(async (world) => {
      const { user } = await render(world, agent({ userPrompt: 'Do it.', resultTag: 'verdict' }));
      expect(user).toMatch(/^Do it\.\n/);
      expect(user).toMatch(/<verdict>PASS<\/verdict>\n<verdict>FAIL<\/verdict>$/);
      expect((await render(world, agent())).user).not.toContain('FAIL');
    });
  });

  it('keeps conditions of all modes, and counts a folder as a file (#70)', async () => {
    await withAgents(async (world) => {
      const userPrompt =
        '<WIGGUM_IF_FILE_EXISTS:{{workspace}}>there</WIGGUM_IF_FILE_EXISTS><WIGGUM_IF_FILE_EXISTS:{{parent.report}}>report</WIGGUM_IF_FILE_EXISTS><WIGGUM_IF_FILE_EXISTS:prd.md> prd</WIGGUM_IF_FILE_EXISTS> <result>';
      for (const mode of ['once', 'ralph_loop', 'resume'] as const)
        expect((await render(world, agent({ mode, userPrompt }))).user).toBe('there prd <result>');
    });
  });

  it('never begins with a slash, which would be a command', async () => {
    await withAgents(async (world) => {
      const { user } = await render(world, agent({ userPrompt: '{{worker_dir}}/prd.md <result>' }));
      expect(user).toMatch(/^Your task:\n\n\//);
    });
  });

  it('tells an interrupted session to look and go on, without its task', async () => {
    await withAgents(async (world) => {
      const { system, user } = await render(world, agent(), {}, 'interrupted');
      expect(system).toBeUndefined();
      expect(user).toContain('You were interrupted');
      expect(user).toMatch(/<result>PASS<\/result>\n<result>FAIL<\/result>$/);
      expect(user).not.toContain('Do AB-1');
    });
  });

  it('asks for a summary under four headings (#90)', async () => {
    await withAgents(async (world) => {
      const { user } = await render(world, agent(), { purpose: 'summary' }, 'interrupted');
      expect(user).toMatch(/## Completed\n## In Progress\n## Blocked\n## Next Steps$/);
    });
  });
});

describe('the shipped agents', () => {
  it('are rendered whole: no variable and no condition is left (#69, #70)', async () => {
    await withAgents(async (world) => {
      const places = { ralphDir: world.place.ralphDir, environment: world.host.environment };
      const types = (await agentTypes(places)).filter((type) => !type.startsWith('test.'));
      expect(types.length).toBeGreaterThan(5);
      for (const type of types)
        for (const iteration of [0, 1]) {
          const definition = await loadAgent(type, places);
          const { system = '', user } = await render(world, definition, { agent: type, iteration });
          expect(`${type}: ${system}${user}`).not.toMatch(/\{\{|WIGGUM_IF/);
          expect(user).toContain(`<${definition.resultTag}>`);
        }
    });
  });
});
