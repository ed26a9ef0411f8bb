import type { Task } from './board.ts';

const OPEN_ITEM = /^\s*[-*+] \[ \] ?(.*)$/gm;
const DONE_ITEM = /^\s*[-*+] \[[xX]\] ?(.*)$/gm;
const FAILED_ITEM = /^\s*[-*+] \[\*\] ?(.*)$/gm;
const CHECKBOXES = /^(\[.\](\s+|$))+/;

/** Writes the requirements document that the agents of a task work through. */
export function renderPrd(task: Task): string {
  const scope = task.scope.map(withoutCheckbox);
  const steps = scope.length > 0 ? scope : ['Complete the task as described', 'Test the result'];
  const sections = [
    section('Description', task.description && escapeListItem(task.description)),
    section('Priority', task.priority),
    section('Complexity', task.complexity ?? ''),
    section('Dependencies', task.dependencies.join(', ')),
    section('Scope', bullets(scope)),
    section('Out of Scope', bullets(task.outOfScope.map(withoutCheckbox))),
    section('Acceptance Criteria', bullets(task.acceptanceCriteria.map(withoutCheckbox))),
    section(
      'Checklist',
      [...steps, 'Mark this document complete once everything above is done']
        .map((step) => `- [ ] ${step}`)
        .join('\n'),
    ),
  ];
  return [`# Task: ${task.id} - ${task.title}\n`, ...sections.filter(Boolean)].join('\n');
}

/** Items of a document that are still to be done; none means that the work is complete. */
export function openItems(prd: string): string[] {
  return itemsMatching(prd, OPEN_ITEM);
}

/** Items that an agent has done. */
export function doneItems(prd: string): string[] {
  return itemsMatching(prd, DONE_ITEM);
}

/** Items that an agent gave up. */
export function failedItems(prd: string): string[] {
  return itemsMatching(prd, FAILED_ITEM);
}

function section(heading: string, body: string): string {
  return body === '' ? '' : `## ${heading}\n\n${body}\n`;
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** A checkbox outside the checklist would count as an item that nobody ticks. */
function withoutCheckbox(item: string): string {
  return item.replace(CHECKBOXES, '');
}

/** Shown the same, but no item of a list. */
function escapeListItem(text: string): string {
  return text.replace(/^(\s*)([-*+] \[)/gm, '$1\\$2');
}

function itemsMatching(prd: string, pattern: RegExp): string[] {
  return [...prd.matchAll(pattern)].map(([, item = '']) => item.trim());
}
