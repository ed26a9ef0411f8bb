import { join } from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';

/** Where an agent leaves what others may read. */
export function outputFolder({ workerDir }: RunPlace, agentType: string): string {
  return join(workerDir, 'output', agentType);
}
