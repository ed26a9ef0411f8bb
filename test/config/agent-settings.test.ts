import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../config/agent-definition.ts';
import { BUILT_IN_LIMITS } from '../../config/agent-limits.ts';
import { limitLevels } from '../../config/agent-plan.ts';
import { loadAgentsFiles, parseAgentsFile, settingsOf } from '../../config/agent-settings.ts';
import { mergeConfig } from '../../config/project-config.ts';
import { inForce } from '../../config/setting.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

const faults = (value: object) =>
  parseAgentsFile(JSON.stringify(value), 'agents.json').problems.map(describeProblem);

describe('parseAgentsFile', () => {
  it.each([
    ['max_iterations', 0, 'a whole number from 1 to 100, found 0'],
    ['max_iterations', 101, 'a whole number from 1 to 100, found 101'],
    ['max_turns', 201, 'a whole number from 1 to 200, found 201'],
    ['timeout_seconds', 59, 'a whole number from 60 to 86400, found 59'],
    ['timeout_seconds', '60', 'a whole number from 60 to 86400, found "60"'],
    ['supervisor_interval', 21, 'a whole number from 0 to 20, found 21'],
    ['max_restarts', 11, 'a whole number from 0 to 10, found 11'],
    ['auto_commit', 1, 'true or false, found 1'],
  ])('refuses %s %j by file, key and value (#102)', (name, value, found) => {
    expect(faults({ agents: { 'a.b': { [name]: value } }, defaults: { [name]: value } })).toEqual([
      `agents.json:1: agents.a.b.${name}: expected ${found}`,
      `agents.json:1: defaults.${name}: expected ${found}`,
    ]);
  });

  it.each(['Engineering.audit', '1.b', 'a b', ''])('refuses the name "%s" (#102)', (name) => {
    expect(faults({ agents: { [name]: {} } })).toEqual([
      expect.stringContaining(`found "${name}"`),
    ]);
  });

  it('accepts the ends of every range (#102)', () => {
    const low = {
      max_iterations: 1,
      max_turns: 1,
      timeout_seconds: 60,
      supervisor_interval: 0,
      max_restarts: 0,
    };
    const high = {
      max_iterations: 100,
      max_turns: 200,
      timeout_seconds: 86_400,
      supervisor_interval: 20,
      max_restarts: 10,
    };
    expect(faults({ agents: { 'a.b': low, 'a.c': high } })).toEqual([]);
  });
});

describe('loadAgentsFiles', () => {
  it('puts the file of WIGGUM_HOME over the shipped one key by key (#201)', () =>
    withDefinitions(async ({ write, homed: { environment } }) => {
      const type = 'engineering.security-audit';
      await write({
        'home/config/agents.json': JSON.stringify({
          agents: { [type]: { max_turns: 11 } },
          defaults: { max_restarts: 5 },
        }),
      });
      const agent = { type, settings: settingsOf(type, await loadAgentsFiles(environment)) };
      const sources = { environment: {}, config: mergeConfig([]) };
      const limits = (
        ['max_turns', 'max_iterations', 'timeout_seconds', 'max_restarts'] as const
      ).map((name) => inForce(limitLevels(name, { agent }, sources)));
      expect(limits).toEqual([11, 8, 2400, 5]);
    }));

  it.each(['', '{', '{"agents": ', '[]', 'null'])('names a damaged file: %j (#210)', (text) =>
    withDefinitions(async ({ write, homed: { environment } }) => {
      await write({ 'home/config/agents.json': text });
      await expect(loadAgentsFiles(environment)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        exitCode: 3,
        where: expect.stringMatching(/home\/config\/agents\.json$/),
      });
    }),
  );

  it('gives the task run 20 iterations and 50 turns, and others what is built in (#200)', async () => {
    const files = await loadAgentsFiles({});
    const of = (type: string) => ({ agent: { type, settings: settingsOf(type, files) } });
    const sources = { environment: {}, config: mergeConfig([]) };
    expect(inForce(limitLevels('max_iterations', of('system.task-worker'), sources))).toBe(20);
    expect(inForce(limitLevels('max_turns', of('system.task-worker'), sources))).toBe(50);
    expect(inForce(limitLevels('max_iterations', of('any.other'), sources))).toBe(10);
    expect(inForce(limitLevels('max_turns', of('any.other'), sources))).toBe(30);
    expect(inForce(limitLevels('timeout_seconds', of('any.other'), sources))).toBe(3600);
    expect(BUILT_IN_LIMITS).toMatchObject({ supervisor_interval: 0, max_restarts: 2 });
  });
});
