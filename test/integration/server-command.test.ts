import { expect, it } from '@jest/globals';
import { runWiggum } from '../helpers/run-wiggum.ts';
import { kill, withOwnServer } from '../helpers/with-own-server.ts';
import { withTemporal } from '../helpers/with-temporal.ts';

it('starts, shows and stops the server', () =>
  withOwnServer(async ({ environment, status }) => {
    const server = (...words: string[]) =>
      runWiggum(['server', ...words], { environment, cwd: environment['HOME'] ?? '' });

    const started = await server('start', '--json');
    expect([started.code, started.stderr.includes('started in')]).toEqual([0, true]);
    const { info, ...rest } = JSON.parse(started.stdout) as {
      info: { pid: number; uiUrl: string };
    };
    expect(rest).toEqual({ embedded: true, kind: 'running' });

    const shown = await server('status');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`process ${info.pid}`);
    expect(shown.stdout).toContain(`pages  ${info.uiUrl}`);

    await kill(info.pid);
    expect(await server('status')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('died; the next command'),
    });
    expect(await server('start')).toMatchObject({ code: 0 });
    expect(await server('stop')).toMatchObject({ code: 0 });
    expect(await status()).toMatchObject({ kind: 'stopped', asked: true });
    expect((await server('status')).stdout).toContain('stopped; the next command');
  }));

it('shows a server that the environment names', () =>
  withTemporal(async ({ address, namespace, environment }) => {
    const { code, stdout } = await runWiggum(['server', 'status', '--json'], {
      environment,
      cwd: '/',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ kind: 'running', embedded: false, address, namespace });
  }));
