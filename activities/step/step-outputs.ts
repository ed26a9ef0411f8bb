import { access, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { loadAgent } from '../../config/load-definitions.ts';
import { readPlainFile } from '../../config/plain-file.ts';
import type { AgentPlan, RunPlace } from '../../workflows/domain/agent.ts';
import { own } from '../../workflows/domain/steps.ts';
import { fillVariables } from '../agent/prompt-template.ts';
import type { HostDependencies } from '../dependencies.ts';

/** A step whose agent has ended. */
export interface EndedStep {
  place: RunPlace;
  step: string;
  agent: AgentPlan;
  startedAt: string;
  run: { sessionId: string; runId: string; lastIteration: number };
}

/** What a step hands on, and what was wrong with the file in which its agent says so. */
export interface StepOutputs {
  outputs: Record<string, string>;
  errors: string[];
}

/** Gathers the outputs of a step: what its agent wrote down, and above that the files we know of. */
export async function stepOutputs(end: EndedStep, host: HostDependencies): Promise<StepOutputs> {
  const { place, run } = end;
  const said = await agentOutputs(end);
  const { planFile, outputFile } = await definedFiles(end, host);
  const files = {
    summary_file: join(place.workerDir, 'summaries', 'summary.txt'),
    plan_file: planFile,
    output_file: outputFile,
  };
  const known: Record<string, string> = run.sessionId ? { session_id: run.sessionId } : {};
  for (const [key, file] of Object.entries(files))
    if (file !== undefined && (await isThere(file))) known[key] = withinWorker(place, file);
  return { outputs: { ...said.outputs, ...known }, errors: said.errors };
}

/** Those of a record's outputs that later steps get, with paths that hold wherever they are read. */
export function declaredOutputs(
  place: RunPlace,
  declared: readonly string[],
  outputs: Readonly<Record<string, string>>,
): Record<string, string> {
  const handedOn: Record<string, string> = {};
  for (const key of declared) {
    const value = own(outputs, key);
    if (value !== undefined)
      handedOn[key] = OUR_FILES.includes(key) ? resolve(place.workerDir, value) : value;
  }
  return handedOn;
}

/** Where an agent leaves what others may read. */
export function outputFolder({ workerDir }: RunPlace, agentType: string): string {
  return join(workerDir, 'output', agentType);
}

const OUR_FILES = ['report_file', 'summary_file', 'plan_file', 'output_file'];

const MAX_FILE_BYTES = 256 << 10;
const MAX_VALUE_BYTES = 4 << 10;
const MAX_KEYS = 50;
/** Each becomes the name of a variable. */
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** The clock of a file system may lag a little behind ours. */
const CLOCK_LAG_MS = 50;

async function agentOutputs({ place, agent, startedAt }: EndedStep): Promise<StepOutputs> {
  const file = join(outputFolder(place, agent.type), 'outputs.json');
  const name = relative(place.workerDir, file);
  const written = await stat(file).catch(() => undefined);
  // What an earlier run of the agent left has been handed on then.
  if (!written || written.mtimeMs + CLOCK_LAG_MS < Date.parse(startedAt)) return NOTHING;
  const text = await readPlainFile(file, MAX_FILE_BYTES);
  if (text === undefined)
    return {
      outputs: {},
      errors: [`${name}: no ordinary file of at most ${MAX_FILE_BYTES} bytes`],
    };
  const value = parseObject(text);
  if (!value) return { outputs: {}, errors: [`${name}: it is not a JSON object`] };
  const outputs: Record<string, string> = {};
  const errors: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const fault = faultOf(key, entry, Object.keys(outputs).length);
    if (fault !== undefined) errors.push(`${name}: ${JSON.stringify(key.slice(0, 64))} ${fault}`);
    else outputs[key] = String(entry);
    if (errors.length >= MAX_ERRORS) break;
  }
  return { outputs, errors };
}

const NOTHING: StepOutputs = { outputs: {}, errors: [] };
const MAX_ERRORS = 10;

function faultOf(key: string, value: unknown, before: number): string | undefined {
  if (key === 'gate_result') return 'is not for the agent to say here';
  if (!KEY.test(key)) return 'is no name: letters, digits and _';
  if (typeof value !== 'string') return 'is not a string';
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  if (value.includes('\0')) return 'holds a zero byte';
  return before >= MAX_KEYS ? `is one too many: ${MAX_KEYS} are allowed` : undefined;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Files that the agent's definition names. One that is broken by now names none. */
async function definedFiles(
  { place, step, agent, run }: EndedStep,
  { environment }: HostDependencies,
): Promise<{ planFile: string; outputFile?: string }> {
  const usual = join(place.ralphDir, 'plans', `${place.taskId}.md`);
  const definition = await loadAgent(agent.type, { ralphDir: place.ralphDir, environment }).catch(
    () => undefined,
  );
  const values = {
    workspace: place.workspace,
    worker_dir: place.workerDir,
    project_dir: place.projectDir,
    ralph_dir: place.ralphDir,
    task_id: place.taskId,
    step_id: step,
    run_id: run.runId,
    session_id: run.sessionId,
    iteration: String(run.lastIteration),
    output_dir: outputFolder(place, agent.type),
  };
  const within = (path: string) => resolve(place.workerDir, fillVariables(path, values));
  return {
    planFile: definition?.planFile === undefined ? usual : within(definition.planFile),
    ...(definition?.outputPath !== undefined && { outputFile: within(definition.outputPath) }),
  };
}

function withinWorker({ workerDir }: RunPlace, file: string): string {
  const path = relative(workerDir, file);
  return path.startsWith('..') ? file : path;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
