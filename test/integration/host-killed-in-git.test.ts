import { access } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { readLedger } from '../../client/demo-ledger.ts';
import { findProgram } from '../../config/find-program.ts';
import { writes } from '../helpers/scripts.ts';
import { startWiggum } from '../helpers/wiggum.ts';
import { writeProgram } from '../helpers/with-folder.ts';
import { makeRepository } from '../helpers/with-repository.ts';
import { withTemporal } from '../helpers/with-temporal.ts';
import { eventually, ONE_STEP, task } from '../helpers/with-world.ts';

it('goes on within seconds after kill -9 in the middle of a git command (#64)', async () => {
  const repository = await makeRepository();
  const at = (name: string) => path.join(repository.dir, '..', name);
  try {
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'First')}`,
      '.ralph/pipeline.json': JSON.stringify(ONE_STEP),
      '../script/scenario.yaml': `ledger: ../ledger.jsonl\ntasks:\n${writes('AB-1', 'one.txt')}`,
    });
    // A git that hangs at the first commit of a step, once.
    const git = await findProgram('git', process.env, repository.dir);
    await writeProgram(
      at('bin/git'),
      `case "$*" in *commit-tree*|*' commit '*)`,
      `  if mkdir '${at('hangs')}' 2>/dev/null; then exec sleep 60; fi ;;`,
      'esac',
      `exec '${git}' "$@"`,
    );
    await withTemporal(async ({ environment }) => {
      const where = {
        cwd: repository.dir,
        environment: {
          ...environment,
          PATH: `${at('bin')}${path.delimiter}${process.env['PATH']}`,
        },
      };
      const words = ['run', '--auto-merge', '--script', '../script/scenario.yaml'];
      const first = startWiggum(words, where);
      await eventually(async () => {
        if (first.child.exitCode !== null) throw new Error(first.stderr());
        return access(at('hangs')).then(
          () => true,
          () => undefined,
        );
      }, 'git in its commit');
      first.child.kill('SIGKILL');
      await first.ended;
      const second = startWiggum(words, where);
      const late = setTimeout(() => second.child.kill('SIGKILL'), 30_000);
      expect(await second.ended).toMatchObject({ code: 0 });
      clearTimeout(late);
      expect(second.stderr()).toContain('died with its host; it is done again');

      const ledger = await readLedger(at('ledger.jsonl'));
      expect(ledger.filter(({ event }) => event === 'start' || event === 'resume')).toHaveLength(1);
      expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
    });
  } finally {
    await repository.remove();
  }
});
