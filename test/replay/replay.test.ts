import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { packageRoot } from '../../config/package-root.ts';
import { installRuntime } from '../../workers/runtime.ts';

const HISTORIES = path.join(packageRoot(), 'test', 'replay', 'histories');
const BUNDLE = { codePath: path.join(packageRoot(), 'dist', 'workflow-bundle.js') };

const recorded = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort();

describe('recorded histories', () => {
  it('are there for every workflow', () => {
    const kinds = new Set(recorded.map((name) => path.basename(name).replace(/-\d+\.json$/, '')));
    expect([...kinds].sort()).toEqual(['boardWorkflow', 'mergeWorkflow', 'taskWorkflow']);
  });

  it.each(recorded)('replay on this code: %s', async (name) => {
    await replay(readFileSync(path.join(HISTORIES, name), 'utf8'));
  });

  it('are refused when the code does something else', async () => {
    const name = recorded.find((file) => file.includes('taskWorkflow')) ?? '';
    const text = readFileSync(path.join(HISTORIES, name), 'utf8');
    const changed = text.replace('"prepareTask"', '"somethingElse"');
    expect(changed).not.toBe(text);
    await expect(replay(changed)).rejects.toThrow(DeterminismViolationError);
  });
});

async function replay(text: string): Promise<void> {
  installRuntime(path.join(packageRoot(), '.cache'));
  const { workflowId, history } = JSON.parse(text) as { workflowId: string; history: unknown };
  await Worker.runReplayHistory({ workflowBundle: BUNDLE }, history, workflowId);
}
