import type { Handler, Pipeline, Step } from '../../workflows/domain/steps.ts';

/** A step that runs the agent `test.<id>`. */
export function aStep(id: string, change: Partial<Step> = {}): Step {
  return {
    id,
    agent: `test.${id}`,
    max: 0,
    onMax: 'next',
    onResult: {},
    readonly: false,
    commitAfter: false,
    config: {},
    ...change,
  };
}

export function aPipeline(...steps: Step[]): Pipeline {
  return { name: 'test', steps, resultMappings: {} };
}

export function jump(to: string): Handler {
  return { kind: 'jump', to };
}

export function inline(id: string, change: Partial<Step> = {}): Handler {
  return { kind: 'inline', step: aStep(id, change) };
}
