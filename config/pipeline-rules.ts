import { endlessCircles, unreachableSteps } from '../workflows/domain/pipeline-paths.ts';
import {
  DEFAULT_MAPPINGS,
  defaultJump,
  own,
  RELATIVE_JUMPS,
  unitKey,
  unitsOf,
  type Pipeline,
} from '../workflows/domain/steps.ts';
import type { AgentDefinition, DefinitionProblem } from './agent-definition.ts';

/** What is wrong between a pipeline and its agents; both are right by themselves. */
export function findRunProblems(
  pipeline: Pipeline,
  agents: Readonly<Record<string, AgentDefinition>>,
  file: string,
): DefinitionProblem[] {
  const answers = Object.fromEntries(
    Object.entries(agents).map(([type, { validResults, settings }]) => [
      type,
      { validResults, resultMappings: settings.resultMappings },
    ]),
  );
  const circles = endlessCircles(pipeline, answers).map((circle) => {
    const around = [...circle, circle[0]].join(' → ');
    const unbounded = circle.filter((key) => isUnbounded(pipeline, key)).join(', ');
    return {
      file,
      field: 'steps',
      message: `could run for ever: ${around}; give a "max" to ${unbounded}, or end the circle with on_max`,
    };
  });
  const unreachable = unreachableSteps(pipeline, answers).map((id) => ({
    file,
    field: `step ${id}`,
    message: 'no result of an earlier step leads here',
  }));
  return [
    ...circles,
    ...unreachable,
    ...undefinedResults(pipeline, agents),
    ...strayMappings(pipeline, agents),
  ];
}

/** Handlers that wait for results their agents never give. */
export function findRunNotices(
  pipeline: Pipeline,
  agents: Readonly<Record<string, AgentDefinition>>,
  file: string,
): DefinitionProblem[] {
  return unitsOf(pipeline).flatMap(({ path, step }) => {
    const agent = own(agents, step.agent);
    if (!agent) return [];
    const possible = [
      ...agent.validResults,
      'FAIL',
      'UNKNOWN',
      ...(step.commitAfter ? ['FIX'] : []),
    ];
    return Object.keys(step.onResult)
      .filter((result) => !possible.includes(result))
      .map((result) => ({
        file,
        field: `step ${unitKey(path)}`,
        message: `on_result.${result} never happens: ${agent.type} gives ${agent.validResults.join(', ')}`,
      }));
  });
}

/** A result must be one of the four, mapped, or handled wherever its agent works (checklist 67). */
function undefinedResults(
  pipeline: Pipeline,
  agents: Readonly<Record<string, AgentDefinition>>,
): DefinitionProblem[] {
  return unitsOf(pipeline).flatMap(({ path, step }) => {
    const agent = own(agents, step.agent);
    const meaningless = (agent?.validResults ?? []).filter(
      (result) =>
        ![
          step.onResult,
          pipeline.resultMappings,
          agent?.settings.resultMappings ?? {},
          DEFAULT_MAPPINGS,
        ].some((known) => Object.hasOwn(known, result)),
    );
    return meaningless.map((result) => ({
      file: agent?.source ?? '',
      field: 'valid_results',
      message: `${result} is neither PASS, FAIL, FIX or SKIP, nor mapped, nor handled by step ${unitKey(path)} of pipeline ${pipeline.name}`,
    }));
  });
}

/** Mappings of agents.json are made for all pipelines; their targets must exist where they are used. */
function strayMappings(
  pipeline: Pipeline,
  agents: Readonly<Record<string, AgentDefinition>>,
): DefinitionProblem[] {
  const targets: string[] = [...RELATIVE_JUMPS, ...pipeline.steps.map(({ id }) => id)];
  return pipeline.steps.flatMap(({ id, agent: type, onResult }) => {
    const agent = own(agents, type);
    return [...(agent?.validResults ?? []), 'FAIL', 'UNKNOWN'].flatMap((result) => {
      const jump = defaultJump(pipeline, agent?.settings.resultMappings, result);
      if (Object.hasOwn(onResult, result) || targets.includes(jump)) return [];
      const message = `${result} leads to "${jump}", and pipeline ${pipeline.name} has no such step (step ${id})`;
      return [{ file: 'agents.json', field: `agents.${type}.result_mappings`, message }];
    });
  });
}

function isUnbounded(pipeline: Pipeline, key: string): boolean {
  return unitsOf(pipeline).some(({ path, step }) => unitKey(path) === key && step.max === 0);
}
