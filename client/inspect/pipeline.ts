import { join } from 'node:path';
import { findPipelineFile, type DefinitionPlaces } from '../../config/find-definitions.ts';
import { loadRun, readRun } from '../../config/load-definitions.ts';
import { packageRoot } from '../../config/package-root.ts';
import { loadProjectConfig, settingLevels } from '../../config/project-config.ts';
import { inForce } from '../../config/setting.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import type { CommandContext } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { findKnownTask } from '../known-task.ts';
import { problemText } from '../render/place.ts';
import { pipelineMermaid } from '../render/pipeline-mermaid.ts';
import { pipelineLines } from '../render/pipeline.ts';
import { widthOfOutput } from '../render/width.ts';
import { pipelineView, type PipelineView } from './pipeline-view.ts';

export interface PipelineWish {
  name: string | undefined;
  task: string | undefined;
  form: 'text' | 'mermaid' | 'json';
}

/** Shows the pipeline that a run would take, or all that is wrong with it. */
export async function inspectPipeline(
  { name, task, form }: PipelineWish,
  { cwd, environment, stdout }: CommandContext,
): Promise<number> {
  const { ralphDir } = await initialisedProject(cwd);
  const places = { ralphDir, environment };
  const taskId = task === undefined ? '' : (await findKnownTask(ralphDir, task)).id;
  const named = name ?? (environment['WIGGUM_PIPELINE'] || undefined);
  const wanted = { taskId, ...(named !== undefined && { pipeline: named }) };
  const found = (await findPipelineFile(wanted, places)) ?? (await refuse(wanted, places));
  const around = { cwd, shipped: packageRoot() };
  const { run, problems, notices } = await readRun(found, places);
  if (!run) {
    const lines = problems.map((problem) => problemText(problem, around));
    stdout.write(
      form === 'json'
        ? `${JSON.stringify({ file: found.file, problems })}\n`
        : `${lines.join('\n')}\n`,
    );
    return ExitCode.configuration;
  }
  const view = pipelineView(run, {
    ...(await sourcesOf(places)),
    chosenBy: whoChose(found.file, { name, named, taskId }, places),
    notices,
  });
  const drawing = { ...around, colour: stdout.hasColour, columns: widthOfOutput(stdout) };
  const lines =
    form === 'json'
      ? [JSON.stringify(view)]
      : form === 'mermaid'
        ? pipelineMermaid(view)
        : pipelineLines(view, drawing);
  stdout.write(`${lines.join('\n')}\n`);
  return ExitCode.ok;
}

/** Fails as a run does, with the names of the pipelines that there are. */
async function refuse(...wanted: Parameters<typeof loadRun>): Promise<never> {
  await loadRun(...wanted);
  throw new WiggumError('PIPELINE_MISSING', 'the pipeline came while it was looked for');
}

/** What a run of this command line would be started with. */
async function sourcesOf({ ralphDir, environment }: DefinitionPlaces) {
  const config = await loadProjectConfig(ralphDir, environment);
  const plan = inForce(settingLevels('plan_mode', { environment, config }));
  return { config, environment: { ...environment, WIGGUM_PLAN_MODE: String(plan) } };
}

function whoChose(
  file: string,
  {
    name,
    named,
    taskId,
  }: { name?: string | undefined; named?: string | undefined; taskId: string },
  { ralphDir }: DefinitionPlaces,
): PipelineView['chosenBy'] {
  if (name !== undefined) return 'name';
  if (named !== undefined) return 'WIGGUM_PIPELINE';
  if (file === join(ralphDir, 'pipelines', `${taskId}.json`)) return 'task';
  return file === join(ralphDir, 'pipeline.json') ? 'project' : 'default';
}
