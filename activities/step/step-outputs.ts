import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { readPlainFile } from '../../config/plain-file.ts';
import type { AgentPlan, RunPlace } from '../../workflows/domain/agent.ts';
import { own } from '../../workflows/domain/steps.ts';
import { checkpointOfRun } from '../agent/checkpoint-record.ts';
import { outputFolder } from '../agent/output-folder.ts';
import { exists } from '../exists.ts';

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
export async function stepOutputs(end: EndedStep): Promise<StepOutputs> {
  const { place, run } = end;
  const said = await agentOutputs(end);
  // The very paths that the agent was told: only its turn knew all that they are made of.
  const told = await checkpointOfRun(place, run.runId, run.lastIteration);
  const files = {
    summary_file: join(place.workerDir, 'summaries', 'summary.txt'),
    plan_file: told?.plan_file,
    output_file: told?.output_file,
  };
  const known: Record<string, string> = run.sessionId ? { session_id: run.sessionId } : {};
  for (const [key, file] of Object.entries(files))
    if (file !== undefined && (await exists(file))) known[key] = withinWorker(place, file);
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

function withinWorker({ workerDir }: RunPlace, file: string): string {
  const path = relative(workerDir, file);
  return path.startsWith('..') ? file : path;
}
