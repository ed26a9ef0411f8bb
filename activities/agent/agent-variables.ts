import { join } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import type { PromptVariable } from '../../config/prompt-variables.ts';
import { plainFileSize } from '../../config/plain-file.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';

/**
 * What an agent is told by its environment, whatever program it is (checklist 188). A variable without
 * a value is not set.
 */
export async function agentVariables(
  turn: AgentTurn,
  values: Readonly<Record<PromptVariable, string>>,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<Record<string, string>> {
  const { place, parent, limits } = turn;
  const resumeInstructions = join(place.workerDir, 'resume_instructions.md');
  const variables: Record<string, string | number | boolean | undefined> = {
    WIGGUM_TASK_ID: place.taskId,
    WIGGUM_STEP_ID: turn.stepId,
    WIGGUM_STEP_READONLY: turn.readonly,
    WIGGUM_STEP_TIMEOUT: limits.timeoutSeconds,
    WIGGUM_CURRENT_AGENT_TYPE: turn.agent,
    WIGGUM_WORKER_DIR: place.workerDir,
    WIGGUM_PLAN_FILE: values.plan_file,
    WIGGUM_PARENT_STEP_ID: parent?.stepId,
    WIGGUM_PARENT_RUN_ID: parent?.runId,
    WIGGUM_PARENT_SESSION_ID: parent?.sessionId,
    WIGGUM_PARENT_RESULT: parent?.result,
    WIGGUM_PARENT_REPORT: parent?.report,
    WIGGUM_PARENT_OUTPUT_DIR: values['parent.output_dir'],
    WIGGUM_NEXT_STEP_ID: turn.nextStepId,
    WIGGUM_HOME: environment['WIGGUM_HOME'] || packageRoot(),
    RALPH_RUN_ID: turn.runId,
    RALPH_DIR: place.ralphDir,
    PROJECT_DIR: place.projectDir,
    PIPELINE_PLAN_FILE: values.plan_file,
    PIPELINE_RESUME_INSTRUCTIONS:
      (await plainFileSize(resumeInstructions)) === undefined ? undefined : resumeInstructions,
    AGENT_CONFIG_MAX_ITERATIONS: limits.maxIterations,
    AGENT_CONFIG_MAX_TURNS: limits.maxTurns,
    GIT_COMMIT_BRANCH: turn.branch,
    GIT_PR_URL: turn.pullRequestUrl,
    GIT_SAFETY_CHECKPOINT_SHA: turn.checkpoint,
    ...outputVariables(turn.outputs),
  };
  return Object.fromEntries(
    Object.entries(variables)
      .filter(([, value]) => value !== undefined && value !== '')
      // An agent's words may hold what no environment can.
      .map(([name, value]) => [name, String(value).replaceAll('\0', '')]),
  );
}

/** What earlier steps hand on: `report_file` becomes WIGGUM_OUTPUT_REPORT_FILE (checklist 78). */
function outputVariables(outputs: AgentTurn['outputs']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [
      `WIGGUM_OUTPUT_${key.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`,
      value,
    ]),
  );
}
