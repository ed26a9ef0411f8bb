import { describe, expect, it } from '@jest/globals';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import { findLimitFaults, planOf } from '../../config/agent-plan.ts';
import type { ProjectConfig } from '../../config/project-config.ts';
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

const configOf = (agents: ProjectConfig['agents'] = {}): ProjectConfig => ({
  checks: [],
  runtime: {},
  git: {},
  workers: {},
  agents,
});

function plan(
  given: {
    agent?: Partial<AgentDefinition>;
    step?: Partial<Step>;
    environment?: Environment;
    agents?: ProjectConfig['agents'];
  } = {},
) {
  const { environment = {}, agents } = given;
  return planOf(anAgent(given.agent), aStep('audit', given.step), {
    environment,
    config: configOf(agents),
  });
}

describe('planOf', () => {
  it('takes 10 iterations, 30 turns and an hour when nobody says anything (#200)', () => {
    expect(plan()).toEqual({
      type: 'engineering.security-audit',
      mode: 'ralph_loop',
      readonly: false,
      completion: 'status-file',
      validResults: ['PASS', 'FIX'],
      resultMappings: {},
      maxIterations: 10,
      maxTurns: 30,
      timeoutSeconds: 3600,
    });
  });

  it('takes environment over step over project over agents.json (#98)', () => {
    const type = 'engineering.security-audit';
    const agent = { settings: { maxTurns: 2, resultMappings: {} } };
    const agents = { [type]: { max_turns: 3 } };
    const step = { config: { max_turns: 4 } };
    const environment = { WIGGUM_SECURITY_AUDIT_MAX_TURNS: '5' };
    expect(
      [
        plan({ agent }),
        plan({ agent, agents }),
        plan({ agent, agents, step }),
        plan({ agent, agents, step, environment }),
      ].map(({ maxTurns }) => maxTurns),
    ).toEqual([2, 3, 4, 5]);
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

  it('refuses limits out of range, with place, key and value (#102)', () => {
    const environment = {
      WIGGUM_SECURITY_AUDIT_MAX_TURNS: '201',
      WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: 'many',
    };
    const agents = { 'engineering.security-audit': { timeout_seconds: 59 } };
    expect(() => plan({ environment, agents })).toThrow(
      [
        'environment: WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: expected a whole number from 1 to 100, found "many"',
        'environment: WIGGUM_SECURITY_AUDIT_MAX_TURNS: expected a whole number from 1 to 200, found "201"',
        '.ralph/config.json: agents.engineering.security-audit.timeout_seconds: expected a whole number from 60 to 86400, found 59',
      ].join('\n'),
    );
    expect(findLimitFaults(anAgent(), { environment, config: configOf(agents) })).toHaveLength(3);
  });
});
