import { expect, it } from '@jest/globals';
import { stat } from 'node:fs/promises';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { openRuns, startRun, withClientOf, withOwnServer } from '../helpers/with-own-server.ts';

it('starts a server, finds it again, stops it, and keeps its data', () =>
  withOwnServer(async ({ ensure, status, stop, state }) => {
    expect(await status()).toEqual({ kind: 'never-started' });
    const first = await ensure();
    expect(first).toMatchObject({ startedByUs: true, namespace: 'default' });
    expect((await stat(first.dataDir)).mode & 0o077).toBe(0);
    expect(first.dataDir.startsWith(state)).toBe(true);
    expect((await fetch(first.uiUrl)).status).toBe(200);
    await startRun(first.address, 'kept');

    expect(await ensure()).toEqual({ ...first, startedByUs: false });
    expect(await status()).toMatchObject({ kind: 'running', info: { pid: first.pid } });

    expect(await stop()).toBe('stopped');
    expect(await stop()).toBe('not-running');
    expect(await status()).toMatchObject({ kind: 'stopped', asked: true });

    const second = await ensure();
    expect(second).toMatchObject({ startedByUs: true, address: first.address });
    expect(second.pid).not.toBe(first.pid);
    expect(await openRuns(second.address)).toEqual(['kept']);
  }));

it('keeps runs for 30 days and knows our search attributes', () =>
  withOwnServer(async ({ ensure }) => {
    const { address, namespace } = await ensure();
    await withClientOf(address, async ({ connection }) => {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace,
      });
      expect(Object.keys(customAttributes)).toEqual(
        expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)),
      );
    });
  }));
