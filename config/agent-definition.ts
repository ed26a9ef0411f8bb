import type { AgentMode } from '../workflows/domain/agent.ts';
import type { GateResult, ResultMappings } from '../workflows/domain/steps.ts';
import type { Limits } from './agent-limits.ts';

/** Something wrong with, or worth knowing about, an agent or a pipeline. */
export interface DefinitionProblem {
  file: string;
  line?: number;
  /** Key in front matter, or place in JSON: `steps[2].on_result.FIX`. */
  field?: string;
  message: string;
}

/** How one knows that an agent's loop is done. Paths may hold `{{variables}}`. */
export type CompletionCheck =
  | { kind: 'result-tag' }
  | { kind: 'status-file'; path: string }
  | { kind: 'file-exists'; path: string };

/** What `agents.json` says of an agent: the installation's file over the shipped one, agent over defaults. */
export interface AgentSettings {
  /** Its own entries; the strongest first. */
  own?: readonly LimitEntry[];
  /** Entries for all agents; the strongest first. */
  defaults?: readonly LimitEntry[];
  resultMappings: ResultMappings;
}

/** Limits as they stand at one place of a file. */
export interface LimitEntry {
  file: string;
  /** `agents.<type>` or `defaults`. */
  key: string;
  limits: Limits;
}

/** An agent as its markdown file describes it, or one that is built in. */
export interface AgentDefinition {
  type: string;
  description: string;
  /** Relative to the worker directory. */
  requiredPaths: string[];
  validResults: GateResult[];
  mode: AgentMode;
  readonly: boolean;
  reportTag: string;
  resultTag: string;
  outputPath?: string;
  completionCheck: CompletionCheck;
  sessionFrom?: 'parent';
  /** Iterations between two looks of a supervisor; 0 = none. */
  supervisorInterval: number;
  planFile?: string;
  /** Keys of the result record that later steps may read. */
  outputs: string[];
  /** Empty in modes `resume` and `built-in`. */
  systemPrompt: string;
  userPrompt: string;
  continuationPrompt?: string;
  settings: AgentSettings;
  /** The file it was read from; `built in` when there is none. */
  source: string;
}

/** A problem in one line: file, line, field, what is wrong. */
export function describeProblem({ file, line, field, message }: DefinitionProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return field === undefined ? `${place}: ${message}` : `${place}: ${field}: ${message}`;
}
