import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { packageRoot } from '../../config/package-root.ts';

/**
 * Keeps the histories of a scenario for the replay tests, when RECORD_HISTORIES is set. Paths and names
 * of this machine are replaced: a replay must not depend on where it was recorded.
 */
export async function recordHistories(client: Client, home: string): Promise<void> {
  if (!process.env.RECORD_HISTORIES) return;
  const scenario = path.basename(expect.getState().testPath ?? '', '.test.ts');
  const folder = path.join(packageRoot(), 'test', 'replay', 'histories', scenario);
  await mkdir(folder, { recursive: true });
  const kinds = new Map<string, number>();
  for await (const { workflowId, runId, type } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const number = (kinds.get(type) ?? 0) + 1;
    kinds.set(type, number);
    const clean = scrub(JSON.parse(historyToJSON(history)), home);
    const file = path.join(folder, `${type}-${number}.json`);
    await writeFile(file, `${JSON.stringify({ workflowId, history: clean })}\n`);
  }
}

function scrub(value: unknown, home: string): unknown {
  if (typeof value === 'string') return scrubText(value, home);
  if (Array.isArray(value)) return value.map((each) => scrub(each, home));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (name === 'identity') return [name, 'a-host'];
      if (name === 'data' && typeof each === 'string') {
        const text = Buffer.from(each, 'base64').toString('utf8');
        return [name, Buffer.from(scrubText(text, home)).toString('base64')];
      }
      return [name, scrub(each, home)];
    }),
  );
}

function scrubText(text: string, home: string): string {
  const machine = os
    .hostname()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return text
    .replaceAll(home, '/home/somebody')
    .replaceAll(packageRoot(), '/opt/chief-wiggum')
    .replaceAll(os.hostname(), 'a-host')
    .replaceAll(machine, 'a-host');
}
