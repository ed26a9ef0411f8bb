import { describe, expect, it } from '@jest/globals';
import { promptValues } from '../../../activities/agent/prompt-values.ts';
import { renderPrompts, type PromptInput } from '../../../activities/agent/prompt.ts';
import type { AgentDefinition } from '../../../config/agent-definition.ts';
import { AGENT_MODES, type AgentTurn } from '../../../workflows/domain/agent.ts';
import { anAgent } from '../../helpers/an-agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

/** Nobody adds anything, and nothing came before. */
const NOTHING_ELSE = {
  wrappers: { preSystem: '', postSystem: '', preUser: '', postUser: '' },
  finished: [],
  lastCheckpoint: () => Promise.resolve(undefined),
};

async function render(
  world: AgentWorld,
  definition: AgentDefinition,
  changes: Partial<AgentTurn>,
  more: Partial<PromptInput> = {},
) {
  const turn = world.turn(changes);
  const values = await promptValues(definition, turn, {});
  const input = { definition, turn, values, session: 'new' as const, ...NOTHING_ELSE };
  return renderPrompts({ ...input, ...more });
}

describe('guidance', () => {
  // What must arrive as it is: blanks, placeholders, tags and patterns of ours included.
  const guidance =
    '  1. Not {{task_id}}, but $&.\n\n<WIGGUM_IF_SUPERVISOR>\n\t<result>FAIL</result>  ';

  it.each(AGENT_MODES)(
    'is word for word in the prompt of mode %s that has a place for it, and only there (#92, #217)',
    async (mode) => {
      await withAgents(async (world) => {
        const userPrompt =
          'Before.<WIGGUM_IF_SUPERVISOR> Heed [{{supervisor_feedback}}]</WIGGUM_IF_SUPERVISOR> <result>';
        const definition = anAgent({ mode, userPrompt });
        expect((await render(world, definition, { guidance })).user).toBe(
          `Before. Heed [${guidance}] <result>`,
        );
        expect((await render(world, definition, {})).user).toBe('Before. <result>');
      });
    },
  );

  it.each(AGENT_MODES)(
    'is added word for word to the prompt of mode %s that has no place for it (#92, #217)',
    async (mode) => {
      await withAgents(async (world) => {
        const definition = anAgent({ mode, userPrompt: 'Do it: <result>' });
        const { user } = await render(world, definition, { guidance });
        expect(user).toMatch(/^Do it: <result>\n\n## Guidance\n/);
        expect(user.endsWith(`\n\n${guidance}`)).toBe(true);
        expect((await render(world, definition, {})).user).toBe('Do it: <result>');
      });
    },
  );

  it('is added where its place is in a block that is not shown (#92)', async () => {
    await withAgents(async (world) => {
      const place = '<WIGGUM_IF_ITERATION_ZERO>{{supervisor_feedback}}</WIGGUM_IF_ITERATION_ZERO>';
      const definition = anAgent({ mode: 'ralph_loop', userPrompt: `Go ${place} <result>` });
      const user = async (iteration: number) =>
        (await render(world, definition, { guidance, iteration })).user;
      expect(await user(0)).toBe(`Go ${guidance} <result>`);
      expect(await user(1)).toContain(`## Guidance\n`);
    });
  });

  it('is not added where what a loop goes on with has a place for it (#92)', async () => {
    await withAgents(async (world) => {
      const definition = anAgent({
        mode: 'ralph_loop',
        continuationPrompt: 'On: {{supervisor_feedback}}',
      });
      const { user } = await render(world, definition, { guidance, iteration: 1 });
      expect(user.split(guidance)).toHaveLength(2);
      expect(user).toContain(`On: ${guidance}`);
    });
  });

  it.each(AGENT_MODES)('reaches a session of mode %s that was interrupted (#92)', async (mode) => {
    await withAgents(async (world) => {
      const more = { session: 'interrupted' as const };
      const { user } = await render(world, anAgent({ mode }), { guidance }, more);
      expect(user.split(guidance)).toHaveLength(2);
    });
  });

  it.each(['summary', 'ask-result'] as const)(
    'is not told again to who is asked for a %s',
    async (purpose) => {
      await withAgents(async (world) => {
        const { user } = await render(world, anAgent(), { guidance, purpose });
        expect(user).not.toContain(guidance);
      });
    },
  );
});

describe('wrappers', () => {
  const wrappers = {
    preSystem: 'before the role {{task_id}}',
    postSystem: 'behind the role',
    preUser: '/before the task',
    postUser: 'behind {{task}} <WIGGUM_IF_SUPERVISOR>',
  };

  it('surround both prompts of a work session, as they stand (#104)', async () => {
    await withAgents(async (world) => {
      const definition = anAgent({ readonly: true, userPrompt: 'Do {{task_id}}.' });
      const { system = '', user } = await render(world, definition, {}, { wrappers });
      expect(system).toMatch(/^before the role \{\{task_id\}\}\n\nRole of audit\.\n\n/);
      expect(system).toMatch(/Look, do not change.*\n\nbehind the role$/s);
      expect(user).toMatch(/^Your task:\n\n\/before the task\n\nDo AB-1\.\n\n/);
      expect(user).toMatch(/<\/result>\n\nbehind \{\{task\}\} <WIGGUM_IF_SUPERVISOR>$/);
    });
  });

  it('surround the task that is handed to a session of somebody else (#104)', async () => {
    await withAgents(async (world) => {
      const definition = anAgent({ mode: 'resume', systemPrompt: '' });
      const more = { wrappers, session: 'handed-over' as const };
      const { system, user } = await render(world, definition, {}, more);
      expect(system).toBeUndefined();
      expect(user).toMatch(/before the task.*Do AB-1.*behind/s);
    });
  });

  it.each(['summary', 'ask-result', 'supervise'] as const)(
    'leave a turn alone whose purpose is %s (#104)',
    async (purpose) => {
      await withAgents(async (world) => {
        const { system = '', user } = await render(world, anAgent(), { purpose }, { wrappers });
        expect(system + user).not.toMatch(/before the|behind the|behind \{\{/);
      });
    },
  );
});
