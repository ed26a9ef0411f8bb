import { unitKey, type Target, type UnitPath } from '../../workflows/domain/steps.ts';
import type { PipelineView, UnitView } from '../inspect/pipeline-view.ts';

interface Edge {
  from: string;
  to: string;
  labels: string[];
  /** Taken without a result: no visits left, or switched off. */
  isDotted: boolean;
}

const DONE = 'done';
const ABORT = 'aborted';

/** A pipeline as a Mermaid flowchart, as pages with Markdown draw it. */
export function pipelineMermaid(view: PipelineView): string[] {
  const units = view.steps.flatMap(withHandlers);
  // Numbers: an id of ours could be a word of Mermaid's.
  const names = new Map(units.map(({ path }, index) => [unitKey(path), `n${index + 1}`]));
  const nameOf = (path: UnitPath) => names.get(unitKey(path)) ?? ABORT;
  const edges = units.flatMap((unit) => edgesOf(unit, nameOf));
  const reached = new Set(edges.map(({ to }) => to));
  const off = units.filter(({ enabledBy }) => enabledBy?.isOn === false);
  const first = view.steps[0];
  return [
    'flowchart TD',
    `  begin(["${escaped(view.name)}"])`,
    ...units.map((unit) => `  ${nameOf(unit.path)}${shape(unit, view)}`),
    ...(reached.has(DONE) ? [`  ${DONE}(["done"])`] : []),
    ...(reached.has(ABORT) ? [`  ${ABORT}(["abort"])`] : []),
    ...(first ? [`  begin --> ${nameOf(first.path)}`] : []),
    ...edges.map(edgeText),
    ...(off.length > 0 ? ['  classDef off stroke-dasharray: 5 5'] : []),
    ...off.map(({ path }) => `  class ${nameOf(path)} off`),
  ];
}

function withHandlers(unit: UnitView): UnitView[] {
  const inner = unit.results.flatMap((branch) =>
    branch.kind === 'inline' ? withHandlers(branch.handler) : [],
  );
  return [unit, ...inner];
}

/** Steps are boxes, inline handlers round ones. */
function shape(unit: UnitView, { steps }: PipelineView): string {
  const { path, agent, max, readonly, commits, enabledBy } = unit;
  const isStep = path.length === 1;
  const number = isStep ? `${steps.indexOf(unit) + 1} ` : '';
  const facts = [
    ...(max > 0 ? [`max ${max}`] : []),
    ...(readonly ? ['readonly'] : []),
    ...(commits ? ['commits'] : []),
    ...(enabledBy ? [`only with ${enabledBy.variable}`] : []),
  ];
  const label = [`${number}${path.at(-1)}`, agent, facts.join(', ')]
    .filter(Boolean)
    .map(escaped)
    .join('<br/>');
  return isStep ? `["${label}"]` : `("${label}")`;
}

function edgesOf(unit: UnitView, nameOf: (path: UnitPath) => string): Edge[] {
  const from = nameOf(unit.path);
  const ends = (to: Target) =>
    to.kind === 'unit' ? nameOf(to.path) : to.kind === 'end' ? DONE : ABORT;
  const edges: Edge[] = [];
  const add = (to: string, label: string, isDotted = false) => {
    const known = edges.find((edge) => edge.to === to && edge.isDotted === isDotted);
    if (known) known.labels.push(label);
    else edges.push({ from, to, labels: [label], isDotted });
  };
  for (const branch of unit.results)
    if (branch.kind === 'inline') add(nameOf(branch.handler.path), branch.result);
    else if (branch.result !== 'UNKNOWN' || !branch.isDefault) add(ends(branch.to), branch.result);
  if (unit.max > 0) add(ends(unit.onMax.to), `after ${unit.max}`, true);
  if (unit.enabledBy) add(ends(unit.enabledBy.whenOff), 'off', true);
  return edges;
}

function edgeText({ from, to, labels, isDotted }: Edge): string {
  const arrow = isDotted ? '-.->' : '-->';
  return `  ${from} ${arrow}|"${labels.map(escaped).join(', ')}"| ${to}`;
}

/** Mermaid reads HTML and its own marks in labels; as entities they are letters. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,_/()-]/gu, (mark) => `#${mark.codePointAt(0)};`);
}
