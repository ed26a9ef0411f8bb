import { LIMIT_NAMES } from '../../config/agent-limits.ts';
import { unitKey, type Target } from '../../workflows/domain/steps.ts';
import type { Branch, PipelineView, UnitView, Way } from '../inspect/pipeline-view.ts';
import { counted, dollars } from './amounts.ts';
import { limitWords } from './limits.ts';
import { placeText, problemText, type Around } from './place.ts';
import { drawRails, gutterWidth, type Row } from './rails.ts';
import { printable, widthOf } from './text.ts';
import { wrap } from './wrap.ts';

export interface Drawing extends Around {
  columns: number;
  colour: boolean;
}

const CHOSEN: Record<PipelineView['chosenBy'], string> = {
  name: 'named on the command line',
  WIGGUM_PIPELINE: 'named by WIGGUM_PIPELINE',
  task: 'of this task alone',
  project: 'of the project',
  default: 'nothing else is named',
};
const DEEPEST = 8;
const NARROWEST = 30;

/** A pipeline for people: steps from top to bottom, what each result leads to, loops as rails at the left. */
export function pipelineLines(view: PipelineView, drawing: Drawing): string[] {
  const dim = (text: string) => (drawing.colour ? `\u001b[2m${text}\u001b[0m` : text);
  const rowsIn = (width: number) => rowsOf({ view, width, dim, indent: 0 });
  const rows = rowsIn(drawing.columns - gutterWidth(rowsIn(drawing.columns)));
  return [
    `${printable(view.name)}: ${counted(view.steps.length, 'step')}, from ${placeText(view.file, drawing)}`,
    `(${CHOSEN[view.chosenBy]})${costText(view, drawing)}`,
    '',
    ...drawRails(rows),
    '',
    ...legend(view),
    ...view.notices.map((notice) => `note: ${problemText(notice, drawing)}`),
  ];
}

const DEFAULT = '(default)';

function costText({ costLimit }: PipelineView, around: Around): string {
  if (!costLimit) return '';
  return `; a task may cost ${dollars(costLimit.value)} (${placeText(costLimit.source, around)})`;
}

function rowsOf(place: Place): Row[] {
  return place.view.steps.flatMap((step, index): Row[] => [
    ...(index === 0 ? [] : [{ text: '' }]),
    { text: headText(`${index + 1} ${step.path[0]}`, step, place.width), head: index },
    ...unitRows(step, { ...place, indent: String(index + 1).length + 1 }),
  ]);
}

interface Place {
  view: PipelineView;
  width: number;
  indent: number;
  /** Makes text faint where the terminal can. */
  dim: (text: string) => string;
}

/** What a unit is, then where its results lead; handlers stand below their result. */
function unitRows(unit: UnitView, place: Place): Row[] {
  const { indent, width, view } = place;
  const pad = ' '.repeat(indent);
  const facts = wrap(factsOf(unit, view), Math.max(NARROWEST, width - indent));
  const groups = groupResults(unit);
  const labels = Math.max(...groups.map(({ label }) => widthOf(label)));
  return [
    ...facts.map((text, line): Row => ({
      text: pad + text,
      // What follows the last visit stands first.
      ...(line === 0 && unit.max > 0 && backTo(unit, unit.onMax.to, view)),
    })),
    ...groups.flatMap(({ label, branch }): Row[] => {
      const start = label + ' '.repeat(labels - widthOf(label) + 2);
      if (branch.kind === 'jump') {
        const way = start + wayText(unit, branch, view);
        const text = branch.isDefault ? place.dim(`${way} ${DEFAULT}`) : way;
        return [{ text: pad + text, ...backTo(unit, branch.to, view) }];
      }
      const { handler } = branch;
      const head = headText(`→ ${handler.path.at(-1)}`, handler, width - indent - widthOf(start));
      const deeper = handler.path.length <= DEEPEST ? indent + 4 : indent;
      return [{ text: pad + start + head }, ...unitRows(handler, { ...place, indent: deeper })];
    }),
  ];
}

function headText(name: string, unit: UnitView, width: number): string {
  const isOff = unit.enabledBy?.isOn === false;
  const left = `${name}${isOff ? ' (off)' : ''} `;
  const right = ` ${printable(unit.agent)}`;
  const room = width - widthOf(left) - widthOf(right);
  return left + (isOff ? '┄' : '─').repeat(Math.max(2, room)) + right;
}

function factsOf(unit: UnitView, view: PipelineView): string[] {
  const { max, enabledBy, hooks, config, limits, mode } = unit;
  const others = Object.entries(config).filter(
    ([key]) => !LIMIT_NAMES.some((name) => name === key),
  );
  return [
    max > 0 ? `max ${max}, then ${wayText(unit, unit.onMax, view)}` : 'no max',
    ...(enabledBy
      ? [`only with ${enabledBy.variable} (now ${enabledBy.isOn ? 'on' : 'off'})`]
      : []),
    mode,
    ...(unit.readonly ? ['readonly'] : []),
    ...(unit.commits ? ['commits after'] : []),
    ...limitWords(mode, limits),
    ...(hooks?.pre ?? []).map((call) => `before: ${printable(call)}`),
    ...(hooks?.post ?? []).map((call) => `after: ${printable(call)}`),
    ...others.map(([key, value]) => `${printable(key)}: ${printable(JSON.stringify(value))}`),
  ];
}

/** Results that lead to the same place share a line; what every step does with UNKNOWN is in the legend. */
function groupResults(unit: UnitView): { label: string; branch: Branch }[] {
  const groups = new Map<string, { results: string[]; branch: Branch }>();
  for (const branch of unit.results) {
    if (isOrdinaryUnknown(unit, branch)) continue;
    const key =
      branch.kind === 'jump' ? JSON.stringify([branch.to, branch.isDefault]) : branch.result;
    const group = groups.get(key) ?? { results: [], branch };
    group.results.push(branch.result);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  if (unit.path.length === 1)
    return all.map(({ results, branch }) => ({ label: labelOf(results), branch }));
  // A handler hands back to its step whatever else it says.
  const isRest = ({ branch }: { branch: Branch }) => branch.kind === 'jump' && branch.isDefault;
  const rest = all.length === 1 ? 'any result' : 'otherwise';
  return [...all.filter((group) => !isRest(group)), ...all.filter(isRest)].map((group) => ({
    label: isRest(group) ? rest : labelOf(group.results),
    branch: group.branch,
  }));
}

function labelOf(results: readonly string[]): string {
  return results.map(printable).join(' ');
}

function isOrdinaryUnknown({ path }: UnitView, branch: Branch): boolean {
  return (
    path.length === 1 &&
    branch.result === 'UNKNOWN' &&
    branch.kind === 'jump' &&
    branch.isDefault &&
    isSame(branch.to, path)
  );
}

function wayText(unit: UnitView, { to }: Pick<Way, 'to'>, view: PipelineView): string {
  switch (to.kind) {
    case 'end':
      return '✓ done';
    case 'abort':
      return '✗ abort';
    case 'unit': {
      const at = indexOf(view, to.path);
      const from = indexOf(view, unit.path);
      const arrow = at === from ? '↺' : at < from ? '↑' : '↓';
      const number = to.path.length === 1 ? `${at + 1} ` : '';
      return `${arrow} ${number}${to.path.at(-1)}`;
    }
  }
}

function backTo(unit: UnitView, to: Target, view: PipelineView): { backTo?: number } {
  if (to.kind !== 'unit') return {};
  const at = indexOf(view, to.path);
  return at < indexOf(view, unit.path) ? { backTo: at } : {};
}

function indexOf({ steps }: PipelineView, [id]: readonly string[]): number {
  return steps.findIndex(({ path }) => path[0] === id);
}

function isSame(to: Target, path: readonly string[]): boolean {
  return to.kind === 'unit' && unitKey(to.path) === unitKey(path);
}

function legend({ steps }: PipelineView): string[] {
  return [
    `↓ on  ↑ back  ↺ again  ✗ abort  ✓ done; ${DEFAULT} where the file says nothing.`,
    'UNKNOWN, an answer without a result, runs the step again; the third is a FAIL.',
    ...(steps.some(doesCommit) ? ['A commit that is refused counts as FIX.'] : []),
  ];
}

function doesCommit(unit: UnitView): boolean {
  if (unit.commits) return true;
  return unit.results.some((branch) => branch.kind === 'inline' && doesCommit(branch.handler));
}
