import { expect, it } from '@jest/globals';
import type { ServerInfo } from '../../workers/server/dev-server.ts';
import { serversOnFile } from '../../workers/server/servers-on-file.ts';
import { startChild } from '../helpers/start-child.ts';
import { withOwnServer } from '../helpers/with-own-server.ts';

it('starts one server when three commands ask at once', () =>
  withOwnServer(async ({ environment }) => {
    const callers = [1, 2, 3].map(() => startChild('server/ensures-server.mjs', [], environment));
    expect(await Promise.all(callers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const answers = callers.map(({ output }) => JSON.parse(output()) as ServerInfo);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
    expect(answers.filter(({ startedByUs }) => startedByUs)).toHaveLength(1);
    const database = `${answers[0]?.dataDir}/temporal.db`;
    expect(await serversOnFile(database)).toHaveLength(1);
  }));
