import { join } from 'node:path';
import { packageRoot } from '../../../config/package-root.ts';
import type { Backend, Command, TurnContext } from '../backend.ts';
import { allowedEnvironment } from '../environment.ts';
import { classifyScript, parseScriptLine } from './events.ts';
import { sessionExists, writePlan } from './plan.ts';

/** An agent that does what a file says: for demos, tests and benchmarks, without a model. */
export const script: Backend = {
  name: 'script',
  start: (context) => command(context, 'start'),
  resume: (context) => command(context, 'resume'),
  sessionExists,
  parse: parseScriptLine,
  classify: classifyScript,
};

async function command(context: TurnContext, order: 'start' | 'resume'): Promise<Command> {
  return {
    program: process.execPath,
    args: [
      join(packageRoot(), 'activities/agent/script/script-agent-main.mjs'),
      await writePlan(context, order),
    ],
    environment: allowedEnvironment(context.environment),
  };
}
