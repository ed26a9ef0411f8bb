import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { closeSummaries } from '../../../activities/agent/summary-file.ts';
import { boundedItems, itemsUnder } from '../../../activities/agent/summary-sections.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const FILE = 'summaries/audit-1700000100/audit-0-summary.txt';

const close = ({ place }: AgentWorld, run = 'audit-1700000100', readonly = false) =>
  closeSummaries({ place, step: 'audit', runId: run, lastIteration: 0, readonly });

describe('the end of a loop', () => {
  it('leaves a summary of the last iteration and of the task, without asking the model (#90)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ tick_prd: 1 }, { say: The parser works. }, { result: PASS }]] }',
      );
      await world.run(world.turn({ agent: 'test.loop', script }));
      const before = (await world.ledger()).length;
      await close(world);

      const text = await world.read(FILE);
      expect(text).toMatch(/^The parser works\./);
      expect(text).toContain('## Completed\n\n- one\n');
      expect(text).toContain('## In Progress\n\nNot said.');
      expect(text).toContain('## Blocked\n\nNot said.');
      expect(text).toContain('## Next Steps\n\n- two\n');
      expect(await world.read('summaries/summary.txt')).toBe(text);
      expect((await world.ledger()).length).toBe(before);
    });
  });

  it('leaves what an iteration and an agent wrote as it is, also when it is told twice (#90)', async () => {
    await withAgents(async (world) => {
      const summaries = path.join(world.place.workerDir, 'summaries');
      await mkdir(path.join(summaries, 'audit-1700000100'), { recursive: true });
      await writeFile(path.join(world.place.workerDir, FILE), 'said');
      await close(world);
      expect(await world.read('summaries/summary.txt')).toBe('said');
      await writeFile(path.join(summaries, 'summary.txt'), 'by an agent');
      await close(world);
      expect(await world.read(FILE)).toBe('said');
      expect(await world.read('summaries/summary.txt')).toBe('by an agent');
    });
  });

  it('replaces the summary of an earlier loop, unless this one only looked (#90)', async () => {
    await withAgents(async (world) => {
      const said = async (run: string, text: string) => {
        const folder = path.join(world.place.workerDir, 'summaries', run);
        await mkdir(folder, { recursive: true });
        await writeFile(path.join(folder, 'audit-0-summary.txt'), text);
      };
      await said('audit-1', 'the plan');
      await close(world, 'audit-1', true);
      await said('audit-2', 'the work');
      await close(world, 'audit-2');
      await said('audit-3', 'a look at it');
      await close(world, 'audit-3', true);
      expect(await world.read('summaries/summary.txt')).toBe('the work');
    });
  });

  it('leaves the headings also when nothing is known of the iteration (#90)', async () => {
    await withAgents(async (world) => {
      await close(world);
      expect((await world.read(FILE)).match(/^## .*$/gm)).toEqual([
        '## Completed',
        '## In Progress',
        '## Blocked',
        '## Next Steps',
      ]);
    });
  });
});

describe('the sections of a summary', () => {
  it.each([
    ['headings', '## Completed\n- a\n- b\n\n## Next Steps\n1. c\n2) d'],
    ['deeper headings', '### Completed\n* a\n* b\n### Blocked\n- x\n### Next Steps\n- c\n- [ ] d'],
    ['bold words', '**Completed:**\n- a\n- b\n\n**Next Steps**\n- c\n- d\n\n# More\n- x'],
    ['plain lines', 'completed:\na\nb\nIn progress:\nx\nnext steps:\nc\nd\n'],
    ['a second try', '## Completed\n- x\n## Completed\n- a\n- b\n## Next Steps\n- c\n- d'],
  ])('are found under %s (#187)', (_title, text) => {
    expect(itemsUnder(text, 'Completed')).toEqual(['a', 'b']);
    expect(itemsUnder(text, 'Next Steps')).toEqual(['c', 'd']);
  });

  it('are empty where nothing was said (#187)', () => {
    const text = '## Completed\n\nNot said.\n\n## Next Steps\n- Nothing.';
    expect(itemsUnder(text, 'Completed')).toEqual([]);
    expect(itemsUnder(text, 'Next Steps')).toEqual([]);
    expect(itemsUnder('', 'Blocked')).toEqual([]);
  });

  it('are bounded (#187)', () => {
    const items = boundedItems(Array.from({ length: 300 }, () => 'x'.repeat(2_000)));
    expect(items).toHaveLength(100);
    expect(items[0]).toHaveLength(500);
  });
});
