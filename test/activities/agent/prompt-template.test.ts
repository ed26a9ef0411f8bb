import { describe, expect, it } from '@jest/globals';
import {
  fillParts,
  shownParts,
  type Condition,
} from '../../../activities/agent/prompt-template.ts';

const values = { task_id: 'AB-1', worker_dir: '/w', 'parent.report': '', danger: '{{task_id}}' };

/** Renders with a world in which only these paths exist. */
async function render(
  template: string,
  { iteration = 0, feedback = false, paths = [] as string[], more = {} } = {},
) {
  const asked: Condition[] = [];
  const all = { ...values, ...more };
  const parts = await shownParts(template, all, (condition) => {
    asked.push(condition);
    switch (condition.kind) {
      case 'supervisor':
        return Promise.resolve(feedback);
      case 'iteration-zero':
        return Promise.resolve(iteration === 0);
      case 'iteration-nonzero':
        return Promise.resolve(iteration > 0);
      case 'file-exists':
        return Promise.resolve(paths.includes(condition.path));
    }
  });
  return { text: fillParts(parts, all), asked };
}

const IF = (name: string, body: string) =>
  `<WIGGUM_IF_${name}>${body}</WIGGUM_IF_${name.split(':')[0]}>`;

describe('variables of a prompt', () => {
  it('are replaced, all of them, and nothing else (#69)', async () => {
    const { text } = await render(
      '{{task_id}} {{parent.report}}|{{task_id}} {{ task_id }} {x} {{no}}',
    );
    expect(text).toBe('AB-1 |AB-1 {{ task_id }} {x} {{no}}');
  });

  it('are not replaced again in what was put in (#69)', async () => {
    expect((await render('{{danger}}')).text).toBe('{{task_id}}');
    expect((await render('{{danger}}', { more: { danger: '$& $1 $$' } })).text).toBe('$& $1 $$');
  });
});

describe('conditional blocks of a prompt (#70)', () => {
  it.each([
    ['SUPERVISOR', { feedback: true }],
    ['ITERATION_ZERO', { iteration: 0 }],
    ['ITERATION_NONZERO', { iteration: 3 }],
    ['FILE_EXISTS:/a', { paths: ['/a'] }],
  ])('stay without their tags where %s holds, and vanish elsewhere', async (name, world) => {
    const template = `before\n${IF(name, '\n kept \n')}\nafter`;
    expect((await render(template, world)).text).toBe('before\n\n kept \n\nafter');
    const other = { iteration: name.endsWith('NONZERO') ? 0 : 1 };
    expect((await render(template, other)).text).toBe('before\n\nafter');
  });

  it('take variables in their path', async () => {
    const template = IF('FILE_EXISTS:{{worker_dir}}/plan-{{task_id}}.md', 'plan');
    const { text, asked } = await render(template, { paths: ['/w/plan-AB-1.md'] });
    expect(text).toBe('plan');
    expect(asked).toEqual([{ kind: 'file-exists', path: '/w/plan-AB-1.md' }]);
  });

  it('decide from outside to inside', async () => {
    const template = IF('ITERATION_ZERO', `a${IF('FILE_EXISTS:/x', 'b')}c`);
    expect((await render(template, { paths: ['/x'] })).text).toBe('abc');
    expect((await render(template)).text).toBe('ac');
    const closed = await render(template, { iteration: 1, paths: ['/x'] });
    expect(closed).toEqual({ text: '', asked: [{ kind: 'iteration-zero' }] });
  });

  it('may stand side by side and inside each other with the same name', async () => {
    const one = IF('FILE_EXISTS:/a', 'A');
    const two = IF('FILE_EXISTS:/b', 'B');
    expect((await render(`${one}-${two}-end`, { paths: ['/a'] })).text).toBe('A--end');
    const nested = IF('FILE_EXISTS:/a', `1${IF('FILE_EXISTS:/b', '2')}3`);
    expect((await render(nested, { paths: ['/a'] })).text).toBe('13');
  });

  it('are text when they come out of a variable (#70)', async () => {
    const danger = '<WIGGUM_IF_SUPERVISOR>x</WIGGUM_IF_SUPERVISOR>';
    expect((await render('{{danger}}', { more: { danger } })).text).toBe(danger);
  });

  it.each([
    '<WIGGUM_IF_SUPERVISOR>open',
    'closed</WIGGUM_IF_SUPERVISOR>',
    '<WIGGUM_IF_SUPERVISOR><WIGGUM_IF_ITERATION_ZERO></WIGGUM_IF_SUPERVISOR></WIGGUM_IF_ITERATION_ZERO>',
  ])('are refused where they do not close: %s', async (template) => {
    await expect(render(template)).rejects.toMatchObject({ code: 'AGENT_INVALID' });
  });
});
