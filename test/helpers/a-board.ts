import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Card, Marker, Priority } from '../../workflows/domain/board.ts';

/** Makes one card as the scheduler sees it: pending, MEDIUM, free to start. */
export function aCard(id: string, differences: Partial<Omit<Card, 'id'>> = {}): Card {
  return {
    id,
    title: `Title of ${id}`,
    marker: ' ',
    priority: 'MEDIUM',
    dependencies: [],
    line: 1,
    hasPlan: false,
    ...differences,
  };
}

export interface TaskDifferences {
  title?: string;
  marker?: Marker;
  priority?: Priority;
  dependencies?: string[];
  /** Lines below the fields, with their indentation. */
  more?: string[];
}

/** Builds the text of a valid board: `aBoard().withTask('AB-1').text()`. */
export function aBoard(): BoardBuilder {
  return new BoardBuilder([]);
}

class BoardBuilder {
  constructor(private readonly entries: string[]) {}

  withTask(id: string, differences: TaskDifferences = {}): BoardBuilder {
    const { title = `Title of ${id}`, marker = ' ', priority = 'MEDIUM' } = differences;
    const { dependencies = [], more = [] } = differences;
    return this.with(
      `- [${marker}] **[${id}]** ${title}`,
      '  - Description: What to do',
      `  - Priority: ${priority}`,
      `  - Dependencies: ${dependencies.join(', ') || 'none'}`,
      ...more,
    );
  }

  /** Adds lines as they are. */
  with(...lines: string[]): BoardBuilder {
    return new BoardBuilder([...this.entries, ...lines]);
  }

  text(): string {
    return `# Kanban\n\n## TASKS\n\n${this.entries.join('\n')}\n`;
  }
}

/** Makes a `.ralph` folder with a board, lets a test use it, and removes it whatever happens. */
export async function withBoard(
  board: BoardBuilder | string | Buffer,
  use: (place: { ralphDir: string; file: string }) => Promise<void>,
): Promise<void> {
  const ralphDir = await mkdtemp(path.join(os.tmpdir(), 'wiggum-board-'));
  const file = path.join(ralphDir, 'kanban.md');
  try {
    await writeFile(file, board instanceof BoardBuilder ? board.text() : board);
    await use({ ralphDir, file });
  } finally {
    await rm(ralphDir, { recursive: true, force: true });
  }
}
