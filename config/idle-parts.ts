import { own, unitKey, unitsOf, type Pipeline, type Step } from '../workflows/domain/steps.ts';
import type { AgentDefinition, DefinitionProblem } from './agent-definition.ts';
import { LIMIT_NAMES } from './agent-limits.ts';
import { nearestName } from './nearest-name.ts';

/** What a pipeline says in vain; nothing of it stops a run. */
export function findIdleParts({
  pipeline,
  agents,
  file,
}: {
  pipeline: Pipeline;
  agents: Readonly<Record<string, AgentDefinition>>;
  file: string;
}): DefinitionProblem[] {
  return unitsOf(pipeline).flatMap(({ path, step }) => {
    const agent = own(agents, step.agent);
    const isFirst = path.length === 1 && path[0] === pipeline.steps[0]?.id;
    const messages = [
      ...strayLimits(step),
      ...(step.commitAfter && (step.readonly || agent?.readonly)
        ? [
            `commit_after has no effect: ${step.readonly ? 'the step' : step.agent} is readonly, and its changes are taken back`,
          ]
        : []),
      ...(isFirst && agent?.mode === 'resume'
        ? [
            `can only fail: ${step.agent} takes up the session of a step before it, and there is none`,
          ]
        : []),
    ];
    return messages.map((message) => ({ file, field: `step ${unitKey(path)}`, message }));
  });
}

/** Keys of a step's `config` are its own to choose, but for those that are nearly a limit. */
function strayLimits({ config }: Step): string[] {
  return Object.keys(config)
    .filter((key) => !(LIMIT_NAMES as readonly string[]).includes(key))
    .flatMap((key) => {
      const meant = nearestName(key, LIMIT_NAMES);
      return meant === undefined
        ? []
        : [`config.${key}: nobody reads this key; did you mean "${meant}"?`];
    });
}
