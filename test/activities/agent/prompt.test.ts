import { describe, expect, it } from '@jest/globals';
import { promptValues } from '../../../activities/agent/prompt-values.ts';
import { renderPrompts, type PromptInput } from '../../../activities/agent/prompt.ts';
import type { AgentDefinition } from '../../../config/agent-definition.ts';
import { agentTypes } from '../../../config/find-definitions.ts';
import { loadAgent } from '../../../config/load-definitions.ts';
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
  changes: Partial<AgentTurn> = {},
  more: Partial<PromptInput> = {},
) {
  const turn = world.turn({ validResults: ['PASS', 'FAIL'], ...changes });
  const values = await promptValues(definition, turn, world.host.environment);
  return renderPrompts({
    definition,
    turn,
    values,
    session: 'new',
    ...NOTHING_ELSE,
    ...more,
  });
}

describe('renderPrompts', () => {
  it('gives a new session its role and its task', async () => {
    await withAgents(async (world) => {
      expect(await render(world, anAgent())).toEqual({
        system: 'Role of audit.',
        user: 'Do AB-1; end with <result>PASS</result>.',
      });
    });
  });

  it('adds what a loop goes on with, from its second iteration and in no other mode (#71)', async () => {
    await withAgents(async (world) => {
      const user = async (mode: AgentDefinition['mode'], iteration: number) =>
        (await render(world, anAgent({ mode, continuationPrompt: 'You go on.' }), { iteration }))
          .user;
      expect(await user('ralph_loop', 0)).not.toContain('You go on.');
      expect(await user('ralph_loop', 1)).toContain('You go on.');
      for (const mode of ['once', 'live', 'resume'] as const)
        expect(await user(mode, 1)).not.toContain('You go on.');
    });
  });

  it('adds git restrictions to the role of a readonly agent, once, and to no other (#72)', async () => {
    await withAgents(async (world) => {
      const heading = /Look, do not change/g;
      const role = async (changes: Partial<AgentDefinition>) => {
        const { system = '', user } = await render(world, anAgent(changes));
        expect(user).not.toMatch(heading);
        return (system.match(heading) ?? []).length;
      };
      expect(await role({})).toBe(0);
      expect(await role({ readonly: true })).toBe(1);
      expect(await role({ readonly: true, systemPrompt: 'A {{git_restrictions}}' })).toBe(1);
      expect(await role({ systemPrompt: 'A {{git_restrictions}}' })).toBe(0);
      const hidden =
        '<WIGGUM_IF_ITERATION_NONZERO>{{git_restrictions}}</WIGGUM_IF_ITERATION_NONZERO>';
      expect(await role({ readonly: true, systemPrompt: `A ${hidden}` })).toBe(1);
    });
  });

  it('tells the restrictions to a session whose role is that of its parent (#72)', async () => {
    await withAgents(async (world) => {
      const definition = anAgent({ mode: 'resume', readonly: true, systemPrompt: '' });
      const { system, user } = await render(world, definition, {}, { session: 'handed-over' });
      expect(system).toBeUndefined();
      expect(user).toContain('Look, do not change');
    });
  });

  it.each(AGENT_MODES)(
    'asks in mode %s for the result where the prompt does not name its tag (#73, #83)',
    async (mode) => {
      await withAgents(async (world) => {
        const user = async (userPrompt: string, iteration = 0) =>
          (await render(world, anAgent({ mode, userPrompt, resultTag: 'verdict' }), { iteration }))
            .user;
        const asked = /<verdict>PASS<\/verdict>\n<verdict>FAIL<\/verdict>$/;
        expect(await user('Do it.')).toMatch(/^Do it\.\n/);
        expect(await user('Do it.')).toMatch(asked);
        expect(await user('Say <result>PASS</result>.')).toMatch(asked);
        expect(await user('Say <verdict>PASS</verdict>.')).toBe('Say <verdict>PASS</verdict>.');
        const hidden =
          'Do it.<WIGGUM_IF_ITERATION_ZERO> <verdict>PASS</verdict></WIGGUM_IF_ITERATION_ZERO>';
        expect(await user(hidden)).toBe('Do it. <verdict>PASS</verdict>');
        expect(await user(hidden, 1)).toMatch(asked);
      });
    },
  );

  it('asks for the result also where only guidance names its tag (#73)', async () => {
    await withAgents(async (world) => {
      const definition = anAgent({ userPrompt: 'Do it.{{supervisor_feedback}}' });
      const { user } = await render(world, definition, { guidance: 'No <result> yet!' });
      expect(user).toContain('<result>FAIL</result>');
    });
  });

  it('keeps conditions of all modes, and counts a folder as a file (#70)', async () => {
    await withAgents(async (world) => {
      const userPrompt =
        '<WIGGUM_IF_FILE_EXISTS:{{workspace}}>there</WIGGUM_IF_FILE_EXISTS><WIGGUM_IF_FILE_EXISTS:{{parent.report}}>report</WIGGUM_IF_FILE_EXISTS><WIGGUM_IF_FILE_EXISTS:prd.md> prd</WIGGUM_IF_FILE_EXISTS> <result>';
      for (const mode of AGENT_MODES)
        expect((await render(world, anAgent({ mode, userPrompt }))).user).toBe(
          'there prd <result>',
        );
    });
  });

  it('never begins with a slash, which would be a command', async () => {
    await withAgents(async (world) => {
      const { user } = await render(
        world,
        anAgent({ userPrompt: '{{worker_dir}}/prd.md <result>' }),
      );
      expect(user).toMatch(/^Your task:\n\n\//);
    });
  });

  it('tells an interrupted session to look and go on, without its task', async () => {
    await withAgents(async (world) => {
      const { system, user } = await render(world, anAgent(), {}, { session: 'interrupted' });
      expect(system).toBeUndefined();
      expect(user).toContain('You were interrupted');
      expect(user).toMatch(/<result>PASS<\/result>\n<result>FAIL<\/result>$/);
      expect(user).not.toContain('Do AB-1');
    });
  });

  it.each(['resume', 'live'] as const)(
    'repeats the task to an interrupted session of mode %s, which may not have heard it',
    async (mode) => {
      await withAgents(async (world) => {
        const { user } = await render(world, anAgent({ mode }), {}, { session: 'interrupted' });
        expect(user).toMatch(/^You were interrupted.*Do AB-1/s);
      });
    },
  );

  it('points a new session to the checkpoint of an attempt that was not completed (#187)', async () => {
    await withAgents(async (world) => {
      const checkpoint = '/w/checkpoints/audit-1/checkpoint-2.json';
      const lastCheckpoint = () => Promise.resolve(checkpoint);
      const { user } = await render(world, anAgent(), {}, { lastCheckpoint });
      expect(user).toContain(checkpoint);
      expect((await render(world, anAgent())).user).not.toContain('earlier attempt');
    });
  });

  it.each<[string, Partial<AgentTurn>, PromptInput['session']]>([
    ['a later iteration', { iteration: 1 }, 'new'],
    ['a loop that begins anew', { restarts: 1 }, 'new'],
    ['a session that goes on', {}, 'interrupted'],
    ['a summary', { purpose: 'summary' }, 'interrupted'],
    ['a supervisor', { purpose: 'supervise' }, 'new'],
  ])('looks for no checkpoint for %s (#187)', async (_title, changes, session) => {
    await withAgents(async (world) => {
      const lastCheckpoint = () => Promise.reject(new Error('nobody wants to know'));
      const definition = anAgent({ mode: 'ralph_loop' });
      const { user } = await render(world, definition, changes, { session, lastCheckpoint });
      expect(user).not.toContain('earlier attempt');
    });
  });

  it('asks a supervisor that was interrupted for its answer alone (#91)', async () => {
    await withAgents(async (world) => {
      const more = { session: 'interrupted' as const };
      const { system, user } = await render(world, anAgent(), { purpose: 'supervise' }, more);
      expect(system).toBeUndefined();
      expect(user).toMatch(/^You were interrupted.*<decision>one word/s);
      expect(user).not.toContain('<result>');
    });
  });

  it('asks for a summary under four headings (#90)', async () => {
    await withAgents(async (world) => {
      const { user } = await render(
        world,
        anAgent(),
        { purpose: 'summary' },
        { session: 'interrupted' },
      );
      expect(user).toMatch(/## Completed\n## In Progress\n## Blocked\n## Next Steps$/);
    });
  });
});

describe('the shipped agents', () => {
  it('are rendered whole: no variable and no condition is left (#69, #70)', async () => {
    await withAgents(async (world) => {
      const places = { ralphDir: world.place.ralphDir, environment: world.host.environment };
      const types = (await agentTypes(places)).filter((type) => !type.startsWith('test.'));
      expect(types.length).toBeGreaterThan(5);
      for (const type of types)
        for (const iteration of [0, 1]) {
          const definition = await loadAgent(type, places);
          const { system = '', user } = await render(world, definition, { agent: type, iteration });
          expect(`${type}: ${system}${user}`).not.toMatch(/\{\{|WIGGUM_IF/);
          expect(user).toContain(`<${definition.resultTag}>`);
        }
    });
  });
});
