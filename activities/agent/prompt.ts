import { resolve } from 'node:path';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import type { PromptVariable } from '../../config/prompt-variables.ts';
import type { PromptWrappers } from '../../config/prompt-wrappers.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import { exists } from '../exists.ts';
import type { FinishedTurn } from './finished-record.ts';
import { fillParts, shownParts, type Condition } from './prompt-template.ts';
import { LOOK_AGAIN, supervisorPrompts } from './supervisor-prompt.ts';

/** What the session of a turn has behind it. */
export type SessionState =
  /** Not there yet: it gets role and task. */
  | 'new'
  /** It was told what to do and could not finish. */
  | 'interrupted'
  /** Of somebody else so far: it has not heard this request. */
  | 'handed-over';

export interface Prompts {
  /** Role of the agent; only a new session takes one. */
  system?: string;
  user: string;
}

export interface PromptInput {
  definition: AgentDefinition;
  turn: AgentTurn;
  values: Readonly<Record<PromptVariable, string>>;
  session: SessionState;
  wrappers: PromptWrappers;
  /** Turns of the task run that have ended: a supervisor is told what they used. */
  finished: readonly FinishedTurn[];
  /** Finds where an earlier run of the same step got to, when it did not complete it. */
  lastCheckpoint: () => Promise<string | undefined>;
}

/** Headings of an iteration's summary, in this order. */
export const SUMMARY_HEADINGS = ['Completed', 'In Progress', 'Blocked', 'Next Steps'] as const;

/** Says what is said to an agent in one turn. */
export async function renderPrompts(input: PromptInput): Promise<Prompts> {
  const { definition, turn, session } = input;
  switch (turn.purpose) {
    case 'summary':
      return { user: SUMMARY_REQUEST };
    case 'ask-result':
      return { user: askForResult(definition, turn) };
    case 'supervise':
      return session === 'new'
        ? supervisorPrompts(definition, turn, input.finished)
        : { user: LOOK_AGAIN };
    case 'work':
      return work(input);
  }
}

async function work(input: PromptInput): Promise<Prompts> {
  const { definition, turn, values, session, wrappers } = input;
  const { mode } = definition;
  // A session of our own holds the task already. One of somebody else, or of an earlier run, may have
  // been ended before it heard ours.
  if (session === 'interrupted' && mode !== 'resume' && mode !== 'live')
    return { user: joined([INTERRUPTED, guidance(turn), resultReminder(definition, turn)]) };

  const shown = (template: string) =>
    shownParts(template, values, (condition) => isTrue(condition, turn, values));
  const task = await shown(definition.userPrompt);
  const goesOn = mode === 'ralph_loop' && turn.iteration > 0;
  const continuation = goesOn ? await shown(definition.continuationPrompt ?? '') : [];
  const lacks = (text: string) => ![...task, ...continuation].some((part) => part.includes(text));
  const checkpoint = isFirstHere(input) ? await input.lastCheckpoint() : undefined;
  const user = joined([
    session === 'interrupted' ? INTERRUPTED : '',
    wrappers.preUser,
    fillParts(task, values),
    fillParts(continuation, values),
    lacks('{{supervisor_feedback}}') ? guidance(turn) : '',
    // The role of such a session is that of its parent, who may have been free to change things.
    mode === 'resume' && lacks('{{git_restrictions}}') ? values.git_restrictions : '',
    checkpoint ? takeUp(checkpoint) : '',
    lacks(`<${definition.resultTag}>`) ? resultInstruction(definition, turn) : '',
    wrappers.postUser,
  ]);
  if (session !== 'new') return { user: startPlainly(user) };

  const role = await shown(definition.systemPrompt);
  const unrestricted = !role.some((part) => part.includes('{{git_restrictions}}'));
  const system = joined([
    wrappers.preSystem,
    fillParts(role, values),
    mode !== 'resume' && unrestricted ? values.git_restrictions : '',
    wrappers.postSystem,
  ]);
  return { ...(system === '' ? {} : { system }), user: startPlainly(user) };
}

// A loop that its supervisor has begin anew is to leave its old way, not to take it up.
function isFirstHere({ turn, session }: PromptInput): boolean {
  return session === 'new' && turn.iteration === 0 && turn.restarts === 0;
}

function joined(sections: string[]): string {
  return sections.filter((section) => section !== '').join('\n\n');
}

async function isTrue(
  condition: Condition,
  turn: AgentTurn,
  values: PromptInput['values'],
): Promise<boolean> {
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

/** Word for word what a supervisor or a person said, for agents whose prompt has no place for it. */
function guidance({ guidance: words }: AgentTurn): string {
  if (!words) return '';
  return [
    '## Guidance',
    '',
    'Somebody who looks after this task tells you, on top of all that you were asked to do:',
    '',
    words,
  ].join('\n');
}

function takeUp(checkpoint: string): string {
  return [
    '## An earlier attempt',
    '',
    'This step was begun before, and not completed. What it changed is in the workspace; what it had',
    `done and wanted to do next stands in ${checkpoint}. Read it before you begin, check`,
    'it against the workspace, which is right where the two differ, and go on from there: keep what is',
    'good, repair what is half done, and do nothing a second time.',
  ].join('\n');
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
