/** Names of earlier releases, and the agents that they mean now (checklist 183). */
const OLD_NAMES: Readonly<Record<string, string>> = {
  'system.task-executor': 'engineering.software-engineer',
  'general.task-summarizer': 'system.task-summarizer',
  'general.documentation-writer': 'product.documentation-writer',
  'workflow.git-conflict-resolver': 'engineering.git-conflict-resolver',
};

/** Names of variables that were never made of the agent's name (checklist 99). */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  'engineering.git-conflict-resolver': 'CONFLICT_RESOLVER',
};

/** The form of an agent's type, without digits (checklist 67). */
export const AGENT_TYPE = /^[a-z]+\.[a-z-]+$/;

/** The types under which an agent is looked for: as it was asked for, then as it is called now. */
export function typesToTry(type: string): string[] {
  const now = Object.hasOwn(OLD_NAMES, type) ? OLD_NAMES[type] : undefined;
  return now === undefined ? [type] : [type, now];
}

/** All names that settings may use for an agent, today's first. */
export function namesOf(type: string): string[] {
  const old = Object.entries(OLD_NAMES).filter(([, now]) => now === type);
  return [type, ...old.map(([name]) => name)];
}

/** Variables that can set a limit of an agent, the strongest first: long form, then bare name. */
export function variablesFor(type: string, limit: string): string[] {
  const spell = (name: string) => `WIGGUM_${name}_${limit}`.toUpperCase().replace(/[.-]/g, '_');
  const short = SHORT_NAMES[type];
  return [spell(type), spell(type.slice(type.indexOf('.') + 1)), ...(short ? [spell(short)] : [])];
}
