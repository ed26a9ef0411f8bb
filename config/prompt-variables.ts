import { nearestName } from './nearest-name.ts';

/** Names that a prompt may hold as `{{name}}`; everything else is refused when the agent is loaded. */
export const PROMPT_VARIABLES = [
  'workspace',
  'worker_dir',
  'project_dir',
  'ralph_dir',
  'task_id',
  'step_id',
  'run_id',
  'session_id',
  'parent.step_id',
  'parent.run_id',
  'parent.session_id',
  'parent.result',
  'parent.output_dir',
  'parent.report',
  'next.step_id',
  'iteration',
  'prev_iteration',
  'output_dir',
  'supervisor_feedback',
  'plan_file',
  'context_section',
  'git_restrictions',
  'plan_section',
  'output_path',
  'context_updates',
] as const;

export type PromptVariable = (typeof PROMPT_VARIABLES)[number];

const PLACEHOLDER = /\{\{([ \t]*)([A-Za-z_][\w.-]*)[ \t]*\}\}/g;

/** The variables that a prompt uses, in the order of our list. */
export function usedVariables(text: string): PromptVariable[] {
  return PROMPT_VARIABLES.filter((name) => text.includes(`{{${name}}}`));
}

/** Finds placeholders that nothing would fill in, with their place in the text. */
export function findUnknownVariables(text: string): { at: number; message: string }[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(({ 0: whole, 2: name = '', index: at }) => {
    const isKnown = (PROMPT_VARIABLES as readonly string[]).includes(name);
    if (whole === `{{${name}}}`) return isKnown ? [] : [{ at, message: unknown(name) }];
    // With blanks it may be a template of another program; only our own names are surely a slip.
    return isKnown ? [{ at, message: `${whole} is written {{${name}}}, without blanks` }] : [];
  });
}

function unknown(name: string): string {
  const meant = nearestName(name, PROMPT_VARIABLES);
  const ending = meant ? `did you mean {{${meant}}}?` : `known are ${PROMPT_VARIABLES.join(', ')}`;
  return `there is no variable {{${name}}}; ${ending}`;
}
