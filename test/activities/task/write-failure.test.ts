import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { writeFailure } from '../../../activities/task/write-failure.ts';
import { aTaskInput } from '../../helpers/a-task.ts';
import { aStep } from '../../helpers/with-pull-request.ts';
import { withRepository } from '../../helpers/with-repository.ts';

describe('writeFailure', () => {
  it('says what failed, where to look and what to do next (#120)', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      const steps = [aStep(), aStep({ step: 'test', result: 'FAIL', visit: 2, iterations: 1 })];
      const failure = {
        ...aTaskInput(project, { title: 'Say "hi" 🦆' }),
        reason: 'test ended with FAIL\nsecond line',
        steps,
      };
      await writeFailure(failure);
      const text = await readFile(path.join(place.workerDir, 'failure.md'), 'utf8');
      expect(text).toContain(
        '# TASK-001 failed: Say "hi" 🦆\n\n> test ended with FAIL\n> second line\n',
      );
      expect(text).toContain('Started 2023-11-14T22:13:20.000Z, $2.47 spent.');
      expect(text).toContain('- execution: PASS from engineering.coder after 2 iterations, 75 s\n');
      expect(text).toContain(
        '- test (visit 2): FAIL from engineering.coder after 1 iteration, 75 s',
      );
      expect(text).toContain(path.join(place.workerDir, 'logs'));
      expect(text).toContain('`wiggum worker restart TASK-001`');
      await writeFailure(failure);
      expect(await readFile(path.join(place.workerDir, 'failure.md'), 'utf8')).toBe(text);
      expect(await readdir(place.workerDir)).toEqual(['failure.md']);
    });
  });

  it('says so when no step was finished', async () => {
    await withRepository(async (project) => {
      await writeFailure({ ...aTaskInput(project), reason: 'no agent', steps: [] });
      const file = path.join(project.place().workerDir, 'failure.md');
      expect(await readFile(file, 'utf8')).toContain('No step was finished.');
    });
  });

  it('fails for good where nothing can be written', async () => {
    await withRepository(async (project) => {
      await writeFile(path.join(project.dir, '.ralph/workers'), 'in the way');
      await expect(
        writeFailure({ ...aTaskInput(project), reason: 'x', steps: [] }),
      ).rejects.toMatchObject({ code: 'NOT_WRITABLE', retryable: false });
    });
  });
});
