import { describe, expect, it } from '@jest/globals';
import { follow, type Following } from '../../client/follow.ts';
import type { Look } from '../../client/watch-board.ts';
import { aScreen, aTask, aView } from '../helpers/a-view.ts';

const settings = { maxWorkers: 1, autoMerge: false, backend: 'script', environment: {} };
const seen = (differences: Parameters<typeof aTask>[1], sweeping = true): Look => ({
  kind: 'view',
  view: aView([aTask('AB-1', differences)], { sweeping }),
  settings,
});
const silent: Look = { kind: 'unanswered', reason: 'deadline' };

/** Gives the looks in order, and the last one again and again. */
function looks(...answers: Look[]): () => Promise<Look> {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return Promise.resolve(answer as Look);
  };
}

function following(differences: Partial<Following>) {
  const screen = aScreen();
  const whole: Following = {
    look: looks(seen({}, false)),
    screen,
    signal: new AbortController().signal,
    isOver: (view) => !view.sweeping,
    isHosted: () => Promise.resolve(true),
    everyMs: 1,
    ...differences,
  };
  return { screen, followed: follow(whole) };
}

describe('following a board', () => {
  it('shows each look until what is waited for has come', async () => {
    const { screen, followed } = following({
      look: looks(seen({ why: 'one' }), seen({ why: 'two' }), seen({ why: 'three' }, false)),
    });
    expect(await followed).toMatchObject({ kind: 'ended', view: { tasks: [{ why: 'three' }] } });
    expect(screen.shown.map((view) => view.tasks[0]?.why)).toEqual(['one', 'two']);
  });

  it('says once that nobody answers, and once that somebody does again', async () => {
    const { screen, followed } = following({
      look: looks(silent, silent, silent, seen({}), seen({}, false)),
    });
    expect((await followed).kind).toBe('ended');
    expect(screen.said).toEqual([
      'info: the board does not answer yet (deadline); waiting',
      'info: the board answers again',
    ]);
  });

  it('ends when its host has gone, and not before', async () => {
    let asked = 0;
    const { followed } = following({
      look: looks(seen({})),
      isHosted: () => Promise.resolve((asked += 1) < 3),
    });
    expect(await followed).toEqual({ kind: 'host-gone' });
    expect(asked).toBe(3);
  });

  it('ends at once when a person ends it, also in the middle of a pause', async () => {
    const ending = new AbortController();
    const begun = performance.now();
    const { followed } = following({
      look: looks(seen({})),
      signal: ending.signal,
      everyMs: 60_000,
    });
    setTimeout(() => ending.abort(), 20);
    expect(await followed).toEqual({ kind: 'interrupted' });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('waits for a sweep that has not begun', async () => {
    const { followed } = following({ look: looks({ kind: 'no-sweep' }, seen({}, false)) });
    expect((await followed).kind).toBe('ended');
  });

  it('lets every other failure pass', async () => {
    const { followed } = following({ look: () => Promise.reject(new Error('defect')) });
    await expect(followed).rejects.toThrow('defect');
  });
});
