import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openPullRequest } from '../../activities/forge/local/open-pull-request.ts';
import { commitStep } from '../../activities/git/commit.ts';
import { createWorkspace } from '../../activities/git/workspace.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { PullRequest } from '../../workflows/domain/pull-request.ts';
import type { StepRecord } from '../../workflows/domain/task.ts';
import { aStepRecord } from './a-step-record.ts';
import type { TestProject } from './with-repository.ts';

/** A task run whose agent made and committed some changes. */
export async function workOn(
  project: TestProject,
  files: Record<string, string>,
  taskId = 'TASK-001',
): Promise<RunPlace> {
  const place = project.place(taskId);
  await createWorkspace(place);
  await project.write(files, place.workspace);
  await commitStep(place, {
    message: `${taskId}: execution - engineering.coder`,
    key: `execution-${Object.keys(files).join()}`,
    timestamp: 1700000100,
  });
  return place;
}

/** Work with a pull request. */
export async function proposeChange(
  project: TestProject,
  files: Record<string, string>,
  taskId?: string,
): Promise<{ place: RunPlace; pullRequest: PullRequest }> {
  const place = await workOn(project, files, taskId);
  const pullRequest = await openPullRequest({
    place,
    title: 'Do it',
    target: 'main',
    steps: [aStep()],
  });
  return { place, pullRequest };
}

export function aStep(changes: Partial<StepRecord> = {}): StepRecord {
  return aStepRecord({ iterations: 2, costUsd: 1.234, seconds: 75, turns: 41, ...changes });
}

/** Everything in the user's repository that only the user may change. */
export async function pictureOf(project: TestProject) {
  const gitDir = path.join(project.dir, '.git');
  const refs = await project.git(['for-each-ref', '--format=%(objectname) %(refname)']);
  const files: Record<string, string> = {};
  for (const name of await readdir(project.dir, { recursive: true })) {
    const file = path.join(project.dir, name);
    if (/^\.(git|ralph)(\/|$)/.test(name) || !(await stat(file)).isFile()) continue;
    files[name] = await readFile(file, 'utf8');
  }
  return {
    refs: refs.split('\n').filter((line) => !line.includes(' refs/wiggum/')),
    head: await readFile(path.join(gitDir, 'HEAD'), 'utf8'),
    config: await readFile(path.join(gitDir, 'config'), 'utf8'),
    index: await readFile(path.join(gitDir, 'index'), 'base64'),
    entries: (await readdir(gitDir)).sort(),
    files,
  };
}
