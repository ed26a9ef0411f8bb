import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { watchBoard } from '../../client/watch-board.ts';
import { boardWorkflowId } from '../../workflows/contract.ts';

/** A server with one task at work, whose git is tried for the seventh time. */
function aServer() {
  const server = { now: 100_000, described: 0, iteration: 0, open: true };
  const card = () => ({ id: 'AB-1', title: 'A', marker: '=', line: 1, open: server.open, why: '' });
  const pendingActivities = [{ attempt: 7, lastFailure: { message: 'disk is full' } }];
  const client = {
    withDeadline: (_until: number, ask: () => unknown) => ask(),
    workflow: {
      getHandle: (id: string) => ({
        query: () =>
          Promise.resolve(
            id === boardWorkflowId('p')
              ? { sweeping: true, settings: {}, cards: [card()], cycles: [], problems: [] }
              : { task: 'AB-1', why: 'ask 1', iteration: server.iteration, steps: [] },
          ),
        describe: () => {
          server.described += 1;
          return Promise.resolve({ raw: { pendingActivities } });
        },
      }),
    },
  };
  const look = watchBoard(client as unknown as Client, 'p', () => server.now);
  const why = async () => {
    const seen = await look();
    return seen.kind === 'view' ? seen.view.tasks[0]?.why : seen.kind;
  };
  return { server, why };
}

describe('a look at a task whose work is tried again', () => {
  const TROUBLE = 'ask 1 · tries again (attempt 7): disk is full';

  it('tells the reason at the first look', async () => {
    const { why } = aServer();
    expect(await why()).toBe(TROUBLE);
  });

  it('asks the server every 5 s, and remembers the answer between', async () => {
    const { server, why } = aServer();
    for (let second = 0; second < 60; second += 1) {
      expect(await why()).toBe(TROUBLE);
      server.now += 1_000;
    }
    expect(server.described).toBe(12);
  });

  it('asks nothing more while the task moves', async () => {
    const { server, why } = aServer();
    await why();
    for (let second = 0; second < 60; second += 1) {
      server.now += 1_000;
      if (second % 4 === 0) server.iteration += 1;
      expect(await why()).toBe('ask 1');
    }
    expect(server.described).toBe(1);
  });

  it('asks nothing more about a task that has ended', async () => {
    const { server, why } = aServer();
    await why();
    server.now += 60_000;
    server.open = false;
    expect(await why()).toBe('ask 1');
    expect(server.described).toBe(1);
  });
});
