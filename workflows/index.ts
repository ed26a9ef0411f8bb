export { boardWorkflow } from './board.ts';
export { mergeWorkflow } from './merge.ts';
export { taskWorkflow } from './task.ts';
