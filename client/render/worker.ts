import type { WorkerView } from '../inspect/worker-view.ts';
import type { WorkerRecord } from '../worker-records.ts';
import { aligned } from './aligned.ts';
import { counted, dollars, duration, tokens, usageText } from './amounts.ts';
import { eventLines } from './events.ts';
import { placeText, type Around } from './place.ts';
import { printable } from './text.ts';

interface Drawing extends Around {
  columns: number;
  now: number;
}

/** A task run for people: where it stands, what it used, what happened last, where its files are. */
export function workerLines(view: WorkerView, drawing: Drawing): string[] {
  const { standing, settings } = view;
  const title = standing ? `: ${printable(standing.title)}` : '';
  return [
    `${printable(view.task)}${title}`,
    '',
    ...aligned(factsOf(view, drawing), '  '),
    ...section('Steps that have ended', stepRows(view.steps)),
    ...section('Models', modelRows(view)),
    ...lines(
      'Last events',
      eventLines(view.events, { columns: drawing.columns - 2, withTask: false }),
    ),
    ...section('Started with', settings ? settingRows(settings) : []),
    ...section(
      'Files',
      Object.entries(view.paths).map(([kind, path]) => [kind, placeText(path, drawing)]),
    ),
  ];
}

function factsOf(view: WorkerView, { now }: Drawing): string[][] {
  const { standing, last, end, usage, epoch } = view;
  const place = [
    ...(standing?.step ? [printable(standing.step)] : []),
    ...(standing?.visit === undefined ? [] : [`visit ${standing.visit}`]),
    ...(standing?.iteration === undefined ? [] : [`iteration ${standing.iteration + 1}`]),
  ];
  const state = [
    `[${standing?.marker ?? '?'}] ${standing ? standing.state : 'not this run, or not on the board'}`,
    ...(standing?.lifecycle ? [standing.lifecycle] : []),
  ];
  const since = epoch === undefined ? '' : `${duration(now - epoch * 1000)} ago`;
  const facts: [string, string][] = [
    ['state', state.join(' · ')],
    ['why', printable(standing?.why ?? '')],
    ['step', standing?.step ? place.join(' · ') : ''],
    ['last result', last ? `${last.result} of ${last.step} (${last.agent})` : ''],
    ['ended', end ? `${end.result} at ${end.endedAt}${reasons(end.errors)}` : ''],
    ['worker', printable(view.worker ?? 'it has not run yet')],
    ['started', since],
    ['session', printable(view.sessionId ?? '')],
    ['branch', printable(view.branch ?? '')],
    ['pull request', String(standing?.pullRequest ?? '')],
    ['used', usage.turns > 0 || usage.costUsd > 0 ? usageText(usage) : ''],
  ];
  return facts.filter(([, text]) => text !== '');
}

function reasons(errors: readonly string[]): string {
  return errors.length === 0 ? '' : `: ${errors.map(printable).join('; ')}`;
}

function stepRows(steps: readonly WorkerRecord[]): string[][] {
  return steps.map(({ step = '', agent, result, usage }) => [
    printable(step),
    printable(result),
    printable(agent),
    counted(usage.turns, 'turn'),
    duration(usage.seconds * 1000),
    dollars(usage.costUsd),
  ]);
}

function modelRows({ usage: { models } }: WorkerView): string[][] {
  return Object.entries(models).map(([name, used]) => [
    printable(name),
    `${tokens(used.inputTokens)} in, ${tokens(used.outputTokens)} out`,
    `cache ${tokens(used.cacheReadTokens)} read, ${tokens(used.cacheWriteTokens)} written`,
    dollars(used.costUsd),
  ]);
}

function settingRows(settings: NonNullable<WorkerView['settings']>): string[][] {
  const { environment, ...flags } = settings;
  return [
    ...Object.entries(flags).map(([name, value]) => [name, printable(String(value))]),
    ...Object.entries(environment).map(([name, value]) => [printable(name), printable(value)]),
  ];
}

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  return lines(title, aligned(rows));
}

function lines(title: string, text: readonly string[]): string[] {
  return text.length === 0 ? [] : ['', `${title}:`, ...text.map((line) => `  ${line}`)];
}
