import { describe, expect, it } from '@jest/globals';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tarMember, zipMember } from '../../../workers/server/archive-members.ts';
import { tarOf, zipOf } from '../../helpers/archives.ts';

const FILES = { LICENSE: Buffer.from('may be used'), temporal: Buffer.alloc(2000, 'x') };

describe('zipMember', () => {
  it('takes one file out of an archive', async () => {
    expect(await zipMember(zipOf(FILES), 'temporal')).toEqual(FILES.temporal);
  });

  it('says what is missing', async () => {
    await expect(zipMember(zipOf(FILES), 'other')).rejects.toThrow('it has no member other');
    await expect(zipMember(Buffer.from('<html>'), 'temporal')).rejects.toThrow('not a zip');
  });
});

describe('tarMember', () => {
  it('takes one file out of an archive', async () => {
    expect(await tarMember(tarOf(FILES), 'temporal')).toEqual(FILES.temporal);
    expect(await tarMember(tarOf({ './temporal': FILES.LICENSE }), 'temporal')).toEqual(
      FILES.LICENSE,
    );
  });

  it('says what is missing', async () => {
    await expect(tarMember(tarOf(FILES), 'other')).rejects.toThrow('it has no member other');
    await expect(tarMember(gzipSync('<html>'.repeat(200)), 'temporal')).rejects.toThrow(
      'not a tar archive',
    );
    await expect(tarMember(Buffer.from('<html>'), 'temporal')).rejects.toThrow();
  });

  it('refuses an archive that ends in the middle of the file', async () => {
    const whole = tarOf({ temporal: Buffer.alloc(5000, 'x') });
    const half = gzipSync(gunzipSync(whole).subarray(0, 3000));
    await expect(tarMember(half, 'temporal')).rejects.toThrow('ends too early');
  });
});
