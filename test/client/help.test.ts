import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../client/commands/index.ts';
import { closestCommand, helpText } from '../../client/help.ts';
import { parseLine } from '../../client/parse-line.ts';

describe('the help', () => {
  it('names every command with its summary', () => {
    const help = helpText();
    for (const [name, { summary }] of Object.entries(COMMANDS))
      expect(help).toMatch(new RegExp(`^  ${name} +${summary.replace(/[.()]/g, '\\$&')}$`, 'm'));
  });

  it('fits a terminal of 80 columns', () => {
    for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    ['stauts', 'status'],
    ['RUN', 'run'],
    ['worker', 'worker'],
    ['validat', 'validate'],
    ['doktor', 'doctor'],
    ['xyzzy', undefined],
  ])('knows that %s probably means %s', (word, meant) => {
    expect(closestCommand(word)).toBe(meant);
  });
});

describe.each(Object.keys(COMMANDS))('the command %s', (name) => {
  it('is loaded under its own name', async () => {
    const entry = COMMANDS[name];
    expect(await entry?.load()).toMatchObject({ name });
  });

  it('explains itself on a terminal of 80 columns', async () => {
    const command = await COMMANDS[name]?.load();
    const help = command && parseLine(command, ['--help']);
    const text = help?.kind === 'help' ? help.text : '';
    expect(text).toContain(`Usage: wiggum ${name}`);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('offers --json', async () => {
    const command = await COMMANDS[name]?.load();
    expect(command?.flags.map(([flag]) => flag)).toContain('--json');
  });
});
