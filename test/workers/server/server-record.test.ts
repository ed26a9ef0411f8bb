import { describe, expect, it } from '@jest/globals';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  readRecord,
  writeRecord,
  type ServerRecord,
} from '../../../workers/server/server-record.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const RECORD: ServerRecord = {
  process: { pid: 1, startTicks: '2', bootId: 'three' },
  program: '/bin/temporal',
  version: '1.9.1',
  dataDir: '/data',
  logFile: '/data/server.log',
  ports: { grpc: 7233, ui: 8233 },
  startedAt: '2026-01-02T03:04:05.000Z',
  ready: true,
  stopped: false,
};

describe('the record of the server', () => {
  it('comes back as it was written, and leaves nothing beside it', () =>
    withFolder(async (folder) => {
      await writeRecord(folder, RECORD);
      expect(await readRecord(folder)).toEqual(RECORD);
      expect(await readdir(folder)).toEqual(['server.json']);
    }));

  it.each(['', '{"process": {', '[]', JSON.stringify({ ...RECORD, ports: {} })])(
    'counts as absent when it holds %j',
    (text) =>
      withFolder(async (folder) => {
        await writeFile(path.join(folder, 'server.json'), text);
        expect(await readRecord(folder)).toBeUndefined();
      }),
  );
});
