import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Validation } from '../../../client/validate-project.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { jsonOf, wiggumLine, type Answer } from '../../helpers/run-line.ts';
import { withFolder } from '../../helpers/with-folder.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const validate = (project: TestProject, ...words: string[]): Promise<Answer> =>
  wiggumLine(['validate', ...words], { cwd: project.dir });

async function withBoard(
  board: string,
  use: (project: TestProject) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    await project.write({ '.ralph/kanban.md': board });
    await use(project);
  });
}

const boardOf = ({ dir }: TestProject) => readFile(path.join(dir, '.ralph/kanban.md'), 'utf8');

describe('a valid board', () => {
  const board = aBoard()
    .withTask('AB-1', { marker: 'x', priority: 'HIGH' })
    .withTask('AB-2', { dependencies: ['AB-1'] })
    .withTask('AB-3', { priority: 'HIGH' });

  it('is counted by status and priority, with exit 0 (#17)', async () => {
    await withBoard(board.text(), async (project) => {
      const { code, stdout } = await validate(project);
      expect(code).toBe(0);
      expect(stdout.split('\n').slice(0, 5)).toEqual([
        '.ralph/kanban.md: 3 tasks',
        '  [ ] pending      2',
        '  [x] done         1',
        '  HIGH             2',
        '  MEDIUM           1',
      ]);
      expect(stdout).toContain('No errors.');
    });
  });

  it('is described as JSON (#17)', async () => {
    await withBoard(board.text(), async (project) => {
      const answer = await validate(project, '--json');
      expect(jsonOf<Validation>(answer)).toMatchObject({
        tasks: 3,
        statuses: { ' ': 2, x: 1, '=': 0 },
        priorities: { HIGH: 2, MEDIUM: 1 },
        errors: [],
        definitions: [],
      });
    });
  });

  it('is met with silence when quiet', async () => {
    await withBoard(board.text(), async (project) => {
      expect(await validate(project, '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  });

  it('may hold a cycle, which is no error but is told', async () => {
    const circle = aBoard()
      .withTask('AB-1', { dependencies: ['AB-2'] })
      .withTask('AB-2', { dependencies: ['AB-1'] });
    await withBoard(circle.text(), async (project) => {
      const { code, stdout } = await validate(project);
      expect(code).toBe(0);
      expect(stdout).toContain('note: circular dependencies: AB-1 → AB-2');
    });
  });
});

describe('an invalid board', () => {
  it.each(['A-1', 'TOOLONGNAME-1', 'AB-12345', 'AB_1', '12-AB', 'AB-'])(
    'has an error with its line for the id %s (#15)',
    async (id) => {
      await withBoard(aBoard().withTask('AB-1').withTask(id).text(), async (project) => {
        const { code, stdout } = await validate(project);
        expect(code).toBe(31);
        expect(stdout).toContain(`.ralph/kanban.md:9: [${id}] is not a task id`);
      });
    },
  );

  it.each(['Priority', 'Dependencies', 'Description'])(
    'has an error with its line for a missing %s (#16)',
    async (field) => {
      const lines = aBoard().withTask('AB-1').text().split('\n');
      const without = lines.filter((line) => !line.startsWith(`  - ${field}:`)).join('\n');
      await withBoard(without, async (project) => {
        const { code, stdout } = await validate(project);
        expect(code).toBe(31);
        expect(stdout).toMatch(new RegExp(`kanban\\.md:5: AB-1 has no ${field}`));
      });
    },
  );

  it('reports everything at once (#17)', async () => {
    const board = [
      '# Kanban',
      '## TASKS',
      '- [ ] **[AB-1]** One',
      '  - Description:',
      '  - Priority: URGENT',
      '  - Dependencies: XY-9',
      '- [ ] **[AB-1]** Again',
      '  - Description: D',
      '    - Priority: LOW',
      '  - Dependencies: none',
      '',
    ].join('\n');
    await withBoard(board, async (project) => {
      const { code, stdout } = await validate(project);
      expect(code).toBe(31);
      for (const fault of [
        /:4: AB-1 has an empty Description/,
        /:5: AB-1 has the Priority "URGENT"/,
        /:6: AB-1 depends on XY-9, which is not on the board/,
        /:7: AB-1 is a duplicate: the first is on line 3/,
        /:9: AB-1 has Priority at the wrong depth/,
      ])
        expect(stdout).toMatch(fault);
      expect(stdout).toMatch(/\d errors\.\n$/);
    });
  });

  it('without "## TASKS" is refused (#17)', async () => {
    await withBoard('# Kanban\n', async (project) => {
      const { code, stdout } = await validate(project);
      expect(code).toBe(31);
      expect(stdout).toContain('no heading "## TASKS"');
    });
  });

  it('cannot steer the terminal with its text', async () => {
    await withBoard(aBoard().withTask('A\u001b[2J-1').text(), async (project) => {
      expect((await validate(project)).stdout).toContain('[A\\u{1b}[2J-1]');
    });
  });
});

describe('a board that is not there', () => {
  it('gives exit 30 (#17)', async () => {
    await withRepository(async (project) => {
      const { code, stderr } = await validate(project);
      expect(code).toBe(30);
      expect(stderr).toContain('BOARD_MISSING');
      expect(stderr).toContain('wiggum init');
    });
  });

  it('gives exit 30 under the name of -f (#17)', async () => {
    await withFolder(async (cwd) => {
      const { code, stderr } = await wiggumLine(['validate', '-f', 'nowhere.md'], { cwd });
      expect(code).toBe(30);
      expect(stderr).toContain(path.join(cwd, 'nowhere.md'));
    });
  });

  it('is looked for in a repository only (#190)', async () => {
    await withFolder(async (cwd) => {
      expect((await wiggumLine(['validate'], { cwd })).code).toBe(3);
    });
  });
});

describe('another board', () => {
  it('is validated outside of any project', async () => {
    await withFolder(async (cwd) => {
      await writeFile(path.join(cwd, 'other.md'), aBoard().withTask('AB-1').text());
      const { code, stdout } = await wiggumLine(['validate', '--file', 'other.md'], { cwd });
      expect(code).toBe(0);
      expect(stdout).toContain('other.md: 1 task\n');
    });
  });
});

describe('sort', () => {
  it('groups by status and orders by id (#23)', async () => {
    const board = aBoard()
      .withTask('AB-3')
      .withTask('AB-9', { marker: 'x' })
      .withTask('AB-1', { marker: '*' })
      .withTask('AB-2', { marker: '=' });
    await withBoard(board.text(), async (project) => {
      const { code, stdout } = await validate(project, 'sort');
      expect([code, stdout]).toEqual([0, '.ralph/kanban.md: sorted by status and id\n']);
      const order = (await boardOf(project)).match(/^(### .*|- \[.\] \*\*\[\S+\])/gm);
      expect(order).toEqual([
        '### Completed',
        '- [x] **[AB-9]',
        '### Failed',
        '- [*] **[AB-1]',
        '### Pending',
        '- [=] **[AB-2]',
        '- [ ] **[AB-3]',
      ]);
      expect((await validate(project, 'sort')).stdout).toContain('sorted already');
    });
  });

  it.each(['sort', 'cleanup'])(
    'an invalid board is refused by %s and stays as it is (#23)',
    async (action) => {
      const board = aBoard()
        .withTask('AB-2', { marker: 'x' })
        .withTask('AB-1', { dependencies: ['XY-1'] })
        .text();
      await withBoard(board, async (project) => {
        const { code, stdout } = await validate(project, action);
        expect(code).toBe(31);
        expect(stdout).toContain('depends on XY-1');
        expect(stdout).toContain(`not changed by \`${action}\``);
        expect(await boardOf(project)).toBe(board);
      });
    },
  );
});

describe('cleanup', () => {
  it('collapses finished tasks, and what depended on them stays valid (#21)', async () => {
    const board = aBoard()
      .withTask('AB-1', { marker: 'x' })
      .withTask('AB-2', { dependencies: ['AB-1'] });
    await withBoard(board.text(), async (project) => {
      const { code, stdout } = await validate(project, 'cleanup');
      expect(code).toBe(0);
      expect(stdout).toContain('collapsed 1 finished task: AB-1');
      expect(await boardOf(project)).toContain('<!-- done: AB-1 -->');
      const after = await validate(project, '--json');
      expect(after.code).toBe(0);
      expect(jsonOf<Validation>(after)).toMatchObject({ tasks: 1, statuses: { x: 1 } });
      expect((await validate(project, 'cleanup')).stdout).toContain('no finished tasks');
    });
  });
});

describe('the definitions around the board', () => {
  it('count as errors when they cannot be used', async () => {
    await withBoard(aBoard().withTask('AB-1').text(), async (project) => {
      await project.write({
        '.ralph/config.json': '{"workers": {"max_workers": 0}}',
        '.ralph/pipelines/mine.json': '{"name": "mine", "steps": []}',
      });
      const { code, stdout } = await validate(project);
      expect(code).toBe(31);
      expect(stdout).toContain(
        '.ralph/config.json:1: workers.max_workers: expected a whole number',
      );
      expect(stdout).toContain('.ralph/pipelines/mine.json');
    });
  });

  it('are counted, the own apart from the others', async () => {
    await withBoard(aBoard().withTask('AB-1').text(), async (project) => {
      await project.write({
        '.ralph/pipelines/mine.json': '{"steps": [{"id": "a", "agent": "no.one"}]}',
      });
      const { stdout } = await validate(project);
      expect(stdout).toMatch(
        /^\d+ pipelines \(1 of the project\), \d+ agents \(0 of the project\), settings in \d files?$/m,
      );
      expect(stdout).toContain(
        'note: circles and unreachable steps are looked for when the errors are mended: mine.json\n',
      );
      expect(jsonOf<Validation>(await validate(project, '--json'))).toMatchObject({
        checked: { pipelines: { own: 1 }, agents: { own: 0 } },
        unwalked: [expect.stringMatching(/mine\.json$/)],
      });
    });
  });

  it('do not keep the board from being sorted', async () => {
    await withBoard(aBoard().withTask('AB-1').text(), async (project) => {
      await project.write({ '.ralph/config.json': 'nonsense' });
      expect((await validate(project, 'sort')).code).toBe(0);
    });
  });
});
