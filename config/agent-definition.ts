import type { AgentMode } from '../workflows/domain/agent.ts';
import type { GateResult } from '../workflows/domain/steps.ts';

/** How one knows that an agent's loop is done. Paths may hold `{{variables}}`. */
export type CompletionCheck =
  | { kind: 'result-tag' }
  | { kind: 'status-file'; path: string }
  | { kind: 'file-exists'; path: string };

/** An agent as its markdown file describes it. */
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
  /** Empty only in mode `resume`. */
  systemPrompt: string;
  userPrompt: string;
  continuationPrompt?: string;
  /** The file it was read from. */
  source: string;
}
