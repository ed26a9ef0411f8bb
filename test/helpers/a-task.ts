import path from 'node:path';
import type { HostDependencies } from '../../activities/dependencies.ts';
import type { SweepSettings } from '../../workflows/domain/sweep.ts';
import type { TaskInput } from '../../workflows/domain/task-input.ts';
import type { TestProject } from './with-repository.ts';

/** The input of a task's workflow, for the shipped default pipeline and the script backend. */
export function aTaskInput(
  project: TestProject,
  changes: Partial<Omit<TaskInput, 'settings'>> & { settings?: Partial<SweepSettings> } = {},
): TaskInput {
  return {
    project: 'project-0123abcd',
    hostId: 'host-0123abcd',
    projectDir: project.dir,
    ralphDir: path.join(project.dir, '.ralph'),
    taskId: 'TASK-001',
    title: 'Do it',
    priority: 'MEDIUM',
    epoch: 1700000000,
    ...changes,
    settings: {
      maxWorkers: 1,
      autoMerge: false,
      backend: 'script',
      environment: {},
      ...changes.settings,
    },
  };
}

/** A host without an installation of its own. */
export function aHost(project: TestProject): HostDependencies {
  return {
    hostId: 'host-0123abcd',
    environment: {
      PATH: process.env['PATH'],
      HOME: path.join(project.dir, '..'),
      WIGGUM_HOME: path.join(project.dir, '..', 'no-home'),
      GITHUB_TOKEN: 'a secret',
    },
  };
}
