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

  it.each<[Partial<SweepSettings>, string]>([
    [{ maxWorkers: 2 }, '--max-workers 4, not --max-workers 2'],
    [{ autoMerge: true }, 'no --auto-merge, not --auto-merge'],
    [{ pipeline: 'fast' }, 'no --pipeline, not --pipeline fast'],
    [{ backend: 'script' }, '--backend claude, not --backend script'],
    [{ script: 'demo.yaml' }, 'no --script, not --script demo.yaml'],
  ])('spells a difference as the flags that make it: %j (#9)', (difference, text) => {
    expect(differingSettings(running, { ...running, ...difference })).toEqual([text]);
    const [back] = differingSettings({ ...running, ...difference }, running);
    expect(back).toBe(text.split(', not ').reverse().join(', not '));
  });

  it('lets another environment pass: it is kept from the start (#9)', () => {
    expect(differingSettings(running, { ...running, environment: {} })).toEqual([]);
  });
});
