import { describe, expect, it } from '@jest/globals';
import { findPipelineFile } from '../../config/find-definitions.ts';
import { readRun } from '../../config/load-definitions.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

/** Notices about a pipeline of shipped agents, without the file. */
async function noticesOf(...steps: object[]): Promise<string[]> {
  let notices: string[] = [];
  await withDefinitions(async ({ write, places }) => {
    await write({ '.ralph/pipeline.json': JSON.stringify({ steps }) });
    const found = await findPipelineFile({ taskId: 'AB-1' }, places);
    const read = found && (await readRun(found, places));
    expect(read?.problems).toEqual([]);
    notices = (read?.notices ?? []).map(({ field, message }) => `${field}: ${message}`);
  });
  return notices;
}

const build = { id: 'build', agent: 'engineering.software-engineer' };
const audit = { id: 'audit', agent: 'engineering.security-audit' };
const summary = { id: 'summary', agent: 'system.task-summarizer' };

describe('findIdleParts', () => {
  it('names keys of a step that are nearly a limit, and leaves others to their readers', async () => {
    const config = { max_iteration: 3, max_turns: 4, colour: 'blue' };
    expect(await noticesOf({ ...build, config })).toEqual([
      'step build: config.max_iteration: nobody reads this key; did you mean "max_iterations"?',
    ]);
  });

  it('names a commit after readonly work, also of a handler', async () => {
    const repair = { ...build, id: 'repair', readonly: true, commit_after: true };
    expect(
      await noticesOf(
        { ...build, commit_after: true },
        { ...audit, max: 1, commit_after: true, on_result: { FIX: repair } },
      ),
    ).toEqual([
      'step audit: commit_after has no effect: engineering.security-audit is readonly, and its changes are taken back',
      expect.stringMatching(
        /^step audit\W+repair: commit_after has no effect: the step is readonly, and/,
      ),
    ]);
  });

  it('names a first step that would take up the session of a step before it', async () => {
    expect(await noticesOf(summary, build)).toEqual([
      'step summary: can only fail: system.task-summarizer takes up the session of a step before it, and there is none',
    ]);
    expect(await noticesOf(build, summary)).toEqual([]);
  });
});
