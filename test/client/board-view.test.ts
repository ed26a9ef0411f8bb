import { describe, expect, it } from '@jest/globals';
import { taskView, viewOf, viewOfFile, type TaskState } from '../../client/board-view.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import type { CardStatus } from '../../workflows/domain/sweep.ts';
import type { TaskStatus } from '../../workflows/domain/task.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';

const card = (differences: Partial<CardStatus> = {}): CardStatus => ({
  id: 'AB-1',
  title: 'Title',
  marker: ' ',
  priority: 'HIGH',
  line: 5,
  open: false,
  why: '',
  ...differences,
});
const status = (differences: Partial<TaskStatus> = {}): TaskStatus => ({
  task: 'AB-1',
  title: 'Title',
  epoch: 1,
  state: 'needs_merge',
  why: 'execution · iteration 1 of 20',
  needsHuman: false,
  startedAt: '2026-01-02T03:00:00Z',
  ...NO_USAGE,
  costUsd: 1,
  turns: 3,
  steps: [],
  step: 'execution',
  iteration: 0,
  ...differences,
});

describe('a row', () => {
  it.each<[Marker, boolean, boolean | undefined, TaskState]>([
    [' ', false, undefined, 'pending'],
    ['=', true, false, 'running'],
    ['=', true, true, 'needs-you'],
    ['P', true, true, 'needs-you'],
    ['P', true, false, 'running'],
    ['P', true, undefined, 'needs-you'],
    ['P', false, undefined, 'needs-you'],
    ['x', false, undefined, 'done'],
    ['*', false, undefined, 'failed'],
    ['N', false, undefined, 'not-planned'],
  ])(
    'with marker [%s], open %s and needing a person %s is %s',
    (marker, open, needsHuman, state) => {
      const own = needsHuman === undefined ? undefined : status({ needsHuman });
      expect(taskView(card({ marker, open }), own).state).toBe(state);
    },
  );

  it('takes place, money and reason from the workflow of an open task', () => {
    const view = taskView(card({ marker: '=', open: true, why: 'old' }), status());
    expect(view).toMatchObject({
      step: 'execution',
      iteration: 0,
      costUsd: 1,
      lifecycle: 'needs_merge',
      why: 'execution · iteration 1 of 20',
    });
    expect(view).not.toHaveProperty('epoch');
  });

  it('keeps the reason of the board for a task that has ended', () => {
    const ended = card({ marker: '*', why: 'aborted by me' });
    expect(taskView(ended, status())).toMatchObject({
      why: 'aborted by me',
      step: null,
      costUsd: 1,
    });
  });

  it('has every key that programs rely on, also without a workflow', () => {
    expect(Object.keys(taskView(card(), undefined))).toEqual(
      expect.arrayContaining(['id', 'title', 'marker', 'state', 'step', 'why']),
    );
  });
});

it('joins the rows of the board with the answers of the tasks', () => {
  const board = {
    sweeping: true,
    settings: { maxWorkers: 1, autoMerge: false, backend: 'script', environment: {} },
    cards: [card({ marker: '=', open: true }), card({ id: 'AB-2', why: 'waits for AB-1' })],
    cycles: [['AB-3', 'AB-4']],
    problems: [],
  };
  expect(viewOf(board, new Map([['AB-1', { status: status() }]]))).toMatchObject({
    sweeping: true,
    cycles: [['AB-3', 'AB-4']],
    tasks: [
      { id: 'AB-1', step: 'execution' },
      { id: 'AB-2', step: null, why: 'waits for AB-1' },
    ],
  });
});

it('tells of an open task what holds its work up, behind what it is at', () => {
  const why = (open: boolean) =>
    viewOf(
      {
        sweeping: true,
        settings: { maxWorkers: 1, autoMerge: false, backend: 'script', environment: {} },
        cards: [card({ marker: '=', open, why: 'old' })],
        cycles: [],
        problems: [],
      },
      new Map([['AB-1', { status: status({ why: 'audit' }), heldUp: 'tries again (attempt 2)' }]]),
    ).tasks[0]?.why;
  expect(why(true)).toBe('audit · tries again (attempt 2)');
  expect(why(false)).toBe('old');
});

it('calls a task in progress paused when only its file tells of it', () => {
  const cards = [{ ...card({ marker: '=' as const, open: true }), step: 'audit', workerDir: '/w' }];
  expect(viewOfFile(cards, { problems: [], cycles: [] }).tasks).toMatchObject([
    { state: 'paused', step: 'audit', workerDir: '/w' },
  ]);
});
