import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { resolveConnection } from '../../workers/server/connection.ts';
import { withOwnServer } from '../helpers/with-own-server.ts';
import { withTemporal } from '../helpers/with-temporal.ts';

it('uses the server of TEMPORAL_ADDRESS and starts none', () =>
  withTemporal(({ address, namespace, environment: chosen }) =>
    withOwnServer(async ({ environment, log, state, said }) => {
      const connection = await resolveConnection({
        environment: { ...environment, ...chosen },
        log,
      });
      expect(connection).toMatchObject({ address, namespace, embedded: false });
      expect(existsSync(state)).toBe(false);
      expect(said).toEqual([]);
    }),
  ));

it('uses the server of a profile and starts none', () =>
  withTemporal(({ address, namespace }) =>
    withOwnServer(async ({ environment, log, state }) => {
      const file = path.join(environment['HOME'] ?? '', 'temporal.toml');
      await writeFile(file, `[profile.team]\naddress = "${address}"\nnamespace = "${namespace}"\n`);
      const chosen = { ...environment, TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'team' };
      const connection = await resolveConnection({ environment: chosen, log });
      expect(connection).toMatchObject({ address, namespace, embedded: false });
      expect(existsSync(state)).toBe(false);
    }),
  ));

it('starts our own server when nobody chose one', () =>
  withOwnServer(async ({ environment, log, status }) => {
    const connection = await resolveConnection({ environment, log });
    expect(connection).toMatchObject({ namespace: 'default', embedded: true });
    expect(await status()).toMatchObject({
      kind: 'running',
      info: { address: connection.address, uiUrl: connection.uiUrl },
    });
  }));
