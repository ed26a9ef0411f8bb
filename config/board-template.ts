/** The board that `init` writes: valid, and with nothing on it that would run unasked. */
export const BOARD_TEMPLATE = `# Kanban

<!--
Each task is a line "- [ ] **[ID]** Title" with its fields below it, 2 spaces deep.
An id is 2 to 10 letters, a hyphen and 1 to 4 digits: AB-1, LOGIN-12.

The marker in the brackets tells where a task stands:
  [ ]  pending: starts as soon as its dependencies are done and a worker is free
  [=]  in progress
  [P]  pull request open, waits for its merge
  [x]  done: the change is merged
  [*]  failed: look at it, then start it again
  [N]  not planned: never starts

Description, Priority (CRITICAL, HIGH, MEDIUM, LOW) and Dependencies (ids with commas, or none)
are required, the other fields are optional. Each Scope item becomes a point of the task's checklist.
Check the file with "wiggum validate"; while tasks run, edits are seen whenever one of them moves.
-->

## TASKS

- [N] **[DEMO-1]** Say hello in the README
  - Description: An example. Change it to what you need and its marker to [ ], or delete it.
  - Priority: LOW
  - Complexity: LOW
  - Dependencies: none
  - Scope:
    - Add one line of greeting below the title of README.md
  - Out of Scope:
    - Any other file
  - Acceptance Criteria:
    - README.md greets its reader
`;
