import type { Backend } from '../backend.ts';
import { resumeCommand, sessionExists, startCommand } from './arguments.ts';
import { parseClaudeLine } from './events.ts';
import { classifyClaude } from './outcome.ts';

/** The Claude Code program, headless. */
export const claude: Backend = {
  name: 'claude',
  start: startCommand,
  resume: resumeCommand,
  sessionExists,
  parse: parseClaudeLine,
  classify: classifyClaude,
};
