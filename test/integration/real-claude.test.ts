import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';
import { startWiggum, wiggum } from '../helpers/wiggum.ts';
import { makeRepository } from '../helpers/with-repository.ts';
import { withTemporal } from '../helpers/with-temporal.ts';
import { eventually, ONE_STEP, task } from '../helpers/with-world.ts';

// Claude Code is no dependency of ours: `CLAUDE=… npm run test:filter -- real-claude` runs this.
const program = process.env.CLAUDE ?? 'claude';
const isInstalled = spawnSync(program, ['--version']).status === 0;
const whenInstalled = isInstalled ? it : it.skip;

whenInstalled(
  'goes on with the same conversation of the real Claude Code after kill -9 of the host',
  async () => {
    const repository = await makeRepository();
    const home = path.dirname(repository.dir);
    const log = path.join(home, 'requests.jsonl');
    const api = path.join(packageRoot(), 'test', 'fixtures', 'model-api.mjs');
    const model = spawn(process.execPath, [api, '6', log], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [address] = (await once(createInterface({ input: model.stdout }), 'line')) as [string];
      await repository.write({
        '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'Say hello')}`,
        '.ralph/pipeline.json': JSON.stringify(ONE_STEP),
      });
      await withTemporal(async ({ environment }) => {
        const where = {
          cwd: repository.dir,
          environment: {
            ...environment,
            CLAUDE: program,
            CLAUDE_CONFIG_DIR: path.join(home, 'claude'),
            ANTHROPIC_BASE_URL: address,
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
      const requests = (await readFile(log, 'utf8')).trim().split('\n');
      // The second request continues the first: it holds its command, and says what happened.
      expect(requests[1]).toContain('toolu_1');
      expect(requests[1]).toContain('You were interrupted');
      expect(await repository.git(['show', 'main:hello.txt'])).toBe('hello');
    } finally {
      model.kill();
      await repository.remove();
    }
  },
);
