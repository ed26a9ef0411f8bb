import { describe, expect, it } from '@jest/globals';
import { prepareTask } from '../../../activities/task/prepare-task.ts';
import type { PreparedTask } from '../../../workflows/domain/task.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { aHost, aTaskInput } from '../../helpers/a-task.ts';
import { withRepository } from '../../helpers/with-repository.ts';

const PIPELINE = {
  name: 'own',
  steps: [
    { id: 'plan', agent: 'product.plan-mode', enabled_by: 'WIGGUM_PLAN_MODE', max: 1 },
    { id: 'other', agent: 'engineering.generic-fix', enabled_by: 'WITH_OTHER', max: 1 },
  ],
};

/** Prepares a task in a project with these files, on a host and for a command with these variables. */
async function prepared(given: {
  config?: object;
  pipeline?: object;
  host?: Record<string, string>;
  environment?: Record<string, string>;
}): Promise<PreparedTask> {
  let task: PreparedTask | undefined;
  await withRepository(async (project) => {
    await project.write({
      '.ralph/kanban.md': aBoard().withTask('TASK-001').text(),
      '.ralph/config.json': JSON.stringify(given.config ?? {}),
      '.ralph/pipeline.json': JSON.stringify({ ...PIPELINE, ...given.pipeline }),
      '../home/config/config.json': JSON.stringify({ cost_limit: 7, checks: ['true'] }),
    });
    const host = aHost(project);
    const environment = {
      ...host.environment,
      WIGGUM_HOME: `${project.dir}/../home`,
      ...given.host,
    };
    const settings = { environment: given.environment ?? {} };
    task = await prepareTask(aTaskInput(project, { settings }), { ...host, environment });
  });
  if (!task) throw new Error('nothing was prepared');
  return task;
}

describe('prepareTask', () => {
  it("takes limits and switches from the command's variables, not from the host's (#98)", async () => {
    const host = { WIGGUM_GENERIC_FIX_MAX_TURNS: '5', WIGGUM_PLAN_MODE: 'true', WITH_OTHER: '1' };
    const elsewhere = await prepared({ host });
    expect(elsewhere.plans['other']?.maxTurns).toBe(80);
    expect(elsewhere.enabled).toEqual(['WITH_OTHER']);
    const asked = await prepared({ environment: host });
    expect(asked.plans['other']?.maxTurns).toBe(5);
    expect(asked.enabled).toEqual(['WIGGUM_PLAN_MODE', 'WITH_OTHER']);
  });

  it('limits the cost by pipeline, then variable, then project, then installation (#56)', async () => {
    const environment = { WIGGUM_WORKER_COST_LIMIT: '5' };
    const config = { cost_limit: 6 };
    const limits = [
      await prepared({ pipeline: { cost_limit: 4 }, environment, config }),
      await prepared({ environment, config }),
      await prepared({ config }),
      await prepared({}),
    ].map(({ pipeline }) => pipeline.costLimitUsd);
    expect(limits).toEqual([4, 5, 6, 7]);
  });

  it('hands on hooks and checks of the settings (#58, #100)', async () => {
    const commands = { tell: ['echo', 'hello'] };
    const { hooks, checks } = await prepared({ config: { hooks: { commands } } });
    expect(hooks).toEqual(commands);
    expect(checks).toEqual(['true']);
  });
});
