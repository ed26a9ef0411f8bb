import { describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { namedServer, resolveConnection } from '../../../workers/server/connection.ts';
import { freePort } from '../../../workers/server/ports.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const PROFILES = `
[profile.default]
address = "default.example:7233"

[profile.team]
address = "team.example:7233"
namespace = "builds"
api_key = "secret"
`;

/** A home in which nobody chose anything yet. */
function withHome(use: (home: string) => Promise<void>): Promise<void> {
  return withFolder(use);
}

async function writeProfiles(home: string, text: string): Promise<string> {
  const file = path.join(home, 'temporal.toml');
  await mkdir(home, { recursive: true });
  await writeFile(file, text);
  return file;
}

describe('namedServer', () => {
  it('names none when nobody chose one', () =>
    withHome((HOME) => {
      expect(namedServer({ HOME })).toBeUndefined();
      expect(namedServer({ HOME, TEMPORAL_ADDRESS: '' })).toBeUndefined();
      return Promise.resolve();
    }));

  it('takes TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE', () =>
    withHome((HOME) => {
      expect(
        namedServer({ HOME, TEMPORAL_ADDRESS: 'a.example:1', TEMPORAL_NAMESPACE: 'ours' }),
      ).toEqual({
        address: 'a.example:1',
        namespace: 'ours',
        embedded: false,
        connectOptions: { address: 'a.example:1' },
      });
      expect(namedServer({ HOME, TEMPORAL_ADDRESS: 'a.example:1' })?.namespace).toBe('default');
      return Promise.resolve();
    }));

  it('takes a profile of temporal.toml, with TLS for a key', () =>
    withHome(async (HOME) => {
      const TEMPORAL_CONFIG_FILE = await writeProfiles(HOME, PROFILES);
      const environment = { HOME, TEMPORAL_CONFIG_FILE };
      expect(namedServer(environment)?.address).toBe('default.example:7233');
      expect(namedServer({ ...environment, TEMPORAL_PROFILE: 'team' })).toMatchObject({
        address: 'team.example:7233',
        namespace: 'builds',
        connectOptions: { address: 'team.example:7233', apiKey: 'secret', tls: true },
      });
      expect(namedServer({ ...environment, TEMPORAL_ADDRESS: 'a.example:1' })?.address).toBe(
        'a.example:1',
      );
    }));

  it('passes over a file without profiles', () =>
    withHome(async (HOME) => {
      const environment = { HOME, TEMPORAL_CONFIG_FILE: await writeProfiles(HOME, '') };
      expect(namedServer(environment)).toBeUndefined();
      expect(namedServer({ ...environment, TEMPORAL_ADDRESS: 'a.example:1' })?.address).toBe(
        'a.example:1',
      );
    }));

  it.each([
    ['a profile that is not there', PROFILES, { TEMPORAL_PROFILE: 'other' }, /'other' not found/],
    ['a file that does not parse', 'address = ', {}, /cannot be read/],
    ['a file that is not there', undefined, {}, /not there/],
  ])('refuses %s instead of starting a server of our own', (_title, text, more, message) =>
    withHome(async (HOME) => {
      const file = path.join(HOME, 'temporal.toml');
      if (text !== undefined) await writeProfiles(HOME, text);
      const choose = () => namedServer({ HOME, TEMPORAL_CONFIG_FILE: file, ...more });
      expect(choose).toThrow(message);
      expect(choose).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }),
  );
});

describe('resolveConnection', () => {
  it(
    'says within seconds which address does not answer',
    () =>
      withHome(async (HOME) => {
        const address = `127.0.0.1:${await freePort()}`;
        const environment = { HOME, TEMPORAL_ADDRESS: address };
        await expect(
          resolveConnection({ environment, log: () => undefined }),
        ).rejects.toMatchObject({
          code: 'SERVER_UNREACHABLE',
          message: expect.stringContaining(`The Temporal server at ${address} does not`),
        });
      }),
    15_000,
  );
});
