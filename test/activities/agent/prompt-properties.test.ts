import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillParts, shownParts } from '../../../activities/agent/prompt-template.ts';
import { PROMPT_VARIABLES } from '../../../config/prompt-variables.ts';

/** A piece of a template, and what must be left of it. */
interface Piece {
  template: string;
  rendered: string;
}

const placeholder = fc.constantFrom(...PROMPT_VARIABLES).map((name) => `{{${name}}}`);
const tag = fc.constantFrom(
  '<WIGGUM_IF_SUPERVISOR>',
  '</WIGGUM_IF_SUPERVISOR>',
  '<WIGGUM_IF_FILE_EXISTS:{{plan_file}}>',
  '</WIGGUM_IF_FILE_EXISTS>',
);
/** What people and agents write: anything, also what looks like ours, `$&` included. */
const hostile = fc
  .array(fc.oneof(fc.string(), placeholder, tag, fc.constantFrom('{{', '}}', '$&', '$1')))
  .map((parts) => parts.join(''));
const values = fc.record(
  Object.fromEntries(PROMPT_VARIABLES.map((name) => [name, hostile])) as Record<
    (typeof PROMPT_VARIABLES)[number],
    typeof hostile
  >,
);
const plain = fc.string().filter((text) => !/[{}<>]/.test(text));

const NAMES = ['SUPERVISOR', 'ITERATION_ZERO', 'ITERATION_NONZERO', 'FILE_EXISTS'] as const;
const KINDS = ['supervisor', 'iteration-zero', 'iteration-nonzero', 'file-exists'];

function pieces(world: Record<string, string>, truths: boolean[]): fc.Arbitrary<Piece> {
  const { any } = fc.letrec<{ any: Piece }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      plain.map((text) => ({ template: text, rendered: text })),
      fc.constantFrom(...PROMPT_VARIABLES).map((name) => ({
        template: `{{${name}}}`,
        rendered: world[name] ?? 'none',
      })),
      fc
        .tuple(fc.nat(NAMES.length - 1), fc.array(tie('any'), { maxLength: 4 }))
        .map(([at, body]) => {
          const name = NAMES[at] ?? 'SUPERVISOR';
          const inside = body.map(({ template }) => template).join('');
          const path = name === 'FILE_EXISTS' ? ':{{worker_dir}}/x' : '';
          return {
            template: `<WIGGUM_IF_${name}${path}>${inside}</WIGGUM_IF_${name}>`,
            rendered: truths[at] ? body.map(({ rendered }) => rendered).join('') : '',
          };
        }),
    ),
  }));
  return any;
}

const cases = fc
  .tuple(values, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
  .chain(([world, truths]) =>
    fc
      .array(pieces(world, truths), { maxLength: 8 })
      .map((all) => ({ world, truths, all: all.reduce(joined, { template: '', rendered: '' }) })),
  );

const joined = (one: Piece, other: Piece): Piece => ({
  template: one.template + other.template,
  rendered: one.rendered + other.rendered,
});

describe('rendering a prompt', () => {
  it('puts each value in once, keeps every other byte, and reads no tag in what it put in (#69, #70)', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ world, truths, all }) => {
        const asked: string[] = [];
        const parts = await shownParts(all.template, world, (condition) => {
          if (condition.kind === 'file-exists') asked.push(condition.path);
          return Promise.resolve(truths[KINDS.indexOf(condition.kind)] ?? false);
        });
        expect(fillParts(parts, world)).toBe(all.rendered);
        for (const path of asked) expect(path).toBe(`${world.worker_dir}/x`);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no placeholder of ours when the values have none (#69)', async () => {
    const tame = fc.record(
      Object.fromEntries(PROMPT_VARIABLES.map((name) => [name, plain])) as Record<
        (typeof PROMPT_VARIABLES)[number],
        typeof plain
      >,
    );
    const template = fc.array(fc.oneof(plain, placeholder)).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(template, tame, async (text, world) => {
        const parts = await shownParts(text, world, () => Promise.resolve(true));
        expect(fillParts(parts, world)).not.toContain('{{');
      }),
    );
  });
});
