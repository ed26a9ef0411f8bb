import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runAgent } from '../../activities/agent/run-agent.ts';
import type { HostDependencies } from '../../activities/dependencies.ts';
import type { AgentOutcome, AgentTurn, RunPlace } from '../../workflows/domain/agent.ts';
import { inActivity, type TestActivity } from './in-activity.ts';
import { withFolder } from './with-folder.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
export const HOST_ID = 'host-of-the-test';

/** A task run in a temporary folder, with agents of its own. */
export interface AgentWorld {
  place: RunPlace;
  host: HostDependencies;
  /** A work turn of `test.once`; parts may be others. */
  turn: (changes?: Partial<AgentTurn>) => AgentTurn;
  /** Writes a scenario and gives its path. */
  script: (yaml: string) => Promise<string>;
  begin: (turn: AgentTurn, attempt?: number) => TestActivity<AgentOutcome>;
  run: (turn: AgentTurn, attempt?: number) => Promise<AgentOutcome>;
  ledger: () => Promise<Record<string, unknown>[]>;
  read: (file: string) => Promise<string>;
}

/** Makes a task run whose agents are those below, lets a test use it, and removes it. */
export async function withAgents(use: (world: AgentWorld) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const ralphDir = path.join(folder, 'project', '.ralph');
    const workerDir = path.join(ralphDir, 'workers', 'worker-AB-1-1700000000');
    const place: RunPlace = {
      projectDir: path.join(folder, 'project'),
      ralphDir,
      workerDir,
      workspace: path.join(workerDir, 'workspace'),
      taskId: 'AB-1',
      epoch: 1700000000,
    };
    await mkdir(place.workspace, { recursive: true });
    await mkdir(path.join(ralphDir, 'agents', 'test'), { recursive: true });
    for (const [name, text] of Object.entries(AGENTS))
      await writeFile(path.join(ralphDir, 'agents', 'test', `${name}.md`), text);
    await writeFile(path.join(workerDir, 'prd.md'), '# AB-1\n\n- [ ] one\n- [ ] two\n');
    const host: HostDependencies = {
      hostId: HOST_ID,
      environment: {
        PATH: process.env['PATH'],
        HOME: folder,
        CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
        WIGGUM_HOME: path.join(folder, 'no-home'),
      },
    };
    const begin = (turn: AgentTurn, attempt?: number) =>
      inActivity(() => runAgent(turn, host), attempt);
    await use({
      place,
      host,
      begin,
      run: (turn, attempt) => begin(turn, attempt).result,
      turn: (changes = {}) => ({ ...workTurn(place), ...changes }),
      script: async (yaml) => {
        const file = path.join(folder, 'scenario.yaml');
        await writeFile(file, `ledger: ledger.jsonl\n${yaml}`);
        return file;
      },
      ledger: async () =>
        (await readFile(path.join(folder, 'ledger.jsonl'), 'utf8').catch(() => ''))
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      read: (file) => readFile(path.resolve(workerDir, file), 'utf8'),
    });
  });
}

function workTurn(place: RunPlace): AgentTurn {
  return {
    place,
    key: 'audit-1700000100/0-work-0/life',
    stepId: 'audit',
    runId: 'audit-1700000100',
    agent: 'test.once',
    purpose: 'work',
    iteration: 0,
    visit: 1,
    sessionId: SESSION,
    continues: false,
    limits: { maxTurns: 30, timeoutSeconds: 60, maxIterations: 3 },
    validResults: ['PASS', 'FIX', 'FAIL'],
    readonly: false,
    restarts: 0,
    outputs: {},
    branch: `task/AB-1-${place.epoch}`,
    environment: {},
    backend: 'script',
  };
}

const prompts = (more = '') => `
<WIGGUM_SYSTEM_PROMPT>
You are {{step_id}}.
</WIGGUM_SYSTEM_PROMPT>

<WIGGUM_USER_PROMPT>
Do {{task_id}}.
</WIGGUM_USER_PROMPT>
${more}`;

const head = (name: string, lines: string[]) =>
  [
    '---',
    `type: test.${name}`,
    'description: An agent of a test',
    'required_paths: [workspace]',
    'valid_results: [PASS, FIX, FAIL]',
    ...lines,
    '---',
  ].join('\n');

const AGENTS: Record<string, string> = {
  once: `${head('once', ['mode: once'])}${prompts()}`,
  loop: `${head('loop', ['mode: ralph_loop'])}${prompts(
    '\n<WIGGUM_CONTINUATION_PROMPT>\nGo on with {{prev_iteration}}.\n</WIGGUM_CONTINUATION_PROMPT>\n',
  )}`,
  checklist: `${head('checklist', ['mode: ralph_loop', 'completion_check: status_file:{{worker_dir}}/prd.md'])}${prompts()}`,
  planner: `${head('planner', ['mode: ralph_loop', 'readonly: true', 'completion_check: file_exists:output/plan.md'])}${prompts()}`,
  heir: `${head('heir', ['mode: resume', 'session_from: parent'])}${prompts()}`,
};
