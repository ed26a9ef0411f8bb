/** What a key of a file means, for a person who writes the file. */
export type Words = Readonly<Record<string, string>>;

const LIMITS: Words = {
  max_iterations: 'How many times a looping agent may go round.',
  max_turns: 'How many turns (answers of the model) one session may take.',
  timeout_seconds: 'Seconds after which the agent is stopped; all of its sessions together.',
  supervisor_interval: 'A supervisor looks at the loop after every so many iterations; 0 = never.',
  max_restarts: 'How often a supervisor may have the loop begin anew.',
  auto_commit: 'Commit what the agent leaves, also where the step has no commit_after.',
};

const MAPPINGS: Words = {
  result_mappings:
    'What results mean where no step handles them. PASS, FAIL, FIX, SKIP and UNKNOWN may leave out what stays as it is.',
  status: 'What the result says about the work.',
  exit_code: 'Exit code that stands for the result.',
  default_jump: 'Where the result leads.',
};

const EDITOR: Words = { $schema: 'Path or address of this schema; only editors read it.' };

export const PIPELINE_WORDS: Words = {
  ...EDITOR,
  ...LIMITS,
  ...MAPPINGS,
  name: 'Name of the pipeline, as status and records show it.',
  description: 'What the pipeline is for.',
  cost_limit: 'Dollars that one run of a task may cost; beyond them no further step starts.',
  steps: 'The steps, in order; the first one starts, and the run is done after the last one.',
  id: 'Name of the step: target of jumps, and part of its records. Unique in the file.',
  agent: 'Type of the agent that does the step, like engineering.security-audit.',
  max: 'How often it may run in one run of the task; 0 = no limit. Every circle needs one.',
  on_max: 'Where to go instead when max is used up.',
  on_result:
    'What follows a result: a jump, or another agent that runs at once and hands back to this step. What is not here goes by result_mappings.',
  readonly: 'The agent only looks: whatever it changes in the workspace is put back.',
  enabled_by:
    'Name of a variable. The step runs unless it is unset, empty, false, 0, no or off; a step that is skipped counts no visit.',
  commit_after: 'Commit what the agent changed; no effect where the step is readonly.',
  config:
    'Limits for this step, stronger than those of files and weaker than variables; other keys are noted in pipeline-config.json of the worker folder.',
  hooks:
    'Commands of `hooks.commands` in .ralph/config.json to be run around the agent; one that fails is only told.',
  pre: 'Calls before the agent: a registered name, then arguments.',
  post: 'Calls after the agent: a registered name, then arguments.',
  jump: 'Where to go: self, prev, next, abort, or the id of a step. In a handler they are meant from its step.',
};

export const AGENTS_WORDS: Words = {
  ...EDITOR,
  ...LIMITS,
  ...MAPPINGS,
  agents: 'Limits and result mappings of single agents, by type.',
  defaults: 'The same for all agents that say nothing themselves.',
};

export const CONFIG_WORDS: Words = {
  ...LIMITS,
  checks: 'Command lines that must pass before a pull request is opened and after a rebase.',
  runtime: 'What runs the agents.',
  backend: 'The program behind the agents: claude, or script for scenarios without a model.',
  script: 'Scenario file of the script backend.',
  backends: 'Settings of single backends, by name.',
  prompts: 'Words that stand around every prompt of working agents; text, or @file.',
  pre_system: 'Before the system prompt.',
  post_system: 'After the system prompt.',
  pre_user: 'Before the user prompt.',
  post_user: 'After the user prompt.',
  git: 'How commits are made and where they go.',
  author_name: 'Author of commits.',
  author_email: "The author's address.",
  default_branch: 'Branch that tasks start from and merge into; without it the remote says which.',
  workers: 'How much runs at a time.',
  max_workers: 'How many tasks run at the same time.',
  hooks: 'Commands that pipelines may call.',
  commands: 'Name → program and its first arguments; no shell reads them.',
  agents: 'Limits of single agents, by type.',
  plan_mode: 'Have a planning step run before the implementation.',
  cost_limit: 'Dollars that one task may cost where its pipeline says nothing.',
};

export const FRONT_MATTER_WORDS: Words = {
  type: "category.name, as the file's place says: engineering/code-review.md is engineering.code-review.",
  description: 'What the agent does, in one sentence.',
  required_paths: 'What must exist before it starts, relative to the worker directory.',
  valid_results: 'Results that it may give: PASS, FAIL, FIX, SKIP, or others that a pipeline maps.',
  mode: 'ralph_loop goes round in new sessions until it is done; once is one session; live keeps one session over all visits; resume asks the session of the step before.',
  readonly: 'The agent only looks: whatever it changes in the workspace is put back.',
  report_tag: 'Tag around its report.',
  result_tag: 'Tag around its result.',
  output_path:
    'File that the agent writes; may hold {{variables}}, relative to the worker directory.',
  completion_check:
    'How one knows that its loop is done: result_tag, status_file:PATH (no open `- [ ]`) or file_exists:PATH.',
  session_from: 'Whose session mode resume goes on with.',
  supervisor_interval: LIMITS['supervisor_interval'] ?? '',
  plan_file: 'Where the plan is; may hold {{variables}}, relative to the worker directory.',
  outputs: 'Keys of its result that later steps get.',
  workspace_override: 'Read and without effect: agents work in their workspace.',
};
