import { readdir } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { describeWithClaude } from '../helpers/claude-code.ts';
import { backendContract } from './backend-contract.ts';
import { withClaudeStage } from './claude-stage.ts';
import type { Move } from './stage.ts';

const passes: Move = { kind: 'say', text: '<result>PASS</result>' };

describeWithClaude('the claude backend, with the real program', () => {
  backendContract(withClaudeStage);

  it('gives the model its role, also when the session goes on (#220)', () =>
    withClaudeStage(async ({ turn, play, world, requests }) => {
      await play(turn(), [passes]);
      await world.run(turn());
      await world.run(turn({ key: 'audit-1700000100/1-work-0/life', continues: true }));
      expect(requests).toHaveLength(2);
      for (const { system } of requests) expect(system).toContain('You are audit.');
    }));

  it('tells for what it waits while the program asks the model again (#220)', () =>
    withClaudeStage(async ({ turn, play, world, requests, set }) => {
      set({ CLAUDE_CODE_MAX_RETRIES: '1' });
      const busy: Move = { kind: 'busy', status: 529, message: 'Overloaded', retryAfter: 2 };
      await play(turn(), [busy, passes]);
      const activity = world.begin(turn());
      expect(await activity.result).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect(requests).toHaveLength(2);
      expect(activity.beats).toContainEqual(
        expect.objectContaining({ waitsFor: 'model retry 1 of 1: overloaded (529)' }),
      );
    }));

  it('takes a limit without a known end for a fault that passes (#145, #220)', () =>
    withClaudeStage(async ({ turn, play, world, requests, set }) => {
      set({ CLAUDE_CODE_MAX_RETRIES: '5' });
      await play(turn(), [{ kind: 'busy', status: 429, message: 'Later', retryAfter: 3_600 }]);
      expect(await world.run(turn())).toMatchObject({ kind: 'transient' });
      expect(requests).toHaveLength(1);
    }));

  it('takes a model that cannot be reached for a fault that passes (#145, #220)', () =>
    withClaudeStage(async ({ turn, world, set }) => {
      set({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
      expect(await world.run(turn())).toMatchObject({ kind: 'transient' });
    }));

  it('tells the model why a hook did not let its command run (#220)', () =>
    withClaudeStage(async ({ turn, play, world, guardCommands, conversation }) => {
      await guardCommands();
      await play(turn(), [{ kind: 'denied', tool: 'Bash' }, passes]);
      await world.run(turn());
      expect(await conversation()).toContain('no commands today');
    }));

  it('lets a supervisor neither write nor run anything (#217, #220)', () =>
    withClaudeStage(async ({ turn, play, world }) => {
      const look = turn({ purpose: 'supervise', key: 'audit-1700000100/0-supervise-0/life' });
      await play(look, [
        { kind: 'run', command: 'touch planted.txt' },
        { kind: 'run', command: 'git diff --output=planted.txt' },
        { kind: 'denied', tool: 'Write' },
        { kind: 'say', text: '<guidance>Go on.</guidance>\n<decision>STOP</decision>' },
      ]);
      expect(await world.run(look)).toMatchObject({
        kind: 'ok',
        decision: { kind: 'STOP', guidance: 'Go on.' },
      });
      expect(await readdir(world.place.workspace)).not.toContain('planted.txt');
    }));
});
