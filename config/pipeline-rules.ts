import {
  endlessCircles,
  unreachableSteps,
  type AnswersAt,
} from '../workflows/domain/pipeline-paths.ts';
import {
  jumpAfter,
  mappingOf,
  own,
  possibleResults,
  RELATIVE_JUMPS,
  unitKey,
  unitsOf,
  type Pipeline,
} from '../workflows/domain/steps.ts';
import type { AgentDefinition, DefinitionProblem } from './agent-definition.ts';
import { answersOf, type PlanSources } from './agent-plan.ts';

/** A pipeline with its agents by type, and the settings that they run with. */
export interface RunToCheck {
  pipeline: Pipeline;
  agents: Readonly<Record<string, AgentDefinition>>;
  sources: PlanSources & { pipeline: string };
}

/** What is wrong between a pipeline and its agents; both are right by themselves. */
export function findRunProblems(run: RunToCheck): DefinitionProblem[] {
  const { pipeline, sources } = run;
  const file = sources.pipeline;
  const answersAt = answersIn(run);
  const circles = endlessCircles(pipeline, answersAt).map((circle) => {
    const around = [...circle, circle[0]].join(' → ');
    const unbounded = circle.filter((key) => isUnbounded(pipeline, key)).join(', ');
    return {
      file,
      field: 'steps',
      message: `could run for ever: ${around}; give a "max" to ${unbounded}, or end the circle with on_max`,
    };
  });
  const unreachable = unreachableSteps(pipeline, answersAt).map((id) => ({
    file,
    field: `step ${id}`,
    message: 'no result of an earlier step leads here',
  }));
  return [...circles, ...unreachable, ...undefinedResults(run), ...strayMappings(run)];
}

/** Handlers that wait for results their agents never give. */
export function findRunNotices(run: RunToCheck): DefinitionProblem[] {
  const { pipeline, agents, sources } = run;
  const answersAt = answersIn(run);
  return unitsOf(pipeline).flatMap(({ path, step }) => {
    const agent = own(agents, step.agent);
    if (!agent) return [];
    const possible = possibleResults(step, answersAt(step));
    return Object.keys(step.onResult)
      .filter((result) => !possible.includes(result))
      .map((result) => ({
        file: sources.pipeline,
        field: `step ${unitKey(path)}`,
        message: `on_result.${result} never happens: ${agent.type} gives ${agent.validResults.join(', ')}`,
      }));
  });
}

function answersIn({ agents, sources }: RunToCheck): AnswersAt {
  return (step) => {
    const agent = own(agents, step.agent);
    return agent && answersOf(agent, step, sources);
  };
}

/** A result must be one of the four, mapped, or handled wherever its agent works (checklist 67). */
function undefinedResults({ pipeline, agents }: RunToCheck): DefinitionProblem[] {
  return unitsOf(pipeline).flatMap(({ path, step }) => {
    const agent = own(agents, step.agent);
    const meaningless = (agent?.validResults ?? []).filter(
      (result) =>
        !Object.hasOwn(step.onResult, result) &&
        !mappingOf(result, pipeline.resultMappings, agent?.settings.resultMappings),
    );
    return meaningless.map((result) => ({
      file: agent?.source ?? '',
      field: 'valid_results',
      message: `${result} is neither PASS, FAIL, FIX or SKIP, nor mapped, nor handled by step ${unitKey(path)} of pipeline ${pipeline.name}`,
    }));
  });
}

/** Mappings of agents.json are made for all pipelines; their targets must exist where they are used. */
function strayMappings(run: RunToCheck): DefinitionProblem[] {
  const { pipeline } = run;
  const answersAt = answersIn(run);
  const targets: string[] = [...RELATIVE_JUMPS, ...pipeline.steps.map(({ id }) => id)];
  return pipeline.steps.flatMap((step) => {
    const agent = answersAt(step);
    return possibleResults(step, agent).flatMap((result) => {
      const handler = own(step.onResult, result);
      if (handler?.kind === 'inline' && handler.step.enabledBy === undefined) return [];
      const unit = { path: [step.id], step };
      const jump = jumpAfter(pipeline, unit, result, agent?.resultMappings);
      if (targets.includes(jump)) return [];
      const message = `${result} leads to "${jump}", and pipeline ${pipeline.name} has no such step (step ${step.id})`;
      return [{ file: 'agents.json', field: `agents.${step.agent}.result_mappings`, message }];
    });
  });
}

function isUnbounded(pipeline: Pipeline, key: string): boolean {
  return unitsOf(pipeline).some(({ path, step }) => unitKey(path) === key && step.max === 0);
}
