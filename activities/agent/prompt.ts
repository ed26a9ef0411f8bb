import { resolve } from 'node:path';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import type { PromptVariable } from '../../config/prompt-variables.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import { exists } from './prompt-values.ts';
import { renderTemplate, type Condition } from './prompt-template.ts';

/** What the session of a turn has behind it. */
export type SessionState =
  /** Not there yet: it gets role and task. */
  | 'new'
  /** It was told what to do and could not finish. */
  | 'interrupted'
  /** Of somebody else so far: it has not heard this request. */
  | 'handed-over';

type Values = Readonly<Record<PromptVariable, string>>;

export interface Prompts {
  /** Role of the agent; only a new session takes one. */
  system?: string;
  user: string;
}

/** Headings of an iteration's summary, in this order. */
export const SUMMARY_HEADINGS = ['Completed', 'In Progress', 'Blocked', 'Next Steps'] as const;

/** Says what is said to an agent in one turn. */
export async function renderPrompts(
  definition: AgentDefinition,
  turn: AgentTurn,
  values: Values,
  session: SessionState,
): Promise<Prompts> {
  switch (turn.purpose) {
    case 'summary':
      return { user: SUMMARY_REQUEST };
    case 'ask-result':
      return { user: askForResult(definition, turn) };
    case 'work':
      return work(definition, turn, values, session);
  }
}

async function work(
  definition: AgentDefinition,
  turn: AgentTurn,
  values: Values,
  session: SessionState,
): Promise<Prompts> {
  // A session of our own holds the task already. A parent's may have been ended before it heard ours.
  if (session === 'interrupted' && definition.mode !== 'resume')
    return { user: [INTERRUPTED, resultReminder(definition, turn)].join('\n\n') };
  const holds = (condition: Condition) => isTrue(condition, turn, values);
  const render = (template: string) => renderTemplate(template, values, holds);
  const request = [await render(definition.userPrompt)];
  if (definition.mode === 'ralph_loop' && turn.iteration > 0 && definition.continuationPrompt)
    request.push(await render(definition.continuationPrompt));
  if (!definition.userPrompt.includes(`<${definition.resultTag}>`))
    request.push(resultInstruction(definition, turn));
  if (session === 'interrupted') request.unshift(INTERRUPTED);
  const user = startPlainly(request.join('\n\n'));
  if (session !== 'new' || definition.systemPrompt === '') return { user };

  const role = [await render(definition.systemPrompt)];
  const restrictions = values.git_restrictions;
  if (restrictions && !definition.systemPrompt.includes('{{git_restrictions}}'))
    role.push(restrictions);
  return { system: role.join('\n\n'), user };
}

async function isTrue(condition: Condition, turn: AgentTurn, values: Values): Promise<boolean> {
  switch (condition.kind) {
    case 'supervisor':
      return Boolean(values.supervisor_feedback);
    case 'iteration-zero':
      return turn.iteration === 0;
    case 'iteration-nonzero':
      return turn.iteration > 0;
    case 'file-exists':
      return condition.path !== '' && exists(resolve(turn.place.workerDir, condition.path));
  }
}

/** A prompt that begins with a slash would be taken for a command of the program. */
function startPlainly(prompt: string): string {
  return prompt.trimStart().startsWith('/') ? `Your task:\n\n${prompt}` : prompt;
}

function resultInstruction(definition: AgentDefinition, turn: AgentTurn): string {
  return [
    '## Result',
    '',
    'When you are done, end your last message with your result: one of these lines, exactly as it stands here.',
    '',
    ...resultLines(definition, turn),
  ].join('\n');
}

function resultReminder(definition: AgentDefinition, turn: AgentTurn): string {
  return [
    'Your last message ends with your result, one of:',
    ...resultLines(definition, turn),
  ].join('\n');
}

function askForResult(definition: AgentDefinition, turn: AgentTurn): string {
  return [
    'Your work has ended without a valid result. Do no more work now, change nothing and use no tool.',
    'Judge what you have done, and answer with exactly one of these lines:',
    '',
    ...resultLines(definition, turn),
    ...(definition.mode === 'ralph_loop'
      ? [
          '',
          'If the work is not finished yet, answer `not finished` instead; you will go on later.',
        ]
      : []),
  ].join('\n');
}

function resultLines({ resultTag }: AgentDefinition, { validResults }: AgentTurn): string[] {
  return validResults.map((result) => `<${resultTag}>${result}</${resultTag}>`);
}

const INTERRUPTED = [
  'You were interrupted: the program that ran you ended in the middle of your work, and you are now',
  'continued. The last command or edit may have taken effect, in part or not at all. Check the working',
  'tree (git status, git diff) and what you have done already, then go on from there and finish what you',
  'were asked to do. Do not start over, and do nothing a second time.',
].join('\n');

const SUMMARY_REQUEST = [
  'Stop here. The next session knows nothing of this one but what you write now: sum up your work for it.',
  'Change nothing and use no tool. Write these four sections, each with short points that name files,',
  'decisions and open questions; write "nothing" where a section is empty.',
  '',
  ...SUMMARY_HEADINGS.map((heading) => `## ${heading}`),
].join('\n');
