import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package-root.ts';
import * as contract from '../workflows/contract.ts';
import { ERRORS } from '../workflows/domain/errors.ts';

const ROOT = packageRoot();
const SOURCE = ['workflows', 'activities', 'workers', 'client', 'config'];
const FOLDERS = [...SOURCE, 'test', 'scripts', 'bench'];
const FILES = FOLDERS.filter((folder) => existsSync(path.join(ROOT, folder))).flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => /\.(ts|mjs)$/.test(name)),
);
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const isTest = (file: string) => file.startsWith('test/');

/** Files that are not as a rule wants them. */
const offenders = (isWrong: (file: string, text: string) => boolean, files = FILES) =>
  files.filter((file) => isWrong(file, textOf(file)));

describe('the tree', () => {
  it('has no import cycle, not even of types', () => {
    const imports = new Map(FILES.map((file) => [file, importsOf(file)]));
    expect(cyclesIn(imports)).toEqual([]);
  });

  it('has no file over its limit: 300 lines, 400 for tests', () => {
    const isLong = (file: string, text: string) =>
      text.split('\n').length - 1 > (isTest(file) ? 400 : 300);
    expect(offenders(isLong)).toEqual([]);
  });

  it('has registries named index.ts in three places only', () => {
    expect(FILES.filter((file) => path.basename(file) === 'index.ts').sort()).toEqual([
      'activities/index.ts',
      'client/commands/index.ts',
      'workflows/index.ts',
    ]);
  });

  it('has no drawer for odds and ends', () => {
    const isDrawer = (file: string) =>
      file.split('/').some((part) => /^(utils?|common|misc|helpers|lib)(\.ts)?$/.test(part)) &&
      !file.startsWith('test/helpers/');
    expect(FILES.filter(isDrawer)).toEqual([]);
  });

  it('ends the process in main.ts and in the two programs that agents run under, nowhere else', () => {
    const sources = FILES.filter((file) => !isTest(file));
    expect(
      offenders((_file, text) => /\bprocess\.exit\b(?!Code)/.test(text), sources).sort(),
    ).toEqual([
      'activities/agent/keeper-main.mjs',
      'activities/agent/script/script-agent-main.mjs',
      'client/main.ts',
    ]);
  });

  it('reads front matter in one place', () => {
    const sources = FILES.filter((file) => !isTest(file));
    // Whatever the form: static, lazy, or by require.
    expect(offenders((_file, text) => /['"`]gray-matter['"`]/.test(text), sources)).toEqual([
      'config/front-matter.ts',
    ]);
  });
});

describe('the tests', () => {
  const tests = FILES.filter(
    (file) => file.endsWith('.test.ts') && file !== 'test/architecture.test.ts',
  );

  it('run all, and none is left out by hand', () => {
    const focuses =
      /\b(it|test|describe)(\.each)?\.only\b|import \{[^}]*\b[fx](it|test|describe)\b[^}]*\} from '@jest/;
    expect(offenders((_file, text) => focuses.test(text), tests)).toEqual([]);
  });

  it('say what happens, not what should', () => {
    const says = /\bit(\.each\([^)]*\))?\(\s*['"`]should\b/;
    expect(offenders((_file, text) => says.test(text), tests)).toEqual([]);
  });

  it('never mock a module of ours', () => {
    const mocks = /\bjest\.(unstable_)?mock(Module)?\(\s*['"`]\./;
    expect(offenders((_file, text) => mocks.test(text), tests)).toEqual([]);
  });
});

describe('the package', () => {
  it('has one npm script each for all, filtered, quick, coverage and lint (#212)', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({
      test: 'node scripts/test.mjs',
      'test:filter': 'node scripts/test.mjs --filter',
      'test:quick': 'node scripts/test.mjs unit',
      coverage: 'node scripts/test.mjs unit --coverage',
      lint: 'eslint . --max-warnings 0 && prettier --check .',
    });
    expect(textOf('.ci/run')).toContain('npm --silent test');
  });

  it('says why neither a bash style guide nor a Python terminal UI came along (#212)', () => {
    const record = textOf('docs/adr/0002-no-bash-style-no-python-tui.md');
    expect(record).toMatch(/^# .*\bbash\b.*\bPython\b/im);
    expect(record).toMatch(/^\*\*Decision\.\*\*/m);
  });

  it('keeps download addresses out of the lock file', () => {
    expect(textOf('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('the documents', () => {
  it('explain every error code under a heading of its own', () => {
    const text = textOf('docs/errors.md');
    const headings = [...text.matchAll(/^#+ +`?([A-Z][A-Z_]+)`?/gm)].map(([, code]) => code);
    expect(headings.sort()).toEqual(Object.keys(ERRORS).sort());
  });
});

describe('the contract', () => {
  it('has the names of the design (#211)', () => {
    const { BOARD_WORKFLOW, TASK_WORKFLOW, MERGE_WORKFLOW, WORKFLOW_QUEUE } = contract;
    expect([BOARD_WORKFLOW, TASK_WORKFLOW, MERGE_WORKFLOW]).toEqual([
      'boardWorkflow',
      'taskWorkflow',
      'mergeWorkflow',
    ]);
    expect([
      contract.boardWorkflowId('shop-1a2b3c4d'),
      contract.taskWorkflowId('shop-1a2b3c4d', 'AB-1'),
      contract.mergeWorkflowId('shop-1a2b3c4d', 'main'),
    ]).toEqual(['board/shop-1a2b3c4d', 'task/shop-1a2b3c4d/AB-1', 'merge/shop-1a2b3c4d/main']);
    expect([WORKFLOW_QUEUE, contract.hostQueue('h1'), contract.agentQueue('h1')]).toEqual([
      'wiggum',
      'host-h1',
      'agent-h1',
    ]);
    expect(contract.SEARCH_ATTRIBUTES).toEqual({
      WiggumProject: 'KEYWORD',
      WiggumTask: 'KEYWORD',
      WiggumState: 'KEYWORD',
      WiggumStep: 'KEYWORD',
      WiggumNeedsHuman: 'BOOL',
      WiggumPriority: 'INT',
    });
  });

  it('registers exactly the workflows that it names (#211)', () => {
    const named = Object.entries(contract).flatMap(([name, value]) =>
      name.endsWith('_WORKFLOW') && typeof value === 'string' ? [value] : [],
    );
    const registered = [...textOf('workflows/index.ts').matchAll(/\b\w+Workflow\b/g)].map(
      ([name]) => name,
    );
    expect([...new Set(registered)].sort()).toEqual(named.sort());
  });

  it('uses no name that the design replaced (#211)', () => {
    const replaced =
      /workItemWorkflow|pipelineWorkflow|agentRunWorkflow|['"`](SessionState|SessionMode|KanbanTask|NeedsHuman|Runner)['"`]|`item\/\$/;
    const sources = FILES.filter((file) => !isTest(file));
    expect(offenders((_file, text) => replaced.test(text), sources)).toEqual([]);
  });
});

/** What a file names in `import … from` and `export … from`; lazy imports break a cycle. */
function importsOf(file: string): string[] {
  const statements = textOf(file).matchAll(
    /^\s*(?:import|export)\s[^;'"]*?\sfrom\s+'(\.[^']+)'|^\s*import\s+'(\.[^']+)'/gm,
  );
  return [...statements].map(([, named, bare]) =>
    path.join(path.dirname(file), named ?? bare ?? ''),
  );
}

function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}
