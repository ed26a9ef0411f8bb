import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/*
 * npm run conformance     writes docs/conformance.md: each promise of the checklist, and the tests that
 *                         carry its number in their titles; with `--check` it only says whether the
 *                         page is fresh.
 */

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ITEMS = path.join(ROOT, 'docs', 'conformance-items.json');
const PAGE = path.join(ROOT, 'docs', 'conformance.md');
const UNSURE = '†';

const page = conformancePage();
if (!process.argv.includes('--check')) fs.writeFileSync(PAGE, page);
else if (fs.readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/conformance.md is not fresh: npm run conformance');
  process.exitCode = 1;
}

/** The page as the tests make it now. */
function conformancePage() {
  const items = Object.entries(JSON.parse(fs.readFileSync(ITEMS, 'utf8')));
  const tests = numberedTests(path.join(ROOT, 'test'));
  const rows = items.map(([number, what]) => {
    const files = tests.get(Number(number)) ?? [];
    const links = files.map(
      ({ file, times, isSure }) =>
        `[${name(file)}](../${file})${count(times)}${isSure ? '' : ` ${UNSURE}`}`,
    );
    return `| ${number} | ${what} | ${links.join(', ')} | ${stateOf(files)} |`;
  });
  const tested = items.filter(([number]) => tests.has(Number(number))).length;
  return [
    '# Conformance',
    '',
    '<!-- Made by `npm run conformance` from the titles of the tests; do not edit. -->',
    '',
    `${tested} of ${items.length} promises have tests with their number in the title;`,
    '`npm test -- -t "#73"` runs those of one. What is open comes with a later part of the work.',
    '',
    'Tested: such tests are there and run in every `npm test`, which says whether they pass.',
    `Those with ${UNSURE} are skipped, and say so, where what they need is missing: the Claude Code that`,
    '`scripts/install-claude.mjs` brings, or the right to give files to another user.',
    '',
    '| # | Promise | Tests | State |',
    '| - | ------- | ----- | ----- |',
    ...rows,
    '',
  ].join('\n');
}

function stateOf(files) {
  if (files.length === 0) return 'open';
  return files.some(({ isSure }) => isSure) ? 'tested' : `tested ${UNSURE}`;
}

/** Files whose test titles name a number, with how often each does. */
function numberedTests(folder) {
  const found = new Map();
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.ts'));
  for (const file of files.sort()) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    const numbered = titlesOf(text, file).flatMap(({ title, isSure }) =>
      [...title.matchAll(/\((#\d+(?:, #\d+)*)\)/g)]
        .flatMap(([, list]) => list.match(/\d+/g))
        .map((number) => ({ number: Number(number), isSure })),
    );
    for (const number of new Set(numbered.map((one) => one.number))) {
      const those = numbered.filter((one) => one.number === number);
      const isSure = those.some((one) => one.isSure);
      const before = found.get(number) ?? [];
      found.set(number, [...before, { file: `test/${file}`, times: those.length, isSure }]);
    }
  }
  return found;
}

/**
 * What stands as the title of a test or a group, or first in a row of `each`; not what is skipped for good.
 * A title is sure when nothing but Jest decides whether its test runs.
 */
function titlesOf(text, file) {
  const titles = [];
  const look = (node, isSure) => {
    const caller = ts.isCallExpression(node) ? callerOf(node.expression) : undefined;
    if (caller?.isOff) return;
    const stillSure = isSure && caller?.isOwn !== true;
    if (caller) {
      const [title] = node.arguments;
      for (const told of caller.isEach ? firstCells(title) : [title])
        if (told && (ts.isStringLiteralLike(told) || ts.isTemplateExpression(told)))
          titles.push({ title: told.getText(), isSure: stillSure });
    }
    ts.forEachChild(node, (child) => look(child, stillSure));
  };
  look(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), true);
  return titles;
}

/** `it`, `describe.each`, `it.each(rows)`; also names of ours that lead to one of them, as `itAsRoot`. */
function callerOf(callee) {
  let root = callee;
  const names = [];
  while (ts.isPropertyAccessExpression(root) || ts.isCallExpression(root)) {
    if (ts.isPropertyAccessExpression(root)) names.push(root.name.text);
    root = root.expression;
  }
  if (!ts.isIdentifier(root) || !/^(it|test|describe|when)([A-Z]|$)/.test(root.text))
    return undefined;
  return {
    isOwn: !['it', 'test', 'describe'].includes(root.text),
    isOff: names.includes('skip') || names.includes('todo'),
    isEach: ts.isPropertyAccessExpression(callee) && callee.name.text === 'each',
  };
}

/** What stands first in each row of a table. */
function firstCells(table) {
  if (!table || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.map((row) => (ts.isArrayLiteralExpression(row) ? row.elements[0] : row));
}

function name(file) {
  return path.basename(file, '.test.ts');
}

function count(times) {
  return times > 1 ? ` ×${times}` : '';
}
