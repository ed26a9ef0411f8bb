import type { Priority } from './board.ts';
import type { SweepSettings } from './sweep.ts';

/** What a task's workflow is started with. */
export interface TaskInput {
  project: string;
  hostId: string;
  projectDir: string;
  ralphDir: string;
  taskId: string;
  title: string;
  priority: Priority;
  /** Seconds since 1970 at the claim: names the worker folder and the branch. */
  epoch: number;
  settings: SweepSettings;
  /** Pipeline step to begin at. */
  from?: string;
}
