import { expect, it } from '@jest/globals';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `
tasks:
  AB-1:
    execution:
      - - write: { path: hello.txt, content: "hello\\n" }
        - wait_for: ../../../../../go
        - tick_prd: all
        - result: PASS
`;

it('shows in the pages of Temporal what a task does and whether it waits for a person', async () => {
  const plan = {
    board: task('AB-1', 'Say hello'),
    script: SCRIPT,
    settings: { autoMerge: false },
  };
  await withWorld(plan, async (world) => {
    const { client, project, repository } = world;
    const handle = client.workflow.getHandle(taskWorkflowId(project.id, 'AB-1'));
    const attributes = async () => (await handle.describe()).searchAttributes;
    await world.beginSweep();
    await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait_for'),
      'the agent at work',
    );
    expect(await attributes()).toMatchObject({
      WiggumProject: [project.id],
      WiggumTask: ['AB-1'],
      WiggumStep: ['execution'],
      WiggumNeedsHuman: [false],
    });
    const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(details.currentDetails).toContain('execution');
    await repository.write({ '../go': '' });
    await world.sweepEnd();

    const { state } = await world.until('AB-1', ({ needsHuman }) => needsHuman);
    expect(state).not.toBe('none');
    expect(await attributes()).toMatchObject({ WiggumNeedsHuman: [true], WiggumState: [state] });
    // Every activity says in a line what it is about.
    const { events } = await handle.fetchHistory();
    const scheduled = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes);
    const decoder = new TextDecoder();
    const summaries = scheduled.map(({ userMetadata }) =>
      decoder.decode(userMetadata?.summary?.data ?? new Uint8Array()),
    );
    expect(summaries.length).toBeGreaterThan(3);
    expect(summaries.filter((summary) => summary.length < 3)).toEqual([]);
    expect(summaries.some((summary) => summary.includes('execution'))).toBe(true);
    const waiting = client.workflow.list({
      query: `WiggumProject = "${project.id}" AND WiggumNeedsHuman = true`,
    });
    const ids: string[] = [];
    for await (const { workflowId } of waiting) ids.push(workflowId);
    expect(ids).toEqual([handle.workflowId]);
  });
});
