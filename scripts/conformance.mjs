import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * npm run conformance     writes docs/conformance.md: each promise of the checklist, and the tests that
 *                         carry its number in their titles; with `--check` it only says whether the
 *                         page is fresh.
 */

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ITEMS = path.join(ROOT, 'docs', 'conformance-items.json');
const PAGE = path.join(ROOT, 'docs', 'conformance.md');

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
    const links = files.map(({ file, times }) => `[${name(file)}](../${file})${count(times)}`);
    return `| ${number} | ${what} | ${links.join(', ')} | ${files.length > 0 ? 'tested' : 'open'} |`;
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
    '| # | Promise | Tests | State |',
    '| - | ------- | ----- | ----- |',
    ...rows,
    '',
  ].join('\n');
}

/** Files whose test titles name a number, with how often each does. */
function numberedTests(folder) {
  const found = new Map();
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.ts'));
  for (const file of files.sort()) {
    const lines = fs.readFileSync(path.join(folder, file), 'utf8').split('\n');
    const titles = lines.filter((line) => !line.trimStart().startsWith('//'));
    const numbers = titles.flatMap((line) =>
      [...line.matchAll(/\((#\d+(?:, #\d+)*)\)/g)].flatMap(([, list]) => list.match(/\d+/g)),
    );
    for (const number of new Set(numbers)) {
      const times = numbers.filter((other) => other === number).length;
      const before = found.get(Number(number)) ?? [];
      found.set(Number(number), [...before, { file: `test/${file}`, times }]);
    }
  }
  return found;
}

function name(file) {
  return path.basename(file, '.test.ts');
}

function count(times) {
  return times > 1 ? ` ×${times}` : '';
}
