import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { claudeCode } from '../helpers/claude-code.ts';
import {
  startModelApi,
  type ModelApi,
  type ModelRequest,
  type Reply,
} from '../helpers/model-api.ts';
import { withAgents } from '../helpers/with-agents.ts';
import type { Move, Stage } from './stage.ts';

/** What only this backend lets one see: the requests to the model. */
export interface ClaudeStage extends Stage {
  requests: ModelRequest[];
  /** Changes what the program finds in its environment. */
  set: (variables: Record<string, string>) => void;
}

/** The real Claude Code, in front of a model that we play: each request gets the next reply, the last one repeats. */
export async function withClaudeStage(use: (stage: ClaudeStage) => Promise<void>): Promise<void> {
  let replies: Reply[] = [];
  const api = await startModelApi(() => nextOf(replies));
  try {
    await withAgents(async (world) => {
      const { environment } = world.host;
      const configDir = environment['CLAUDE_CONFIG_DIR'] ?? '';
      const set = (variables: Record<string, string>) => Object.assign(environment, variables);
      set(environmentFor(api));
      await mkdir(configDir, { recursive: true });
      await use({
        world,
        requests: api.requests,
        set,
        turn: (changes) => world.turn({ ...changes, backend: 'claude' }),
        play: async (_turn, moves) => {
          replies = moves.map((move) => replyFor(move, world.place.projectDir));
          set(moves.some(({ kind }) => kind === 'silent') ? IMPATIENT : PATIENT);
          if (moves.some(({ kind }) => kind === 'used-up')) set(LOGGED_IN);
          return Promise.resolve();
        },
        conversation: () => Promise.resolve(JSON.stringify(api.requests.at(-1)?.messages ?? [])),
        guardCommands: () => writeFile(path.join(configDir, 'settings.json'), GUARD),
        sessionFile: async ({ sessionId }) => {
          const projects = path.join(configDir, 'projects');
          const files = await readdir(projects, { recursive: true });
          const file = files.find((name) => name.endsWith(`${sessionId}.jsonl`));
          return path.join(projects, file ?? 'none');
        },
      });
    });
  } finally {
    await api.close();
  }
}

const GUARD = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [{ type: 'command', command: "echo 'no commands today' >&2; exit 2" }],
      },
    ],
  },
});

function nextOf(replies: Reply[]): Reply {
  const [next, ...others] = replies;
  if (!next) throw new Error('the model was asked, but nothing was to be played');
  if (others.length > 0) replies.shift();
  return next;
}

function environmentFor(api: ModelApi): Record<string, string> {
  return {
    CLAUDE: claudeCode,
    ANTHROPIC_BASE_URL: api.address,
    ANTHROPIC_API_KEY: 'played',
    CLAUDE_CODE_MAX_RETRIES: '0',
  };
}

const IMPATIENT = { API_TIMEOUT_MS: '1500' };
const PATIENT = { API_TIMEOUT_MS: '60000' };
/** Only an account has usage limits. */
const LOGGED_IN = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'played' };

function replyFor(move: Move, outside: string): Reply {
  switch (move.kind) {
    case 'say':
      return { kind: 'text', text: move.text };
    case 'run':
      return bash(move.command);
    case 'denied':
      return move.tool === 'Bash'
        ? bash('echo done > forbidden.txt')
        : {
            kind: 'tool',
            name: 'Write',
            input: { file_path: path.join(outside, 'forbidden.txt'), content: 'done' },
          };
    case 'never-ends':
      return bash('true');
    case 'busy': {
      const { status, message, retryAfter } = move;
      if (retryAfter === undefined) return { kind: 'fault', status, message };
      return { kind: 'fault', status, message, headers: { 'retry-after': String(retryAfter) } };
    }
    case 'silent':
      return { kind: 'silence' };
    case 'used-up':
      return {
        kind: 'fault',
        status: 429,
        message: 'This request would exceed your account rate limit',
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
          'anthropic-ratelimit-unified-reset': String(Date.parse(move.resetsAt) / 1_000),
        },
      };
    case 'not-logged-in':
      return { kind: 'fault', status: 401, message: 'invalid x-api-key' };
  }
}

function bash(command: string): Reply {
  return { kind: 'tool', name: 'Bash', input: { command } };
}
