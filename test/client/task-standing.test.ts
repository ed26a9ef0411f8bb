import { describe, expect, it } from '@jest/globals';
import type { TaskView } from '../../client/board-view.ts';
import { hasEnded, isThrough, mergeObstacle, isMergeSettled } from '../../client/task-standing.ts';
import { aStepRecord } from '../helpers/a-step-record.ts';
import { aTask } from '../helpers/a-view.ts';

const at = (differences: Partial<TaskView>) => aTask('AB-1', differences);
const step = aStepRecord();
const waiting = at({ marker: 'P', open: true, needsHuman: true, pullRequest: 1, steps: [step] });

describe('the end of a task', () => {
  it.each<[string, Partial<TaskView>, boolean]>([
    ['done', { marker: 'x' }, true],
    ['failed', { marker: '*' }, true],
    ['open', { marker: '=', open: true }, false],
    ['closed with a marker that is still to be written', { marker: '=', open: false }, false],
    [
      'closed at [P] with a marker that is still to be written',
      { marker: 'P', open: false },
      false,
    ],
  ])('has come for a task that is %s: %s', (_title, differences, expected) => {
    expect(hasEnded(at(differences))).toBe(expected);
  });
});

describe('an order to work', () => {
  it.each<[string, TaskView, TaskView | undefined, boolean]>([
    ['a task that works', at({ marker: '=', open: true }), undefined, false],
    [
      'a task that is about to fail',
      at({ marker: '=', open: true, needsHuman: true }),
      undefined,
      false,
    ],
    ['a task with a pull request', waiting, undefined, true],
    ['a task that stands as before the order', waiting, waiting, false],
    ['a task that worked and waits again', { ...waiting, steps: [step, step] }, waiting, true],
    ['a done task', at({ marker: 'x' }), waiting, true],
  ])('is carried out for %s: %s', (_title, task, before, expected) => {
    expect(isThrough(task, before)).toBe(expected);
  });
});

describe('the obstacle of a merge', () => {
  const mergeWaits = { reason: 'app.txt has changes', times: 1 };

  it('is what the workflow says while it merges', () => {
    expect(mergeObstacle(at({ lifecycle: 'merging', mergeWaits }))).toBe('app.txt has changes');
  });

  it('is none while the merge goes on, or after it', () => {
    expect(mergeObstacle(at({ lifecycle: 'merging' }))).toBeUndefined();
    expect(mergeObstacle(at({ lifecycle: 'merged', mergeWaits }))).toBeUndefined();
  });
});

describe('a merge that was asked for', () => {
  const merging = (mergeWaits?: TaskView['mergeWaits']) =>
    at({ marker: 'P', open: true, lifecycle: 'merging', ...(mergeWaits && { mergeWaits }) });
  const held = (times: number) => merging({ reason: 'app.txt has changes', times });

  it.each<[string, TaskView, TaskView | undefined, boolean]>([
    ['while it goes on', merging(), waiting, false],
    ['when the task is done', at({ marker: 'x' }), waiting, true],
    ['when the task has failed', at({ marker: '*' }), waiting, true],
    ['when something holds it up', held(1), waiting, true],
    ['by what held it up before', held(3), held(3), false],
    ['by what still holds it up when it was tried again', held(4), held(3), true],
  ])('tells whether it is settled, %s', (_title, task, before, expected) => {
    expect(isMergeSettled(task, before)).toBe(expected);
  });
});
