import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pipelineView, type PipelineView } from '../../../client/inspect/pipeline-view.ts';
import { pipelineMermaid } from '../../../client/render/pipeline-mermaid.ts';
import { pipelineLines } from '../../../client/render/pipeline.ts';
import { widthOf } from '../../../client/render/text.ts';
import { loadRun } from '../../../config/load-definitions.ts';
import { packageRoot } from '../../../config/package-root.ts';
import { mergeConfig } from '../../../config/project-config.ts';
import { advance, begin } from '../../../workflows/domain/pipeline.ts';
import type { Pipeline } from '../../../workflows/domain/steps.ts';
import { anAgent } from '../../helpers/an-agent.ts';
import { aPipeline, aStep, inline, jump } from '../../helpers/a-pipeline.ts';

const AGENTS = {
  'test.plan': anAgent({ type: 'test.plan', readonly: true }),
  'test.build': anAgent({ type: 'test.build', mode: 'ralph_loop', supervisorInterval: 2 }),
  'test.check': anAgent({ type: 'test.check', validResults: ['PASS', 'FIX', 'SKIP', 'LATER'] }),
  'test.mend': anAgent({ type: 'test.mend', validResults: ['PASS', 'FIX', 'FAIL'] }),
  'test.ask': anAgent({ type: 'test.ask', mode: 'built-in' }),
};

const PIPELINE: Pipeline = {
  ...aPipeline(
    aStep('plan', { enabledBy: 'WITH_PLAN' }),
    aStep('build', {
      max: 2,
      commitAfter: true,
      config: { max_turns: 7, colour: 'red' },
      hooks: { pre: ['warm up'], post: ['cool'] },
    }),
    aStep('check', {
      max: 4,
      onMax: 'abort',
      onResult: {
        FIX: inline('mend', {
          max: 3,
          onResult: {
            PASS: jump('build'),
            FIX: inline('ask', { onResult: { PASS: jump('prev') } }),
          },
        }),
        LATER: jump('self'),
      },
    }),
  ),
  costLimitUsd: 5,
};

function viewOf(pipeline: Pipeline, environment: Record<string, string> = {}): PipelineView {
  return pipelineView(
    { pipeline, agents: AGENTS, source: '/project/.ralph/pipeline.json' },
    { environment, config: mergeConfig([]), chosenBy: 'project', notices: [] },
  );
}

const drawing = { cwd: '/project', shipped: '/shipped', columns: 80, colour: false };

describe('a drawn pipeline', () => {
  it('shows steps, flags, limits, handlers to any depth, defaults, and loops as rails (#4)', () => {
    expect(pipelineLines(viewOf(PIPELINE), drawing)).toEqual([
      'test: 3 steps, from .ralph/pipeline.json',
      '(of the project); a task may cost $5.00 (.ralph/pipeline.json)',
      '',
      '  ┌─▶ 1 plan (off) ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ test.plan',
      '  │     no max · only with WITH_PLAN (now off) · once · readonly · 30 turns · 1h',
      '  │     PASS  ↓ 2 build (default)',
      '  │     FAIL  ✗ abort (default)',
      '  │',
      '┌─┼─▶ 2 build ─────────────────────────────────────────────────────── test.build',
      '│ │     max 2, then ↓ 3 check · ralph_loop · commits after',
      '│ │     10 iterations × 7 turns · 1h · supervised every 2 iterations',
      '│ │     before: warm up · after: cool · colour: "red"',
      '│ │     PASS  ↓ 3 check (default)',
      '│ │     FAIL  ✗ abort (default)',
      '│ └──── FIX   ↑ 1 plan (default)',
      '│',
      '│     3 check ─────────────────────────────────────────────────────── test.check',
      '│       max 4, then ✗ abort · once · 30 turns · 1h',
      '│       PASS SKIP  ✓ done (default)',
      '│       FIX        → mend ──────────────────────────────────────────── test.mend',
      '│           max 3, then ✓ done · once · 30 turns · 1h',
      '├────────── PASS       ↑ 2 build',
      '│           FIX        → ask ────────────────────────────────────────── test.ask',
      '│               no max · built-in',
      '└────────────── PASS       ↑ 2 build',
      '                otherwise  ↺ mend (default)',
      '            otherwise  ↺ 3 check (default)',
      '        LATER      ↺ 3 check',
      '        FAIL       ✗ abort (default)',
      '',
      expect.stringMatching(/^↓ on/),
      expect.stringMatching(/^UNKNOWN/),
      'A commit that is refused counts as FIX.',
    ]);
  });

  it('shows a step whose switch is on as one that runs', () => {
    const lines = pipelineLines(viewOf(PIPELINE, { WITH_PLAN: 'yes' }), drawing);
    expect(lines[3]).toMatch(/^ {2}┌─▶ 1 plan ─+ test\.plan$/);
    expect(lines[4]).toContain('only with WITH_PLAN (now on)');
  });

  it('shows what a result without a handler does by mappings of the pipeline', () => {
    const pipeline: Pipeline = {
      ...aPipeline(aStep('build'), aStep('check', { onResult: { LATER: jump('next') } })),
      resultMappings: { FAIL: { status: 'partial', exitCode: 0, defaultJump: 'build' } },
    };
    expect(pipelineLines(viewOf(pipeline), drawing).join('\n')).toMatch(
      /└─+ FIX FAIL +↑ 1 build \(default\)/,
    );
  });

  it('says that a step commits where its settings make it so, and where FIX of that leads (#54)', () => {
    const step = (readonly: boolean) =>
      aStep('build', { config: { auto_commit: true }, onResult: { FIX: jump('self') }, readonly });
    const lines = (readonly: boolean) =>
      pipelineLines(viewOf(aPipeline(step(readonly))), drawing).join('\n');
    expect(lines(false)).toMatch(/commits after[^]*FIX +↺ 1 build\n[^]*A commit that is refused/);
    expect(lines(true)).not.toContain('ommit');
  });

  it('makes what the file does not say faint on a terminal with colours', () => {
    const lines = pipelineLines(viewOf(PIPELINE), { ...drawing, colour: true });
    expect(lines[5]).toBe('  │     \u001b[2mPASS  ↓ 2 build (default)\u001b[0m');
    expect(lines[19]).not.toContain('\u001b');
  });

  it.each(shippedPipelines())('fits 80 columns: %s', async (name) => {
    const view = await shippedView(name);
    const wide = pipelineLines(view, drawing).filter((line) => widthOf(line) > 80);
    expect(wide.filter((line) => !line.includes(view.file))).toEqual([]);
  });
});

describe('a pipeline as Mermaid', () => {
  it('has a node per step and handler, labelled edges, dotted ones without a result, dashed when off (#4)', () => {
    expect(pipelineMermaid(viewOf(PIPELINE))).toEqual([
      'flowchart TD',
      '  begin(["test"])',
      '  n1["1 plan<br/>test.plan<br/>readonly, only with WITH_PLAN"]',
      '  n2["2 build<br/>test.build<br/>max 2, commits"]',
      '  n3["3 check<br/>test.check<br/>max 4"]',
      '  n4("mend<br/>test.mend<br/>max 3")',
      '  n5("ask<br/>test.ask")',
      '  done(["done"])',
      '  aborted(["abort"])',
      '  begin --> n1',
      '  n1 -->|"PASS"| n2',
      '  n1 -->|"FAIL"| aborted',
      '  n1 -.->|"off"| n2',
      '  n2 -->|"PASS"| n3',
      '  n2 -->|"FAIL"| aborted',
      '  n2 -->|"FIX"| n1',
      '  n2 -.->|"after 2"| n3',
      '  n3 -->|"PASS, SKIP"| done',
      '  n3 -->|"FIX"| n4',
      '  n3 -->|"LATER"| n3',
      '  n3 -->|"FAIL"| aborted',
      '  n3 -.->|"after 4"| aborted',
      '  n4 -->|"PASS"| n2',
      '  n4 -->|"FIX"| n5',
      '  n4 -->|"FAIL"| n3',
      '  n4 -.->|"after 3"| done',
      '  n5 -->|"PASS"| n2',
      '  n5 -->|"FAIL"| n4',
      '  classDef off stroke-dasharray: 5 5',
      '  class n1 off',
    ]);
  });

  it.each<[string, Partial<Pipeline>, string]>([
    ['by the defaults', {}, '  n3 -.->|"off"| n1'],
    [
      'by mappings of the pipeline',
      { resultMappings: { FIX: { status: 'partial', exitCode: 0, defaultJump: 'abort' } } },
      '  n3 -.->|"off"| aborted',
    ],
  ])('leads past a handler that is off where its result leads %s (#52)', (_title, more, edge) => {
    const handler = inline('mend', { max: 1, enabledBy: 'WITH_MENDING' });
    const check = aStep('check', { max: 2, onResult: { FIX: handler, LATER: jump('next') } });
    const pipeline = { ...aPipeline(aStep('build'), check, aStep('ask')), ...more };
    expect(pipelineMermaid(viewOf(pipeline))).toContain(edge);
    // The machine goes there too.
    const context = { enabled: [], mappings: {} };
    const at = advance(pipeline, context, begin(pipeline, context, 'check'), 'FIX');
    expect(at).toMatchObject(edge.endsWith('n1') ? { path: ['build'] } : { kind: 'aborted' });
  });

  it('leads past a handler of a handler that is off to what it belongs to (#52)', () => {
    const deep = inline('ask', { enabledBy: 'WITH_ASKING' });
    const handler = inline('mend', { max: 1, onResult: { FIX: deep } });
    const check = aStep('check', { max: 2, onResult: { FIX: handler, LATER: jump('next') } });
    expect(pipelineMermaid(viewOf(aPipeline(check)))).toContain('  n3 -.->|"off"| n1');
  });

  it('writes marks of Mermaid and HTML in names as entities', () => {
    const named = { ...PIPELINE, name: 'a "b" <c>; [d] | #e & `f`' };
    expect(pipelineMermaid(viewOf(named))[1]).toBe(
      '  begin(["a #34;b#34; #60;c#62;#59; #91;d#93; #124; #35;e #38; #96;f#96;"])',
    );
  });

  it.each(shippedPipelines())('has only lines that Mermaid knows: %s', async (name) => {
    const known =
      /^(flowchart TD| {2}\w+(\(\["[^"]+"\]\)|\["[^"]+"\]|\("[^"]+"\))| {2}begin --> n1| {2}n\d+ -\.?->\|"[^"|]+"\| (n\d+|done|aborted)| {2}classDef off stroke-dasharray: 5 5| {2}class n\d+ off)$/;
    const lines = pipelineMermaid(await shippedView(name));
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });
});

function shippedPipelines(): string[] {
  const folder = path.join(packageRoot(), 'config', 'pipelines');
  return readdirSync(folder).map((file) => path.basename(file, '.json'));
}

async function shippedView(name: string): Promise<PipelineView> {
  const run = await loadRun({ taskId: '', pipeline: name }, { ralphDir: '/none', environment: {} });
  const config = mergeConfig([]);
  return pipelineView(run, { environment: {}, config, chosenBy: 'name', notices: [] });
}
