import type { AgentDefinition } from '../../config/agent-definition.ts';

/** An agent as its file would describe it; parts may be others. */
export function anAgent(changes: Partial<AgentDefinition> = {}): AgentDefinition {
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
