import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  actionsFor,
  parseScript,
  type Script,
  type ScriptAction,
  type ScriptLook,
  type ScriptVisit,
} from '../../../config/script-file.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { WiggumError } from '../../../workflows/domain/errors.ts';
import { readIfThere, writeDurably } from '../../durable-file.ts';
import type { TurnContext } from '../backend.ts';

/** What script-agent-main.mjs is told: one turn, all names filled in. */
interface ScriptPlan {
  order: 'start' | 'resume';
  sessionFile: string;
  sessionId: string;
  /** Names the turn in the ledger. */
  key: string;
  /** Names what is done in the session: a turn that continues another one goes on behind it. */
  part: string;
  taskId: string;
  stepId: string;
  workspace: string;
  /** File whose items `tick_prd` ticks. */
  prd: string;
  ledger?: string;
  resultTag: string;
  reportTag: string;
  actions: ScriptAction[];
}

/** Writes the plan of one turn into the attempt's folder and tells where it is. */
export async function writePlan(context: TurnContext, order: ScriptPlan['order']): Promise<string> {
  const { turn, completion, tags, folder } = context;
  const script = await loadScript(turn.script);
  const plan: ScriptPlan = {
    order,
    sessionFile: sessionFile(turn),
    sessionId: turn.sessionId,
    key: turn.key,
    part: `${turn.runId}/${turn.iteration}-${turn.purpose}`,
    taskId: turn.place.taskId,
    stepId: turn.stepId,
    workspace: turn.place.workspace,
    prd: completion.kind === 'status-file' ? completion.path : join(turn.place.workerDir, 'prd.md'),
    ...(script.ledger && turn.script
      ? { ledger: resolve(dirname(turn.script), fill(script.ledger, turn)) }
      : {}),
    ...tags,
    actions: fillAll(await actionsOf(script, context), turn),
  };
  const file = join(folder, 'script.json');
  await writeDurably(file, `${JSON.stringify(plan, null, 2)}\n`);
  return file;
}

/** Whether the scripted agent has begun this session. */
export async function sessionExists({ turn }: Pick<TurnContext, 'turn'>): Promise<boolean> {
  return stat(sessionFile(turn)).then(
    () => true,
    () => false,
  );
}

function sessionFile(turn: AgentTurn): string {
  return join(turn.place.workerDir, 'script-sessions', `${turn.sessionId}.json`);
}

async function loadScript(file: string | undefined): Promise<Script> {
  if (file === undefined) return { agents: {}, tasks: {} };
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new WiggumError('SCRIPT_INVALID', `The scenario ${file} cannot be read.`, {
      where: file,
      cause,
    });
  });
  const { script, problems } = parseScript(text);
  if (script) return script;
  const lines = problems.map(({ where, message }) => `${file}: ${where}: ${message}`);
  throw new WiggumError('SCRIPT_INVALID', lines.join('\n'), { where: file });
}

async function actionsOf(script: Script, context: TurnContext): Promise<ScriptAction[]> {
  const { turn } = context;
  const visit = actionsFor(script, { ...turn, taskId: turn.place.taskId });
  const scripted = visit?.actions ?? defaultActions(context);
  switch (turn.purpose) {
    case 'work':
      return isDecided(scripted) ? scripted : [...scripted, { result: passOf(turn) }];
    case 'summary':
      return [{ say: visit?.summary ?? usualSummary(turn) }];
    case 'ask-result':
      return answerOf(scripted, turn);
    case 'supervise':
      return lookOf(await nextLook(visit, turn));
  }
}

// Does what the agent's completion check asks for, so that an agent nobody wrote a part for is done.
function defaultActions({ completion, turn }: TurnContext): ScriptAction[] {
  const words: ScriptAction = { say: `${turn.agent} has nothing to add.` };
  switch (completion.kind) {
    case 'result-tag':
      return [words];
    case 'status-file':
      return [words, { tick_prd: 'all' }];
    case 'file-exists':
      return [words, { write: { path: completion.path, content: `Written by ${turn.agent}.\n` } }];
  }
}

const DECIDING = [
  'result',
  'forget_result',
  'no_result',
  'fail',
  'exit',
  'limit',
  'auth',
  'transient',
  'max_turns',
];

function isDecided(actions: ScriptAction[]): boolean {
  return actions.some((action) => DECIDING.some((name) => name in action));
}

function answerOf(actions: ScriptAction[], turn: AgentTurn): ScriptAction[] {
  if (actions.some((action) => 'no_result' in action)) return [{ say: 'I cannot tell.' }];
  const given = actions.findLast((action) => 'result' in action || 'forget_result' in action);
  if (given && 'result' in given) return [given];
  if (given && 'forget_result' in given) return [{ result: given.forget_result }];
  return [{ result: passOf(turn) }];
}

async function nextLook(visit: ScriptVisit | undefined, turn: AgentTurn): Promise<ScriptLook> {
  const looks = visit?.supervisor ?? [];
  const number = looks.length > 1 ? await numberOfLook(turn) : 0;
  return looks[Math.min(number, looks.length - 1)] ?? { decision: 'CONTINUE' };
}

// A supervisor begins runs anew and is asked again after a limit, so neither run nor iteration counts
// its looks. The keys of one visit that share their last part, the life of the task, do.
async function numberOfLook({ place, stepId, visit, key }: AgentTurn): Promise<number> {
  const life = key.slice(key.lastIndexOf('/') + 1);
  const file = join(place.workerDir, 'script-sessions', `looks-${stepId}-${visit}-${life}.txt`);
  const keys = ((await readIfThere(file)) ?? '').split('\n').filter(Boolean);
  if (keys.includes(key)) return keys.indexOf(key);
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, [...keys, key, ''].join('\n'));
  return keys.length;
}

function lookOf(look: ScriptLook): ScriptAction[] {
  if (Array.isArray(look)) return look;
  const { decision, review = 'The loop is on its way.', guidance = '' } = look;
  return [
    { say: `<review>\n${review}\n</review>` },
    { say: `<guidance>\n${guidance}\n</guidance>` },
    { say: `<decision>${decision}</decision>` },
  ];
}

function passOf({ validResults }: AgentTurn): string {
  return validResults.includes('PASS') ? 'PASS' : (validResults[0] ?? 'PASS');
}

function usualSummary({ stepId, iteration }: AgentTurn): string {
  return [
    '## Completed',
    `- ${stepId}: the scripted actions of iteration ${iteration}.`,
    '## In Progress',
    '- Nothing.',
    '## Blocked',
    '- Nothing.',
    '## Next Steps',
    '- Whatever is still open in the requirements.',
  ].join('\n');
}

function fillAll<T>(value: T, turn: AgentTurn): T {
  if (typeof value === 'string') return fill(value, turn) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => fillAll(each, turn)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, fillAll<unknown>(each, turn)]);
  return Object.fromEntries(entries) as T;
}

function fill(text: string, turn: AgentTurn): string {
  const values: Record<string, string | number> = {
    workspace: turn.place.workspace,
    worker_dir: turn.place.workerDir,
    project_dir: turn.place.projectDir,
    ralph_dir: turn.place.ralphDir,
    task_id: turn.place.taskId,
    step_id: turn.stepId,
    run_id: turn.runId,
    iteration: turn.iteration,
    visit: turn.visit,
  };
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}
