import { describe, expect, it } from '@jest/globals';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { withTemporal } from '../helpers/with-temporal.ts';

describe('the server of the integration tests', () => {
  it('gives each test a namespace of its own with our search attributes', async () => {
    await withTemporal(async ({ client, namespace }) => {
      await client.workflow.start('nobodyRunsIt', {
        workflowId: 'one',
        taskQueue: 'none',
        searchAttributes: { WiggumTask: ['TASK-001'] },
      });
      const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
        namespace,
      });
      expect(Object.keys(customAttributes)).toEqual(
        expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)),
      );
    });
    await withTemporal(async ({ client }) => {
      const { count } = await client.workflow.count();
      expect(count).toBe(0);
    });
  });
});
