import { WiggumError } from '../../workflows/domain/errors.ts';

/** What a conditional block asks. A path may hold variables. */
export type Condition =
  | { kind: 'supervisor' }
  | { kind: 'iteration-zero' }
  | { kind: 'iteration-nonzero' }
  | { kind: 'file-exists'; path: string };

type Node = { kind: 'text'; text: string } | { kind: 'block'; condition: Condition; body: Node[] };

export type Values = Readonly<Record<string, string>>;

/**
 * The pieces of a prompt that are shown, with their variables: blocks whose condition does not hold
 * vanish, all other bytes stay. The tags are read before anything is put in, so what is put in stays text.
 */
export async function shownParts(
  template: string,
  values: Values,
  holds: (condition: Condition) => Promise<boolean>,
): Promise<string[]> {
  const shown: string[] = [];
  const choose = async (nodes: Node[]): Promise<void> => {
    for (const node of nodes) {
      if (node.kind === 'text') shown.push(node.text);
      else if (await holds(filled(node.condition, values))) await choose(node.body);
    }
  };
  await choose(parse(template));
  return shown;
}

/** Fills in the pieces, each by itself: a placeholder is never made of two of them. */
export function fillParts(parts: readonly string[], values: Values): string {
  return parts.map((part) => fillVariables(part, values)).join('');
}

/** Replaces each known `{{name}}` by its value, once. */
export function fillVariables(text: string, values: Values): string {
  return text.replace(/\{\{([a-z_.]+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
}

const TAG =
  /<(\/?)WIGGUM_IF_(?:(SUPERVISOR|ITERATION_ZERO|ITERATION_NONZERO)|FILE_EXISTS(?::([^>\n]*))?)>/g;

function parse(template: string): Node[] {
  const top: Node[] = [];
  const open: { name: string; body: Node[] }[] = [{ name: '', body: top }];
  let from = 0;
  for (const match of template.matchAll(TAG)) {
    const [tag, slash, name = 'FILE_EXISTS', path] = match;
    const inner = open.at(-1)?.body ?? top;
    inner.push({ kind: 'text', text: template.slice(from, match.index) });
    from = match.index + tag.length;
    if (slash === '/') {
      if (open.pop()?.name !== name || open.length === 0) throw unclosed(tag);
    } else {
      const body: Node[] = [];
      inner.push({ kind: 'block', condition: conditionOf(name, path), body });
      open.push({ name, body });
    }
  }
  const last = open.at(-1);
  if (last && open.length > 1) throw unclosed(`<WIGGUM_IF_${last.name}>`);
  top.push({ kind: 'text', text: template.slice(from) });
  return top;
}

function conditionOf(name: string, path: string | undefined): Condition {
  switch (name) {
    case 'SUPERVISOR':
      return { kind: 'supervisor' };
    case 'ITERATION_ZERO':
      return { kind: 'iteration-zero' };
    case 'ITERATION_NONZERO':
      return { kind: 'iteration-nonzero' };
    default:
      return { kind: 'file-exists', path: path ?? '' };
  }
}

function filled(condition: Condition, values: Values): Condition {
  return condition.kind === 'file-exists'
    ? { ...condition, path: fillVariables(condition.path, values) }
    : condition;
}

function unclosed(tag: string): WiggumError {
  return new WiggumError(
    'AGENT_INVALID',
    `${tag} in a prompt has no partner, or stands crosswise.`,
  );
}
