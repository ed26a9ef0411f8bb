import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../durable-file.ts';
import { outputFolder } from '../agent/output-folder.ts';
import type { BuiltInOrder } from './built-in-order.ts';

/** Writes what a built-in agent has to say and gives the file; a retry says the same. */
export async function writeReport(
  { place, agent, runId }: BuiltInOrder,
  lines: readonly string[],
): Promise<string> {
  const folder = outputFolder(place, agent);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${runId}-report.md`);
  await writeDurably(file, `${lines.join('\n')}\n`);
  return file;
}
