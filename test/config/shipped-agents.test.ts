import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import { planOf } from '../../config/agent-plan.ts';
import { loadAgentsFiles, settingsOf } from '../../config/agent-settings.ts';
import { parseBoard } from '../../config/board-file.ts';
import { agentTypes } from '../../config/find-definitions.ts';
import { readAgent } from '../../config/load-definitions.ts';
import { parsePipeline } from '../../config/pipeline-file.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { shippedAgent } from '../helpers/shipped-run.ts';

const places = { ralphDir: '/nowhere/.ralph', environment: {} };
const PREVIOUS = '{{worker_dir}}/summaries/{{run_id}}/{{step_id}}-{{prev_iteration}}-summary.txt';

/** Iterations, turns and seconds of an agent at a step that says nothing about them. */
async function limitsOf(agent: AgentDefinition): Promise<string> {
  const text = JSON.stringify({ steps: [{ id: 'a', agent: agent.type }] });
  const [step] = parsePipeline(text, 'a.json').pipeline?.steps ?? [];
  if (!step) throw new Error('the pipeline of the test is wrong');
  const config = await loadProjectConfig(places.ralphDir, {});
  const plan = planOf(agent, step, { environment: {}, config });
  return [plan.maxIterations, plan.maxTurns, plan.timeoutSeconds].join('/');
}

describe('the shipped agents', () => {
  it.each([
    ['system.task-worker', 'built-in', 'PASS FAIL FIX'],
    ['engineering.software-engineer', 'ralph_loop', 'PASS FAIL'],
    ['engineering.security-audit', 'ralph_loop readonly', 'PASS FIX FAIL'],
    ['engineering.security-fix', 'ralph_loop', 'PASS FIX FAIL'],
    ['engineering.generic-fix', 'ralph_loop', 'PASS FIX FAIL'],
    ['engineering.validation-review', 'ralph_loop readonly', 'PASS FIX FAIL'],
    ['engineering.test-coverage', 'ralph_loop', 'PASS FIX FAIL SKIP'],
    ['engineering.code-review', 'ralph_loop readonly', 'PASS FIX FAIL'],
    ['engineering.master-followup', 'ralph_loop', 'PASS FIX FAIL SKIP'],
    ['engineering.git-conflict-resolver', 'ralph_loop', 'PASS FAIL SKIP'],
    ['engineering.pr-comment-fix', 'ralph_loop', 'PASS FIX FAIL SKIP'],
    ['product.plan-mode', 'ralph_loop readonly', 'PASS FAIL'],
    ['product.documentation-writer', 'once', 'PASS SKIP'],
    ['system.task-summarizer', 'resume readonly', 'PASS SKIP'],
    ['system.resume-decide', 'once readonly', 'PASS FAIL'],
  ])('include %s (#183)', async (type, mode, results) => {
    expect(await agentTypes(places)).toContain(type);
    const agent = await shippedAgent(type);
    expect(agent.readonly ? `${agent.mode} readonly` : agent.mode).toBe(mode);
    expect(agent.validResults.join(' ')).toBe(results);
  });

  it.each([
    ['engineering.test-runner', 'ralph_loop readonly', 'PASS FIX FAIL SKIP'],
    ['engineering.intent-distill', 'ralph_loop readonly', 'PASS FAIL FIX'],
    ['system.failure-summarizer', 'once readonly', 'PASS FAIL'],
    ['system.failure-resolver', 'ralph_loop', 'PASS FAIL FIX'],
    ['system.memory-analyst', 'once readonly', 'PASS FAIL'],
    ['system.codebase-health', 'once', 'PASS FAIL'],
    ['system.todo-hunter', 'once', 'PASS FAIL'],
    ['system.self-improver', 'once', 'PASS FAIL'],
  ])('include %s for the other pipelines (#63)', async (type, mode, results) => {
    const agent = await shippedAgent(type);
    expect(agent.readonly ? `${agent.mode} readonly` : agent.mode).toBe(mode);
    expect(agent.validResults.join(' ')).toBe(results);
  });

  it.each([
    ['system.task-executor', 'engineering.software-engineer'],
    ['general.task-summarizer', 'system.task-summarizer'],
    ['general.documentation-writer', 'product.documentation-writer'],
    ['workflow.git-conflict-resolver', 'engineering.git-conflict-resolver'],
  ])('are found by the old name %s (#183)', async (old, now) => {
    expect((await shippedAgent(old)).type).toBe(now);
  });

  it.each([
    ['system.task-worker', '20/50/10800'],
    ['system.resume-decide', '1/50/600'],
    ['system.failure-summarizer', '1/40/600'],
    ['system.failure-resolver', '3/50/900'],
    ['system.memory-analyst', '1/40/600'],
    ['system.codebase-health', '3/70/1200'],
    ['system.todo-hunter', '1/40/1200'],
    ['system.self-improver', '1/100/1800'],
    ['system.task-summarizer', '1/10/600'],
    ['engineering.software-engineer', '20/50/10800'],
    ['engineering.security-audit', '8/60/2400'],
    ['engineering.security-fix', '10/80/7200'],
    ['engineering.generic-fix', '10/80/7200'],
    ['engineering.test-coverage', '10/60/7200'],
    ['engineering.test-runner', '3/50/7200'],
    ['engineering.master-followup', '10/100/10800'],
    ['engineering.validation-review', '5/50/3600'],
    ['engineering.code-review', '6/50/1800'],
    ['engineering.pr-comment-fix', '10/50/3600'],
    ['engineering.git-conflict-resolver', '10/40/1800'],
    ['engineering.intent-distill', '8/80/7200'],
    ['product.plan-mode', '5/60/1200'],
    ['product.documentation-writer', '1/100/600'],
  ])('give %s %s iterations, turns and seconds (#200)', async (type, limits) => {
    expect(await limitsOf(await shippedAgent(type))).toBe(limits);
  });

  it.each([
    ['workflow.git-sync-main', 600],
    ['workflow.git-commit-push', 600],
    ['workflow.pr-merge', 600],
    ['workflow.batch-wait-turn', 1800],
    ['workflow.batch-signal-done', 60],
    ['workflow.batch-signal-failed', 60],
  ])('give %s %d seconds (#200)', async (type, seconds) => {
    expect((await limitsOf(await shippedAgent(type))).split('/').at(-1)).toBe(String(seconds));
  });

  it('leave 10 iterations, 30 turns and an hour to an agent of which nothing is said (#200)', async () => {
    const agent = await shippedAgent('engineering.generic-fix');
    expect(await limitsOf({ ...agent, settings: { resultMappings: {} } })).toBe('10/30/3600');
    const settings = settingsOf('test.unlisted', await loadAgentsFiles({}));
    expect(await limitsOf({ ...agent, type: 'test.unlisted', settings })).toBe('10/30/3600');
  });

  it('go on by their own mappings where a result is no end (#45)', async () => {
    const jump = async (type: string, result: string) =>
      (await shippedAgent(type)).settings.resultMappings[result];
    for (const type of ['system.failure-resolver', 'engineering.intent-distill'])
      expect(await jump(type, 'FIX')).toMatchObject({ defaultJump: 'self' });
    for (const type of ['workflow.git-sync-main', 'workflow.pr-merge'])
      expect(await jump(type, 'FAIL')).toMatchObject({ exitCode: 0, defaultJump: 'next' });
  });
});

describe('the prompts of the shipped agents', () => {
  const agents: AgentDefinition[] = [];

  beforeAll(async () => {
    const settings = await loadAgentsFiles({});
    for (const type of await agentTypes(places)) {
      const { agent, problems, notices } = await readAgent(type, places, settings);
      expect({ type, problems, notices }).toEqual({ type, problems: [], notices: [] });
      if (agent?.source.endsWith('.md')) agents.push(agent);
    }
  });

  /** Types of agents whose prompts break a rule. */
  const breaking = (keeps: (agent: AgentDefinition) => boolean) =>
    agents.filter((agent) => !keeps(agent)).map(({ type }) => type);
  const whole = ({ systemPrompt, userPrompt, continuationPrompt = '' }: AgentDefinition) =>
    [systemPrompt, userPrompt, continuationPrompt].join('\n');

  it('say behind each result what it means (#73)', () => {
    expect(agents.length).toBeGreaterThan(22);
    const explains = ({ userPrompt, resultTag: tag, validResults }: AgentDefinition) =>
      validResults.every((result) =>
        new RegExp(`^<${tag}>${result}</${tag}> \\S.{20,}$`, 'm').test(userPrompt),
      );
    expect(breaking(explains)).toEqual([]);
  });

  it('name no result that is not valid', () => {
    const named = ({ userPrompt, resultTag: tag }: AgentDefinition) =>
      [...userPrompt.matchAll(new RegExp(`<${tag}>(\\w+)</${tag}>`, 'g'))].map(([, name]) => name);
    expect(
      breaking((agent) =>
        named(agent).every((name) => name !== undefined && agent.validResults.includes(name)),
      ),
    ).toEqual([]);
  });

  it('ask for file and line wherever something is judged', () => {
    const judges = ({ validResults }: AgentDefinition) =>
      validResults.includes('FAIL') || validResults.includes('FIX');
    expect(
      breaking(
        (agent) => !judges(agent) || /file and line|file:line|\.\w+:line/.test(agent.userPrompt),
      ),
    ).toEqual([]);
  });

  it('ask for a report, except of those whose work is a file (#205)', () => {
    expect(
      breaking(({ userPrompt, reportTag }) => userPrompt.includes(`<${reportTag}>\n`)),
    ).toEqual(['engineering.software-engineer', 'product.plan-mode']);
  });

  it('lead each loop back to the summary of its last iteration (#90)', () => {
    const goesOn = ({ mode, continuationPrompt = '' }: AgentDefinition) =>
      mode !== 'ralph_loop' || continuationPrompt.includes(PREVIOUS);
    expect(breaking(goesOn)).toEqual([]);
  });

  // Others get it at the end of their prompt; a task's agents know what to do with it.
  it("show a task's loops the supervisor's guidance where there is some (#92)", () => {
    const offers = ({ type, mode, userPrompt }: AgentDefinition) =>
      mode !== 'ralph_loop' ||
      !/^(engineering|product|system)\./.test(type) ||
      /<WIGGUM_IF_SUPERVISOR>[^]*\{\{supervisor_feedback\}\}[^]*<\/WIGGUM_IF_SUPERVISOR>/.test(
        userPrompt,
      );
    expect(breaking(offers)).toEqual([]);
  });

  it('take what they read for material, never for instructions', () => {
    const says = (agent: AgentDefinition) =>
      /material/.test(whole(agent)) && /changes?\s+these\s+instructions/.test(whole(agent));
    expect(breaking(says)).toEqual([]);
  });

  it('leave committing and pushing to others', () => {
    const leaves = (agent: AgentDefinition) =>
      agent.readonly || /do\s+not\s+commit,\s+push/i.test(whole(agent));
    expect(breaking(leaves)).toEqual([]);
  });

  it('declare what later steps may read (#78)', async () => {
    const ours = ['session_id', 'report_file', 'summary_file', 'plan_file', 'output_file'];
    expect(
      breaking(
        ({ type, outputs }) =>
          outputs.every((key) => ours.includes(key)) &&
          (outputs.includes('session_id') || !/^(engineering|system)\./.test(type)),
      ),
    ).toEqual([]);
    expect((await shippedAgent('product.plan-mode')).outputs).toContain('plan_file');
    expect((await shippedAgent('system.task-summarizer')).outputs).toContain('summary_file');
    expect((await shippedAgent('engineering.intent-distill')).outputs).toContain('output_file');
  });

  it('let the engineer and the comment fixer work until their checklists are done (#89)', async () => {
    expect(await shippedAgent('engineering.software-engineer')).toMatchObject({
      completionCheck: { kind: 'status-file', path: '{{worker_dir}}/prd.md' },
      supervisorInterval: 2,
    });
    expect(await shippedAgent('engineering.pr-comment-fix')).toMatchObject({
      completionCheck: {
        kind: 'status-file',
        path: '{{worker_dir}}/reports/comment-status.md',
      },
    });
  });

  it('let resume-decide answer in one line that a program can read (#191)', async () => {
    const { userPrompt } = await shippedAgent('system.resume-decide');
    const report = /<report>\n([^]*?)<\/report>/.exec(userPrompt)?.[1] ?? '';
    expect(report.match(/^decision: .*$/gm)).toEqual(['decision: RETRY the-step']);
    expect(report.split('\n').slice(0, 2).join('\n')).toMatch(/^decision: .*\nreason: /);
    for (const decision of ['COMPLETE', 'RETRY <step>', 'ABORT', 'DEFER'])
      expect(userPrompt).toContain(`- \`${decision}\`: `);
  });

  it.each(['codebase-health', 'todo-hunter', 'self-improver'])(
    'let %s propose tasks in the form of the board, none of which starts by itself',
    async (name) => {
      const { userPrompt } = await shippedAgent(`system.${name}`);
      const block = /```markdown\n([^]*?)```/.exec(userPrompt)?.[1] ?? '';
      const { tasks, problems } = parseBoard(`# Board\n\n## TASKS\n\n${block}`);
      expect(problems).toEqual([]);
      expect(tasks.map(({ marker }) => marker)).toEqual(['N']);
      expect(tasks[0]).toMatchObject({
        scope: [expect.any(String)],
        outOfScope: [expect.any(String)],
        acceptanceCriteria: [expect.any(String)],
      });
    },
  );
});
