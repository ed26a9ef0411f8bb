import type { AgentPlan } from '../../workflows/domain/agent.ts';
import type { StepRecord } from '../../workflows/domain/task.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';

/** Makes one finished visit of a step. */
export function aStepRecord(changes: Partial<StepRecord> = {}): StepRecord {
  return {
    ...NO_USAGE,
    step: 'execution',
    agent: 'engineering.coder',
    runId: 'execution-1700000050',
    visit: 1,
    result: 'PASS',
    iterations: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    turns: 1,
    seconds: 1,
    ...changes,
  };
}

/** Makes the plan of a loop that owes a result tag. */
export function anAgentPlan(changes: Partial<AgentPlan> = {}): AgentPlan {
  return {
    type: 'engineering.security-audit',
    mode: 'ralph_loop',
    readonly: false,
    completion: 'result-tag',
    validResults: ['PASS', 'FIX', 'FAIL'],
    resultMappings: {},
    maxIterations: 3,
    maxTurns: 30,
    timeoutSeconds: 3600,
    supervisorInterval: 0,
    maxRestarts: 2,
    autoCommit: false,
    outputs: [],
    ...changes,
  };
}
