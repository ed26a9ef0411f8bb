import { describe, expect, it } from '@jest/globals';
import { differingSettings, type SweepSettings } from '../../../workflows/domain/sweep.ts';

const running: SweepSettings = {
  maxWorkers: 4,
  autoMerge: false,
  backend: 'claude',
  environment: { WIGGUM_PLAN_MODE: 'true' },
};

describe('differingSettings', () => {
  it('finds nothing between equal sweeps (#9)', () => {
    expect(differingSettings(running, { ...running })).toEqual([]);
  });

  it.each<[Partial<SweepSettings>, string, string]>([
    [{ maxWorkers: 2 }, '--max-workers 4', '--max-workers 2'],
    [{ autoMerge: true }, 'no --auto-merge', '--auto-merge'],
    [{ pipeline: 'fast' }, 'no --pipeline', '--pipeline fast'],
    [{ backend: 'script' }, '--backend claude', '--backend script'],
    [{ script: 'demo.yaml' }, 'no --script', '--script demo.yaml'],
  ])('spells a difference as the flags that make it: %j (#9)', (difference, has, wanted) => {
    const other = { ...running, ...difference };
    expect(differingSettings(running, other)).toEqual([`it has ${has}, you ask for ${wanted}`]);
    expect(differingSettings(other, running)).toEqual([`it has ${wanted}, you ask for ${has}`]);
  });

  it('lets another environment pass: it is kept from the start (#9)', () => {
    expect(differingSettings(running, { ...running, environment: {} })).toEqual([]);
  });
});
