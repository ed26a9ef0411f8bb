import type { AgentMode } from '../../workflows/domain/agent.ts';
import type { LimitsInForce } from '../inspect/pipeline-view.ts';
import { counted, duration } from './amounts.ts';

/** The limits that matter to an agent of this mode, in words: `20 iterations × 50 turns`, `1h 00m`. */
export function limitWords(mode: AgentMode, limits: LimitsInForce): string[] {
  if (mode === 'built-in') return [];
  const of = (name: keyof LimitsInForce) => Number(limits[name].value);
  const turns = counted(of('max_turns'), 'turn');
  const isLoop = mode === 'ralph_loop';
  const isWatched = isLoop && of('supervisor_interval') > 0;
  return [
    isLoop ? `${counted(of('max_iterations'), 'iteration')} × ${turns}` : turns,
    // Whole hours and minutes need no zeros behind them.
    duration(of('timeout_seconds') * 1000).replace(/ 00[ms]$/, ''),
    ...(isWatched ? [`supervised every ${counted(of('supervisor_interval'), 'iteration')}`] : []),
  ];
}

/** The limits behind those words, for whoever tells where each comes from. */
export function limitNames(mode: AgentMode, limits: LimitsInForce): (keyof LimitsInForce)[] {
  if (mode === 'built-in') return [];
  const isLoop = mode === 'ralph_loop';
  const isWatched = isLoop && Number(limits.supervisor_interval.value) > 0;
  return [
    ...(isLoop ? ['max_iterations' as const] : []),
    'max_turns',
    'timeout_seconds',
    ...(isWatched ? ['supervisor_interval' as const] : []),
    ...(limits.auto_commit.value === true ? ['auto_commit' as const] : []),
  ];
}
