import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Verdict } from '../../client/demo-ledger.ts';
import { wiggum } from '../helpers/wiggum.ts';
import { withFolder } from '../helpers/with-folder.ts';
import { withTemporal } from '../helpers/with-temporal.ts';

interface DemoOutcome {
  projectDir: string;
  board: { id: string; marker: string }[];
  verdicts: Verdict[];
}
interface Status {
  tasks: { id: string; marker: string; why: string }[];
}

it('shows five tasks merged and one failed with its reason, though its host is killed in the middle (#64)', async () => {
  await withFolder(async (folder) => {
    await withTemporal(async ({ environment }) => {
      const around = {
        ...environment,
        TMPDIR: folder,
        WIGGUM_STATE_DIR: path.join(folder, 'state'),
      };
      const { code, stdout, stderr } = await wiggum(['demo', '--crash', '--json'], {
        cwd: folder,
        environment: around,
      });
      if (code !== 0) throw new Error(`exit ${code}\n${stdout}\n${stderr.slice(-4_000)}`);
      const { projectDir, board, verdicts } = JSON.parse(stdout) as DemoOutcome;
      expect(path.dirname(path.dirname(projectDir))).toBe(folder);
      expect(Object.fromEntries(board.map(({ id, marker }) => [id, marker]))).toEqual({
        'NOTE-1': 'x',
        'NOTE-2': 'x',
        'NOTE-3': 'x',
        'DOCS-1': 'x',
        'SHOW-1': 'x',
        'SYNC-1': '*',
      });
      // One for the board, three for the crash.
      expect(verdicts.map(({ ok }) => ok)).toEqual([true, true, true, true]);
      expect(verdicts[2]?.text).toContain('started 1 time, resumed 1 time');

      const status = await wiggum(['status', '--json'], {
        cwd: projectDir,
        environment: around,
      });
      const { tasks } = JSON.parse(status.stdout) as Status;
      const failed = tasks.find(({ marker }) => marker === '*');
      expect(failed?.id).toBe('SYNC-1');
      expect(failed?.why).toContain('execution');
    });
  });
}, 150_000);
