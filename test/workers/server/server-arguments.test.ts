import { describe, expect, it } from '@jest/globals';
import { serverArguments, serverEnvironment } from '../../../workers/server/server-arguments.ts';

describe('serverArguments', () => {
  it('listens on this machine alone, with pages only where a port is named', () => {
    const place = { port: 7233, databaseFile: '/data/temporal.db' };
    const words = (more: { uiPort?: number }) => serverArguments({ ...place, ...more }).join(' ');
    expect(words({ uiPort: 8233 })).toMatch(/--ip 127\.0\.0\.1 --port 7233 --ui-port 8233/);
    expect(words({})).toContain('--headless');
    expect(words({})).toContain('--db-filename /data/temporal.db --sqlite-pragma journal_mode=wal');
  });
});

describe('serverEnvironment', () => {
  it('keeps the secrets of a command from the server that outlives it', () => {
    const environment = { PATH: '/bin', HOME: '/home/me', ANTHROPIC_API_KEY: 'secret' };
    expect(serverEnvironment(environment)).toEqual({ PATH: '/bin', HOME: '/home/me' });
  });
});
