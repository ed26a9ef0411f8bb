import { describe, expect, it } from '@jest/globals';
import type { AgentDefinition, LimitEntry } from '../../config/agent-definition.ts';
import type { Limits } from '../../config/agent-limits.ts';
import { findLimitFaults, limitLevels, planOf } from '../../config/agent-plan.ts';
import type { ConfigValues } from '../../config/config-file.ts';
import { mergeConfig } from '../../config/project-config.ts';
import type { Environment } from '../../config/state-dir.ts';
import type { Step } from '../../workflows/domain/steps.ts';
import { aStep } from '../helpers/a-pipeline.ts';

function anAgent(change: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    type: 'engineering.security-audit',
    description: 'A test',
    requiredPaths: ['workspace'],
    validResults: ['PASS', 'FIX'],
    mode: 'ralph_loop',
    readonly: false,
    reportTag: 'report',
    resultTag: 'result',
    completionCheck: { kind: 'status-file', path: 'prd.md' },
    supervisorInterval: 0,
    outputs: [],
    systemPrompt: 'Role.',
    userPrompt: 'Task.',
    settings: { resultMappings: {} },
    source: 'a.md',
    ...change,
  };
}

const FILE = '.ralph/config.json';
type Agents = NonNullable<ConfigValues['agents']>;

/** What an `agents.json` says of the agent, or of all agents. */
const entry = (limits: Limits, key = 'agents.engineering.security-audit'): LimitEntry => ({
  file: 'agents.json',
  key,
  limits,
});

function plan(
  given: {
    agent?: Partial<AgentDefinition>;
    step?: Partial<Step>;
    environment?: Environment;
    agents?: Agents;
    globalAgents?: Agents;
  } = {},
) {
  const { environment = {}, agents = {}, globalAgents = {} } = given;
  return planOf(anAgent(given.agent), aStep('audit', given.step), {
    environment,
    config: mergeConfig([
      { file: FILE, values: { agents } },
      { file: 'home/config.json', values: { agents: globalAgents } },
    ]),
  });
}

describe('planOf', () => {
  it('takes 10 iterations, 30 turns and an hour when nobody says anything (#200)', () => {
    expect(plan({ agent: { outputs: ['plan_file'] } })).toEqual({
      type: 'engineering.security-audit',
      mode: 'ralph_loop',
      readonly: false,
      completion: 'status-file',
      validResults: ['PASS', 'FIX'],
      resultMappings: {},
      maxIterations: 10,
      maxTurns: 30,
      timeoutSeconds: 3600,
      supervisorInterval: 0,
      maxRestarts: 2,
      autoCommit: false,
      outputs: ['plan_file'],
    });
  });

  it('takes environment over step over project over installation over agents.json (#98)', () => {
    const type = 'engineering.security-audit';
    const settings = {
      own: [entry({ max_turns: 3 })],
      defaults: [entry({ max_turns: 2 }, 'defaults')],
      resultMappings: {},
    };
    const agent = { settings };
    const globalAgents = { [type]: { max_turns: 4 } };
    const agents = { [type]: { max_turns: 5 } };
    const step = { config: { max_turns: 6 } };
    const environment = { WIGGUM_SECURITY_AUDIT_MAX_TURNS: '7' };
    expect(
      [
        plan({ agent: { settings: { ...settings, own: [] } } }),
        plan({ agent }),
        plan({ agent, globalAgents }),
        plan({ agent, globalAgents, agents }),
        plan({ agent, globalAgents, agents, step }),
        plan({ agent, globalAgents, agents, step, environment }),
      ].map(({ maxTurns }) => maxTurns),
    ).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it.each([
    ['supervisor_interval', 'supervisorInterval', [3, 4, 5]],
    ['max_restarts', 'maxRestarts', [3, 4, 5]],
    ['auto_commit', 'autoCommit', [true, false, true]],
  ] as const)(
    'takes %s from the step, then the project, then agents.json (#98)',
    (name, field, [low, middle, high]) => {
      const agent = { settings: { own: [entry({ [name]: low })], resultMappings: {} } };
      const agents = { 'engineering.security-audit': { [name]: middle } };
      const step = { config: { [name]: high } };
      expect(plan({ agent })[field]).toBe(low);
      expect(plan({ agent, agents })[field]).toBe(middle);
      expect(plan({ agent, agents, step })[field]).toBe(high);
    },
  );

  it('has the file of an agent say how often a supervisor looks, before what holds for all (#91)', () => {
    const defaults = [entry({ supervisor_interval: 9 }, 'defaults')];
    const settings = { defaults, resultMappings: {} };
    expect(plan({ agent: { supervisorInterval: 2, settings } }).supervisorInterval).toBe(2);
    const own = [entry({ supervisor_interval: 0 })];
    const agent = { supervisorInterval: 2, settings: { ...settings, own } };
    expect(plan({ agent }).supervisorInterval).toBe(0);
  });

  it.each([
    ['MAX_ITERATIONS', 'maxIterations'],
    ['MAX_TURNS', 'maxTurns'],
    ['TIMEOUT_SECONDS', 'timeoutSeconds'],
  ] as const)('reads %s from the bare name, and rather from the long one (#99)', (name, field) => {
    const short = { [`WIGGUM_SECURITY_AUDIT_${name}`]: '70' };
    const long = { [`WIGGUM_ENGINEERING_SECURITY_AUDIT_${name}`]: '80' };
    expect(plan({ environment: short })[field]).toBe(70);
    expect(plan({ environment: { ...short, ...long } })[field]).toBe(80);
  });

  it('knows the old variable of the conflict resolver (#99)', () => {
    const agent = { type: 'engineering.git-conflict-resolver' };
    const environment = { WIGGUM_CONFLICT_RESOLVER_MAX_TURNS: '9' };
    expect(plan({ agent, environment }).maxTurns).toBe(9);
  });

  it('passes over a variable that is set to nothing (#99)', () => {
    expect(plan({ environment: { WIGGUM_SECURITY_AUDIT_MAX_TURNS: ' ' } }).maxTurns).toBe(30);
  });

  it("finds the project's entry under an old name of the agent (#183)", () => {
    const agent = { type: 'system.task-summarizer' };
    const agents = { 'general.task-summarizer': { max_turns: 6 } };
    expect(plan({ agent, agents }).maxTurns).toBe(6);
  });

  it('prefers a time-out in the config of a step to that of the step (#57)', () => {
    const agents = { 'engineering.security-audit': { timeout_seconds: 60 } };
    const step = { timeoutSeconds: 70 };
    expect(plan({ agents, step }).timeoutSeconds).toBe(70);
    expect(
      plan({ agents, step: { ...step, config: { timeout_seconds: 80 } } }).timeoutSeconds,
    ).toBe(80);
  });

  it('is readonly when agent or step say so (#53)', () => {
    expect(plan({ agent: { readonly: true } }).readonly).toBe(true);
    expect(plan({ step: { readonly: true } }).readonly).toBe(true);
  });

  it('refuses variables out of range, with name and value (#102)', () => {
    const environment = {
      WIGGUM_SECURITY_AUDIT_MAX_TURNS: '201',
      WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: 'many',
      WIGGUM_SECURITY_AUDIT_TIMEOUT_SECONDS: '59',
    };
    expect(() => plan({ environment })).toThrow(
      [
        'environment: WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: expected a whole number from 1 to 100, found "many"',
        'environment: WIGGUM_SECURITY_AUDIT_MAX_TURNS: expected a whole number from 1 to 200, found 201',
        'environment: WIGGUM_SECURITY_AUDIT_TIMEOUT_SECONDS: expected a whole number from 60 to 86400, found 59',
      ].join('\n'),
    );
    expect(findLimitFaults(anAgent(), environment)).toHaveLength(3);
  });
});

describe('limitLevels', () => {
  it('names the place of everything that is said, the strongest first (#98)', () => {
    const own = [entry({ timeout_seconds: 80 })];
    const agent = anAgent({ settings: { own, resultMappings: {} } });
    const step = aStep('audit', { timeoutSeconds: 100, config: { timeout_seconds: 110 } });
    const agents = { 'engineering.security-audit': { timeout_seconds: 90 } };
    const sources = {
      environment: { WIGGUM_SECURITY_AUDIT_TIMEOUT_SECONDS: '120' },
      config: mergeConfig([{ file: FILE, values: { agents } }]),
      pipeline: 'pipeline.json',
    };
    expect(limitLevels('timeout_seconds', { agent, step }, sources)).toEqual([
      { source: 'environment', key: 'WIGGUM_SECURITY_AUDIT_TIMEOUT_SECONDS', value: 120 },
      { source: 'pipeline.json', key: 'step audit: config.timeout_seconds', value: 110 },
      { source: 'pipeline.json', key: 'step audit: timeout_seconds', value: 100 },
      { source: FILE, key: 'agents.engineering.security-audit.timeout_seconds', value: 90 },
      {
        source: 'agents.json',
        key: 'agents.engineering.security-audit.timeout_seconds',
        value: 80,
      },
      { source: 'built in', key: 'timeout_seconds', value: 3600 },
    ]);
  });
});
