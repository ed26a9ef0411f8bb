import type { AgentDefinition } from '../../config/agent-definition.ts';
import { LIMIT_NAMES } from '../../config/agent-limits.ts';
import { BUILT_IN, ENVIRONMENT, type Level } from '../../config/setting.ts';
import type { AgentView } from '../inspect/agent-view.ts';
import { aligned } from './aligned.ts';
import { counted } from './amounts.ts';
import { limitNames, limitWords } from './limits.ts';
import { placeText, problemText, type Around } from './place.ts';
import { printable, printableText } from './text.ts';
import { wrap } from './wrap.ts';

interface Drawing extends Around {
  columns: number;
}

/** All agents: what each one is, then its limits and who decides them, then its file if it is not ours. */
export function agentTable(agents: readonly AgentView[], drawing: Drawing): string[] {
  const width = Math.max(...agents.map(({ type }) => type.length));
  const rows = agents.flatMap((agent): string[] => {
    const { type, definition, problems } = agent;
    if (!definition)
      return [
        `${type.padEnd(width)}  has faults`,
        ...problems.map((problem) => `    ${problemText(problem, drawing)}`),
      ];
    const { mode, readonly, validResults } = definition;
    const facts = [mode.padEnd(10), readonly ? 'readonly' : '        ', validResults.join(' ')];
    return [
      `${type.padEnd(width)}  ${facts.join('  ')}`,
      ...[...limitLines(agent, drawing), ...originLines(agent, drawing)].map(
        (line) => `    ${line}`,
      ),
    ];
  });
  return [`${counted(agents.length, 'agent')}, shipped where no file is named:`, '', ...rows];
}

/** Everything about one agent, its prompts as they stand in its file. */
export function agentLines(agent: AgentView, drawing: Drawing): string[] {
  const { type, definition, file, overrides, variables = [], limits, problems } = agent;
  if (!definition || !limits) return problems.map((problem) => problemText(problem, drawing));
  const { mode, readonly, planFile, outputPath, sessionFrom } = definition;
  const list = (names: readonly string[]) => names.map(printable).join(', ');
  const facts: [string, string][] = [
    ['file', placeText(file, drawing)],
    ['instead of', overrides.map((other) => placeText(other, drawing)).join(', ')],
    ['mode', `${mode}${readonly ? ', readonly' : ''}`],
    ['results', definition.validResults.join(' ')],
    ['done by', completionText(definition)],
    ['needs', list(definition.requiredPaths)],
    ['hands on', list(definition.outputs)],
    ['session', sessionFrom ? `of its ${sessionFrom}` : ''],
    ['plan file', printable(planFile ?? '')],
    ['output', printable(outputPath ?? '')],
    ...wrap(variables, drawing.columns - 16, ', ').map((line, index): [string, string] => [
      index === 0 ? 'variables' : '',
      line,
    ]),
  ];
  const decided = LIMIT_NAMES.map((name): [string, string] => [
    name,
    `${String(limits[name].value)} (${levelText(limits[name], agent, drawing)})`,
  ]);
  return [
    `${type}: ${printable(definition.description)}`,
    '',
    ...aligned(
      facts.filter(([, text]) => text !== ''),
      '  ',
    ),
    ...(mode === 'built-in'
      ? []
      : ['', 'Limits, where a step says nothing else:', ...aligned(decided, '  ')]),
    ...prompt('system prompt', definition.systemPrompt),
    ...prompt('user prompt', definition.userPrompt),
    ...prompt('continuation prompt', definition.continuationPrompt ?? ''),
  ];
}

/** `6 iterations × 50 turns · 30m (shipped config/agents.json)`; what comes from elsewhere is named. */
function limitLines(agent: AgentView, drawing: Drawing): string[] {
  const { definition, limits } = agent;
  if (!definition || !limits) return [];
  const names = limitNames(definition.mode, limits);
  const sources = names.map((name) => sourceText(limits[name], agent, drawing));
  const timesOf = (source: string) => sources.filter((other) => other === source).length;
  const [usual] = sources.toSorted((one, other) => timesOf(other) - timesOf(one));
  if (usual === undefined) return [];
  const others = names.flatMap((name, index) =>
    sources[index] === usual ? [] : [`${name}: ${sources[index]}`],
  );
  const words = `${limitWords(definition.mode, limits).join(' · ')} (${[usual, ...others].join('; ')})`;
  return wrap(words.split(' '), drawing.columns - 4, ' ');
}

function originLines({ origin, file, overrides }: AgentView, drawing: Drawing): string[] {
  if (origin === 'shipped' || origin === 'built in') return [];
  const before = overrides.map((other) => placeText(other, drawing)).join(' and ');
  return [placeText(file, drawing), ...(before ? [`instead of ${before}`] : [])];
}

function sourceText({ source, key }: Level, { file }: AgentView, around: Around): string {
  if (source === ENVIRONMENT) return printable(key);
  return source === file ? 'its own file' : placeText(source, around);
}

/** The file, and the place in it where that is not the agent's own entry. */
function levelText(level: Level, agent: AgentView, around: Around): string {
  const place = sourceText(level, agent, around);
  const isOwn = level.key.startsWith(`agents.${agent.type}.`);
  const isNamed = level.source === BUILT_IN || level.source === ENVIRONMENT || isOwn;
  return isNamed || level.source === agent.file ? place : `${place}: ${printable(level.key)}`;
}

function completionText(agent: Pick<AgentDefinition, 'completionCheck' | 'resultTag'>): string {
  const { completionCheck, resultTag } = agent;
  switch (completionCheck.kind) {
    case 'result-tag':
      return `its result in <${printable(resultTag)}>`;
    case 'status-file':
      return `all items closed in ${printable(completionCheck.path)}`;
    case 'file-exists':
      return `a file at ${printable(completionCheck.path)}`;
  }
}

function prompt(title: string, text: string): string[] {
  return text === '' ? [] : ['', `── ${title}`, '', ...printableText(text).split('\n')];
}
