import { join } from 'node:path';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import { exists } from '../exists.ts';

/** Says which paths an agent needs and does not find; undefined when all are there. */
export async function whyNotRunnable(
  { type, requiredPaths }: AgentDefinition,
  workerDir: string,
): Promise<string | undefined> {
  const missing: string[] = [];
  for (const path of requiredPaths) if (!(await exists(join(workerDir, path)))) missing.push(path);
  if (missing.length === 0) return undefined;
  const what = missing.length === 1 ? 'which is' : 'which are';
  return `${type} requires ${missing.join(', ')} in ${workerDir}, ${what} not there`;
}
