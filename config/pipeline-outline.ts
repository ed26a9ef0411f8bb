import { RELATIVE_JUMPS } from '../workflows/domain/steps.ts';
import { nearestName } from './nearest-name.ts';

type Path = readonly PropertyKey[];

/** Ids, jumps and agents of a pipeline file, as far as they can be made out in a file that may be wrong. */
export interface PipelineOutline {
  steps: Named[];
  /** Inline handlers; `name` is undefined when the file gives none. */
  inlines: { name: string | undefined; path: Path; parent: string }[];
  jumps: Named[];
  agents: Named[];
  /** First words of the calls. */
  hooks: Named[];
}

/** The id of an inline handler that is given none. */
export const NAMELESS = 'inline';

interface Named {
  name: string;
  path: Path;
}

/** Walks over a pipeline's JSON and notes what it names and where. */
export function outlinePipeline(value: unknown): PipelineOutline {
  const outline: PipelineOutline = { steps: [], inlines: [], jumps: [], agents: [], hooks: [] };
  const root = asRecord(value);
  for (const [result, mapping] of Object.entries(asRecord(root['result_mappings'])))
    note(outline.jumps, asRecord(mapping)['default_jump'], [
      'result_mappings',
      result,
      'default_jump',
    ]);
  const steps = Array.isArray(root['steps']) ? (root['steps'] as unknown[]) : [];
  for (const [index, step] of steps.entries()) {
    note(outline.steps, asRecord(step)['id'], ['steps', index, 'id']);
    outlineUnit(outline, step, ['steps', index]);
  }
  return outline;
}

/** Finds jumps to nowhere and names that stand for two things. */
export function outlineProblems(outline: PipelineOutline): { path: Path; message: string }[] {
  return [...jumpProblems(outline), ...stepProblems(outline), ...inlineProblems(outline)];
}

function outlineUnit(outline: PipelineOutline, value: unknown, path: Path): void {
  const unit = asRecord(value);
  note(outline.agents, unit['agent'], [...path, 'agent']);
  note(outline.jumps, unit['on_max'], [...path, 'on_max']);
  for (const [when, calls] of Object.entries(asRecord(unit['hooks'])))
    for (const [index, call] of (Array.isArray(calls) ? (calls as unknown[]) : []).entries())
      if (typeof call === 'string' && call.trim())
        note(outline.hooks, call.trim().split(/\s/)[0], [...path, 'hooks', when, index]);
  for (const [result, handler] of Object.entries(asRecord(unit['on_result']))) {
    const at = [...path, 'on_result', result];
    const { jump, agent, id } = asRecord(handler);
    note(outline.jumps, jump, [...at, 'jump']);
    // A bare string is refused by its form; a target that does not exist is told as well.
    if (agent === undefined) continue;
    const name = typeof id === 'string' ? id : undefined;
    outline.inlines.push({ name, path: at, parent: path.join('.') });
    outlineUnit(outline, handler, at);
  }
}

function jumpProblems({ jumps, steps, inlines }: PipelineOutline) {
  const targets = [...new Set([...RELATIVE_JUMPS, ...steps.map(({ name }) => name)])];
  return jumps
    .filter(({ name }) => !targets.includes(name))
    .map(({ name, path }) => {
      const isInline = inlines.some((inline) => inline.name === name);
      const meant = nearestName(name, targets);
      const ending = isInline
        ? '; an inline handler cannot be jumped to'
        : meant === undefined
          ? `; targets are ${targets.join(', ')}`
          : `; did you mean "${meant}"?`;
      return { path, message: `there is no step "${name}"${ending}` };
    });
}

function stepProblems({ steps }: PipelineOutline) {
  return steps.flatMap(({ name, path }, index) => {
    if ((RELATIVE_JUMPS as readonly string[]).includes(name))
      return [{ path, message: `"${name}" is a jump target and cannot be the id of a step` }];
    const first = steps.findIndex((step) => step.name === name);
    return first < index
      ? [{ path, message: `the id "${name}" stands for step ${first + 1} already` }]
      : [];
  });
}

/** Results and sessions are looked up by id, so a handler must not be called like anything else. */
function inlineProblems({ steps, inlines }: PipelineOutline) {
  const isInlineTaken = [...steps, ...inlines].some(({ name }) => name === NAMELESS);
  return inlines.flatMap(({ name, path, parent }, index) => {
    const isAgain = inlines
      .slice(0, index)
      .some((other) => other.name === name && (name !== undefined || other.parent === parent));
    if (name === undefined && isAgain)
      return [{ path, message: 'two handlers of one step without an id; give each an "id"' }];
    if (name === undefined && isInlineTaken)
      return [{ path, message: `give it an "id": another is called "${NAMELESS}" already` }];
    return isAgain || steps.some((step) => step.name === name)
      ? [{ path: [...path, 'id'], message: `the id "${name}" stands for another step or handler` }]
      : [];
  });
}

function note(list: Named[], value: unknown, path: Path): void {
  if (typeof value === 'string') list.push({ name: value.trim(), path });
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
