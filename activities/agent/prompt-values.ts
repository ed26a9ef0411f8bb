import { join, resolve } from 'node:path';
import type { AgentDefinition, CompletionCheck } from '../../config/agent-definition.ts';
import type { PromptVariable } from '../../config/prompt-variables.ts';
import { readPlainFile } from '../../config/plain-file.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import { exists } from '../exists.ts';
import { outputFolder } from './output-folder.ts';
import { fillVariables, type Values } from './prompt-template.ts';
import { agentOfRun } from './result-record.ts';

/** Every variable of a prompt, as it stands for one turn. */
export async function promptValues(
  definition: AgentDefinition,
  turn: AgentTurn,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<Record<PromptVariable, string>> {
  const { place, parent, iteration } = turn;
  const plain = {
    workspace: place.workspace,
    worker_dir: place.workerDir,
    project_dir: place.projectDir,
    ralph_dir: place.ralphDir,
    task_id: place.taskId,
    step_id: turn.stepId,
    run_id: turn.runId,
    session_id: turn.sessionId,
    'parent.step_id': parent?.stepId ?? '',
    'parent.run_id': parent?.runId ?? '',
    'parent.session_id': parent?.sessionId ?? '',
    'parent.result': parent?.result ?? '',
    'parent.report': parent?.report ?? '',
    'parent.output_dir': await parentOutputDir(turn),
    'next.step_id': turn.nextStepId ?? '',
    iteration: String(iteration),
    prev_iteration: String(iteration - 1),
    output_dir: outputFolder(place, turn.agent),
    supervisor_feedback: turn.guidance ?? '',
    context_updates: (await readPlainFile(join(place.workerDir, 'context-updates.json'))) ?? '',
  };
  const within = (path: string) => resolve(place.workerDir, fillVariables(path, plain));
  const planFile =
    turn.environment['WIGGUM_PLAN_FILE'] ||
    environment['WIGGUM_PLAN_FILE'] ||
    (definition.planFile
      ? within(definition.planFile)
      : join(place.ralphDir, 'plans', `${place.taskId}.md`));
  return {
    ...plain,
    plan_file: planFile,
    output_path: definition.outputPath === undefined ? '' : within(definition.outputPath),
    context_section: await contextSection(turn),
    git_restrictions: turn.readonly || definition.readonly ? GIT_RESTRICTIONS : '',
    plan_section: (await exists(planFile)) ? planSection(planFile) : '',
  };
}

/** Fills in the path of a completion check; a relative one begins at the worker directory. */
export function fillCompletion(
  check: CompletionCheck,
  values: Values,
  workerDir: string,
): CompletionCheck {
  return check.kind === 'result-tag'
    ? check
    : { ...check, path: resolve(workerDir, fillVariables(check.path, values)) };
}

async function parentOutputDir(turn: AgentTurn): Promise<string> {
  if (turn.parent?.outputDir) return turn.parent.outputDir;
  const agent = turn.parent && (await agentOfRun(turn.place, turn.parent.runId));
  return agent === undefined ? '' : outputFolder(turn.place, agent);
}

async function contextSection({ place, parent }: AgentTurn): Promise<string> {
  const candidates = [
    { path: join(place.workerDir, 'prd.md'), what: 'the requirements of this task' },
    {
      path: join(place.workerDir, 'summaries', 'summary.txt'),
      what: 'what has been done for this task so far',
    },
    { path: parent?.report ?? '', what: `the report of the step ${parent?.stepId ?? ''}` },
    {
      path: join(place.ralphDir, 'memory', 'INDEX.md'),
      what: 'what earlier tasks taught us about this project',
    },
  ];
  const lines: string[] = [];
  for (const { path, what } of candidates)
    if (path !== '' && (await exists(path))) lines.push(`${lines.length + 1}. ${path}: ${what}`);
  return lines.length === 0 ? '' : ['Read these first:', '', ...lines].join('\n');
}

function planSection(planFile: string): string {
  return [
    '## Plan',
    '',
    `There is a plan for this task: ${planFile}. Read it and work by it. Where it does not fit what`,
    'you find in the code, the requirements decide; say in your report where you left the plan.',
  ].join('\n');
}

const GIT_RESTRICTIONS = [
  '## Look, do not change',
  '',
  'This step only reads. Whatever you change in the workspace is thrown away when you are done.',
  'Do not create, edit or delete files in it, and do not run git commands that change anything:',
  'no checkout, switch, restore, reset, clean, add, commit, merge, rebase, cherry-pick, pull or push,',
  'no new or deleted branches and tags. `git stash` only if the same command line brings it back.',
  'Free to use: git status, diff, log, show, blame, grep, shortlog, `branch --list`, `tag --list`.',
].join('\n');
