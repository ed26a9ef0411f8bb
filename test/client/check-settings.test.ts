import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkDefinitions } from '../../client/check-definitions.ts';
import { describeProblem, type DefinitionProblem } from '../../config/agent-definition.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

const lines = (problems: DefinitionProblem[]) =>
  problems.map((problem) => describeProblem({ ...problem, file: path.basename(problem.file) }));

/** What is said of these settings, beside these files. */
async function saidOf(
  settings: object,
  files: Record<string, string> = {},
): Promise<{ problems: string[]; notices: string[] }> {
  let said: { problems: string[]; notices: string[] } = { problems: [], notices: [] };
  await withDefinitions(async ({ dir, write, places }) => {
    await write({ '.ralph/config.json': JSON.stringify(settings), ...files });
    for (const file of Object.keys(files)) await chmod(path.join(dir, file), 0o755);
    const environment = { PATH: path.join(dir, 'bin') };
    const { problems, notices } = await checkDefinitions({ ...places, environment });
    said = { problems: lines(problems), notices: lines(notices) };
  });
  return said;
}

describe('names in settings', () => {
  it('of a backend that nobody has are an error, since no run would start', async () => {
    expect(await saidOf({ runtime: { backend: 'claud' } })).toEqual({
      problems: [
        'config.json:1: runtime.backend: there is no backend "claud"; did you mean "claude"?',
      ],
      notices: [],
    });
  });

  it('of a missing scenario are an error where the script backend is chosen', async () => {
    const fault = 'config.json:1: runtime.script: there is no file "a.yaml"';
    const script = { script: 'a.yaml' };
    expect(await saidOf({ runtime: { ...script, backend: 'script' } })).toEqual({
      problems: [fault],
      notices: [],
    });
    expect(await saidOf({ runtime: script })).toEqual({ problems: [], notices: [fault] });
    expect(await saidOf({ runtime: script }, { 'a.yaml': 'agents: {}\n' })).toEqual({
      problems: [],
      notices: [],
    });
  });

  it('of agents that do not exist are noted, old and built-in names are not', async () => {
    const limits = { max_turns: 3 };
    const { notices } = await saidOf({
      agents: {
        'engineering.software-enginer': limits,
        'engineering.software-engineer': limits,
        'system.task-executor': limits,
        'workflow.git-sync-main': limits,
      },
    });
    expect(notices).toEqual([
      'config.json:1: agents.engineering.software-enginer: has no effect: there is no agent "engineering.software-enginer"; did you mean "engineering.software-engineer"?',
    ]);
  });

  it('of programs that hooks cannot find are noted', async () => {
    const commands = {
      here: ['./tools/lint', 'all'],
      found: ['tidy'],
      gone: ['./tools/gone'],
      absent: ['nowhere-to-be-found'],
    };
    const files = { 'tools/lint': '#!/bin/sh\n', 'bin/tidy': '#!/bin/sh\n' };
    expect((await saidOf({ hooks: { commands } }, files)).notices).toEqual([
      'config.json:1: hooks.commands.gone: there is no program "./tools/gone" in the project',
      'config.json:1: hooks.commands.absent: there is no program "nowhere-to-be-found" on PATH',
    ]);
  });
});
