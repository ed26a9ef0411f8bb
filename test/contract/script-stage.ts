import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ScriptAction } from '../../config/script-file.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import { withAgents } from '../helpers/with-agents.ts';
import { EACH, type Move, type WithStage } from './stage.ts';

/** The scripted agent: its moves are actions of a scenario. */
export const withScriptStage: WithStage = (use) =>
  withAgents(async (world) => {
    const script = await world.script('');
    const { workerDir } = world.place;
    const played = new Map<string, ScriptAction[]>();
    await use({
      world,
      turn: (changes) => world.turn({ ...changes, backend: 'script', script }),
      play: async (turn, moves) => {
        // A turn that goes on in its session goes on behind what it has played.
        const before = played.get(turn.purpose) ?? [];
        const actions = [...before, ...moves.flatMap((move) => actionsFor(move, turn))];
        played.set(turn.purpose, actions);
        await world.script(`agents: ${JSON.stringify({ [turn.stepId]: [actions] })}`);
      },
      conversation: async () => {
        const logs = path.join(workerDir, 'logs');
        const files = await readdir(logs, { recursive: true });
        const texts = files.map(async (file) => {
          const whole = path.join(logs, file);
          return (await stat(whole)).isFile() ? readFile(whole, 'utf8') : '';
        });
        return (await Promise.all(texts)).join('\n');
      },
      // A script has what it wants refused in its own hands.
      guardCommands: async () => {},
      sessionFile: ({ sessionId }) =>
        Promise.resolve(path.join(workerDir, 'script-sessions', `${sessionId}.json`)),
    });
  });

function actionsFor(move: Move, turn: AgentTurn): ScriptAction[] {
  switch (move.kind) {
    case 'say':
      return turn.purpose === 'work'
        ? // The words decide, not the scenario.
          [{ say: move.text }, ...used(), { no_result: true }]
        : answerOf(move.text);
    case 'run':
      return [{ run: move.command }, ...used()];
    case 'denied':
      return [{ deny: move.tool }, ...used()];
    case 'never-ends':
      return [
        ...Array.from({ length: turn.limits.maxTurns }, () => [{ tool: 'Bash' }, ...used()]).flat(),
        { max_turns: true },
      ];
    case 'busy':
      return [{ transient: `${move.status} ${move.message}` }];
    case 'silent':
      return [{ transient: 'Request timed out' }];
    case 'used-up':
      return [{ limit: move.resetsAt }];
    case 'not-logged-in':
      return [{ auth: 'Not logged in' }];
  }
}

function answerOf(text: string): ScriptAction[] {
  const result = /<result>(\w+)<\/result>/.exec(text)?.[1];
  return [result === undefined ? { no_result: true } : { result }];
}

function used(): ScriptAction[] {
  const { inputTokens: input, outputTokens: output, costUsd: cost } = EACH;
  return [{ tokens: { input, output } }, { cost }];
}
