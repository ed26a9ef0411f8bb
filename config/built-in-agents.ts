import { own, type GateResult } from '../workflows/domain/steps.ts';
import type { AgentDefinition } from './agent-definition.ts';

/** The task run itself: it writes the record of the whole run, and can be no step of one. */
export const TASK_WORKER = 'system.task-worker';

/** Agents that are code of ours and ask no model, by type. */
export const BUILT_IN_AGENTS: Readonly<
  Record<string, { description: string; validResults: GateResult[] }>
> = {
  [TASK_WORKER]: {
    description: 'The task run: workspace, pipeline, pull request, board',
    validResults: ['PASS', 'FAIL', 'FIX'],
  },
  'workflow.git-sync-main': {
    description:
      "Brings the target branch into the task's; FAIL leaves the conflict in the workspace",
    validResults: ['PASS', 'FAIL'],
  },
  'workflow.git-commit-push': {
    description: 'Commits what is in the workspace and pushes the branch',
    validResults: ['PASS', 'FAIL'],
  },
  'workflow.pr-merge': {
    description: "Merges the task's pull request",
    validResults: ['PASS', 'FAIL'],
  },
  'workflow.batch-wait-turn': {
    description:
      'Waits until the task may merge in the order of its batch; SKIP when it has merged',
    validResults: ['PASS', 'FAIL', 'SKIP'],
  },
  'workflow.batch-signal-done': {
    description: 'Lets the next task of the batch go on',
    validResults: ['PASS'],
  },
  'workflow.batch-signal-failed': {
    description: 'Tells the batch that this task gave up',
    validResults: ['PASS'],
  },
};

/** The definition of a built-in agent, without settings; undefined when there is none of that type. */
export function builtInAgent(type: string): AgentDefinition | undefined {
  const agent = own(BUILT_IN_AGENTS, type);
  return (
    agent && {
      type,
      ...agent,
      requiredPaths: ['workspace'],
      mode: 'built-in',
      readonly: false,
      reportTag: 'report',
      resultTag: 'result',
      completionCheck: { kind: 'result-tag' },
      supervisorInterval: 0,
      outputs: [],
      systemPrompt: '',
      userPrompt: '',
      settings: { resultMappings: {} },
      source: 'built in',
    }
  );
}
