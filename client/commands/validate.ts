import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { collapseDone, sortBoard } from '../../config/board-rewrite.ts';
import { boardFile } from '../../config/open-board.ts';
import { ExitCode } from '../../workflows/domain/errors.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { changeBoard } from '../hosting.ts';
import { initialisedProject } from '../initialised-project.ts';
import { counted } from '../render/amounts.ts';
import { validationLines } from '../render/validation.ts';
import { validateProject, type Validation } from '../validate-project.ts';

/** Checks what a run would work with; `sort` and `cleanup` rewrite a board that has passed. */
export const validate = defineCommand({
  name: 'validate',
  arguments: '[action]',
  flags: [
    ['-f, --file <file>', 'another board than .ralph/kanban.md; nothing else is checked then'],
    ['--json', 'print the findings as JSON'],
  ],
  details: [
    'Actions:',
    '  sort      group the tasks by status and order them by id',
    '  cleanup   move finished tasks into one comment, which counts as done',
    'Both refuse a board with errors. Exits 0 without errors, 31 with errors, 30',
    'without a board.',
  ].join('\n'),
  options: z.object({
    action: z.enum(['sort', 'cleanup']).optional(),
    file: z.string().min(1).optional(),
    json: z.boolean().default(false),
  }),
  exitCodes: {
    NOT_INITIALISED: ExitCode.validateNoBoard,
    BOARD_MISSING: ExitCode.validateNoBoard,
    BOARD_INVALID: ExitCode.validateInvalid,
  },

  async run({ action, file, json }, context) {
    const { cwd, environment, stdout } = context;
    const place =
      file === undefined
        ? await placeOfProject(cwd)
        : { board: resolve(cwd, file), ralphDir: undefined };
    const validation = await validateProject({ ...place, environment });
    const isValid = validation.errors.length === 0 && validation.definitions.length === 0;
    if (action === undefined || validation.errors.length > 0) {
      print({ validation, json, refused: action }, context);
      return isValid ? ExitCode.ok : ExitCode.validateInvalid;
    }
    const change = await rewrite(action, place.board);
    const shown = relative(cwd, place.board) || place.board;
    stdout.write(
      json
        ? `${JSON.stringify({ board: place.board, action, ...change })}\n`
        : `${shown}: ${change.text}\n`,
    );
    return ExitCode.ok;
  },
});

async function placeOfProject(cwd: string): Promise<{ board: string; ralphDir: string }> {
  const { ralphDir } = await initialisedProject(cwd);
  return { board: boardFile(ralphDir), ralphDir };
}

/** The board may change between check and rewrite: the rewriting refuses an invalid one itself. */
async function rewrite(
  action: 'sort' | 'cleanup',
  board: string,
): Promise<{ changed: boolean; text: string; collapsed?: string[] }> {
  if (action === 'sort') {
    const changed = await changeBoard(board, sortBoard);
    return { changed, text: changed ? 'sorted by status and id' : 'sorted already' };
  }
  let collapsed: string[] = [];
  const changed = await changeBoard(board, (text) => {
    const collapse = collapseDone(text);
    collapsed = collapse.collapsed;
    return collapse.text;
  });
  const text = changed
    ? `collapsed ${counted(collapsed.length, 'finished task')}: ${collapsed.join(', ')}`
    : 'no finished tasks to collapse';
  return { changed, collapsed, text };
}

function print(
  {
    validation,
    json,
    refused,
  }: { validation: Validation; json: boolean; refused: string | undefined },
  { stdout, quiet, cwd }: CommandContext,
): void {
  if (json) {
    stdout.write(`${JSON.stringify({ ...validation, ...(refused && { refused }) })}\n`);
    return;
  }
  const lines = validationLines(validation, { cwd, quiet });
  if (refused) lines.push(`The board is not changed by \`${refused}\` while it has errors.`);
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
}
