import { describe, expect, it } from '@jest/globals';
import { parseWorkerFolder, workerFolderName } from '../../config/worker-folder.ts';

describe('the folder of a task run', () => {
  it('names its task and claim, and is read back', () => {
    expect(workerFolderName('AB-12-1700000000')).toBe('worker-AB-12-1700000000');
    expect(parseWorkerFolder('worker-AB-12-1700000000')).toEqual({
      task: 'AB-12',
      epoch: 1_700_000_000,
    });
  });

  it.each([
    'worker-AB-12',
    'worker-AB-12-',
    'worker-A-1-1700000000',
    'worker-AB-12-1700000000.bak',
    'worker-AB-1-2-1700000000',
    'service-AB-12-1700000000',
    '.DS_Store',
  ])('is not %s', (name) => {
    expect(parseWorkerFolder(name)).toBeUndefined();
  });
});
