import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { claudeCode, whenInstalled } from '../helpers/claude-code.ts';
import { startModelApi, type ModelRequest, type Reply } from '../helpers/model-api.ts';
import { startWiggum, wiggum } from '../helpers/wiggum.ts';
import { makeRepository } from '../helpers/with-repository.ts';
import { withTemporal } from '../helpers/with-temporal.ts';
import { eventually, ONE_STEP, task } from '../helpers/with-world.ts';

whenInstalled(
  'goes on with the same conversation of the real Claude Code after kill -9 of the host',
  async () => {
    const repository = await makeRepository();
    const model = await startModelApi(answer);
    try {
      await repository.write({
        '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'Say hello')}`,
        '.ralph/pipeline.json': JSON.stringify(ONE_STEP),
      });
      await withTemporal(async ({ environment }) => {
        const where = {
          cwd: repository.dir,
          environment: {
            ...environment,
            CLAUDE: claudeCode,
            CLAUDE_CONFIG_DIR: path.join(path.dirname(repository.dir), 'claude'),
            ANTHROPIC_BASE_URL: model.address,
            ANTHROPIC_API_KEY: 'played',
          },
        };
        const first = startWiggum(['run', '--auto-merge'], where);
        await eventually(async () => {
          if (first.child.exitCode !== null) throw new Error(first.stderr());
          const files = await readdir(`${repository.dir}/.ralph`, { recursive: true });
          return files.find((name) => name.endsWith('workspace/hello.txt'));
        }, 'the command of the model');
        first.child.kill('SIGKILL');
        expect(await wiggum(['run', '--auto-merge'], where)).toMatchObject({ code: 0 });
      });
      // The second request continues the first: it holds its command, and says what happened.
      const second = JSON.stringify(model.requests[1]?.messages);
      expect(second).toContain('toolu_1');
      expect(second).toContain('You were interrupted');
      expect(await repository.git(['show', 'main:hello.txt'])).toBe('hello');
    } finally {
      await model.close();
      await repository.remove();
    }
  },
);

// A new session works, one that was cut off does the rest, and any other has done everything.
function answer({ system, messages }: ModelRequest): Reply {
  const said = JSON.stringify(messages) + system;
  const folder = /([^"\s\\`]*\/worker-[A-Z]+-\d+-\d+)\//.exec(said)?.[1] ?? '..';
  const tick = `sed -i.bak 's/- \\[ \\]/- [x]/' '${folder}/prd.md'`;
  if (!messages.some(({ role }) => role === 'assistant'))
    return bash(`echo hello >> hello.txt; sleep 6; ${tick}`);
  if (JSON.stringify(messages.at(-1)).includes('You were interrupted')) return bash(tick);
  return { kind: 'text', text: 'It is done.\n\n<result>PASS</result>' };
}

function bash(command: string): Reply {
  return { kind: 'tool', name: 'Bash', input: { command } };
}
