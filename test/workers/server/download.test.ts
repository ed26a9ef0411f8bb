import { afterEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { downloadProgram, officialAddresses } from '../../../workers/server/download.ts';
import { PINNED, PINNED_VERSION } from '../../../workers/server/pinned.ts';
import { tarOf } from '../../helpers/archives.ts';

const PROGRAM = Buffer.from('a program');
let server: http.Server | undefined;
afterEach(() => void server?.close());

/** Serves answers by path; gives the address in front of the path. */
async function serve(answers: Record<string, (response: http.ServerResponse) => void>) {
  server = http.createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer) answer(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function download(addresses: string[]) {
  const said: string[] = [];
  const program = downloadProgram({ addresses, log: (sentence) => said.push(sentence) });
  return { program: await program, said };
}

describe('downloadProgram', () => {
  it('takes the program out of the archive, also behind a redirect', async () => {
    const base = await serve({
      '/cli': (response) => response.writeHead(302, { location: '/archive' }).end(),
      '/archive': (response) => response.end(tarOf({ LICENSE: PROGRAM, temporal: PROGRAM })),
    });
    expect((await download([`${base}/cli`])).program).toEqual(PROGRAM);
  });

  it('says aloud that the sum is not the one we know', async () => {
    const base = await serve({
      '/archive': (response) => response.end(tarOf({ temporal: PROGRAM })),
    });
    const { said } = await download([`${base}/archive`]);
    expect(said).toEqual([expect.stringMatching(/has the sha256 [0-9a-f]{64}, we know/)]);
  });

  it('goes on to the second address when the first has nothing', async () => {
    const base = await serve({
      '/second': (response) => response.end(tarOf({ temporal: PROGRAM })),
    });
    expect((await download([`${base}/first`, `${base}/second`])).program).toEqual(PROGRAM);
  });

  it('tells of each address why it failed', async () => {
    const base = await serve({
      '/page': (response) => response.end('<html>log in first</html>'),
      '/half': (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half', () => response.destroy());
      },
    });
    const host = new URL(base).host;
    await expect(download([`${base}/none`, `${base}/page`, `${base}/half`])).rejects.toThrow(
      new RegExp(`^${host}: HTTP 404; ${host}: .*header.*; ${host}: `),
    );
    await expect(download(['http://127.0.0.1:1/'])).rejects.toThrow('127.0.0.1:1');
  });
});

describe('officialAddresses', () => {
  it.each(Object.entries(PINNED))('names TLS addresses of the maker for %s', (_key, pinned) => {
    const addresses = officialAddresses(pinned);
    expect(addresses).toHaveLength(2);
    for (const address of addresses) {
      expect(new URL(address).protocol).toBe('https:');
      expect(address).toContain(`v${PINNED_VERSION}`);
    }
  });
});
