import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../client/commands/index.ts';
import { parseLine } from '../../client/parse-line.ts';
import {
  differingFlags,
  resolveSettings,
  withExplicitFlags,
  type SweepFlags,
} from '../../client/sweep-settings.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { enabledVariables } from '../../workflows/domain/steps.ts';
import type { SweepSettings } from '../../workflows/domain/sweep.ts';
import { aStep } from '../helpers/a-pipeline.ts';
import { withFolder } from '../helpers/with-folder.ts';
import { writeFile } from 'node:fs/promises';

type Input = Parameters<typeof resolveSettings>[0];

async function settingsFor(
  input: Partial<Pick<Input, 'flags' | 'environment'>> & { config?: object; script?: string },
): Promise<SweepSettings> {
  return withFolder(async (folder) => {
    await writeFile(path.join(folder, 'config.json'), JSON.stringify(input.config ?? {}));
    await writeFile(path.join(folder, 'scenario.yaml'), input.script ?? 'agents: {}\n');
    const config = await loadProjectConfig(folder, {});
    const environment = { HOME: folder, ...input.environment };
    const place = { cwd: folder, projectDir: folder };
    const settings = await resolveSettings({
      flags: input.flags ?? {},
      environment,
      config,
      ...place,
    });
    return {
      ...settings,
      ...(settings.script && { script: path.relative(folder, settings.script) }),
    };
  });
}

describe('the number of workers', () => {
  const environment = { WIGGUM_MAX_WORKERS: '9' };
  const config = { workers: { max_workers: 7 } };

  it.each<[string, Parameters<typeof settingsFor>[0], number]>([
    ['the flag before the environment', { flags: { maxWorkers: 2 }, environment, config }, 2],
    ['the environment before the file', { environment, config }, 9],
    ['the file before the default', { config }, 7],
    ['the default', {}, 4],
    ['the default for an empty variable', { environment: { WIGGUM_MAX_WORKERS: '' } }, 4],
  ])('comes from %s (#8)', async (_title, input, expected) => {
    expect((await settingsFor(input)).maxWorkers).toBe(expected);
  });

  it.each(['0', '-1', '2.5', 'many'])('is refused as %s in the environment', async (text) => {
    await expect(settingsFor({ environment: { WIGGUM_MAX_WORKERS: text } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      where: 'WIGGUM_MAX_WORKERS',
    });
  });
});

describe('the backend', () => {
  it.each<[string, Parameters<typeof settingsFor>[0], string]>([
    ['claude by default', {}, 'claude'],
    [
      'what the project says',
      { config: { runtime: { backend: 'script', script: 'scenario.yaml' } } },
      'script',
    ],
    [
      'what the environment says',
      {
        config: { runtime: { backend: 'script' } },
        environment: { WIGGUM_RUNTIME_BACKEND: 'claude' },
      },
      'claude',
    ],
    [
      'what the flag says',
      { flags: { backend: 'claude' }, environment: { WIGGUM_RUNTIME_BACKEND: 'script' } },
      'claude',
    ],
    ['script when a scenario is given', { flags: { script: 'scenario.yaml' } }, 'script'],
  ])('is %s', async (_title, input, backend) => {
    expect((await settingsFor(input)).backend).toBe(backend);
  });

  it('is refused when nobody implements it', async () => {
    await expect(settingsFor({ flags: { backend: 'oracle' } })).rejects.toMatchObject({
      code: 'BACKEND_UNKNOWN',
      message: expect.stringContaining('claude, script'),
    });
  });
});

describe('the scenario', () => {
  it.each<[string, Parameters<typeof settingsFor>[0], RegExp]>([
    ['none is given', { flags: { backend: 'script' } }, /needs a scenario/],
    ['the file is not there', { flags: { script: 'nowhere.yaml' } }, /no readable scenario/],
    [
      'it is not understood',
      { flags: { script: 'scenario.yaml' }, script: 'agents: 7\n' },
      /cannot be used/,
    ],
  ])('is refused before anything starts when %s', async (_title, input, message) => {
    await expect(settingsFor(input)).rejects.toMatchObject({
      code: 'SCRIPT_INVALID',
      message: expect.stringMatching(message),
    });
  });
});

describe('the variables of a sweep', () => {
  it('are the WIGGUM_ ones, without places of this machine and without secrets', async () => {
    const { environment } = await settingsFor({
      environment: {
        WIGGUM_PLAN_MODE: 'true',
        WIGGUM_STATE_DIR: '/somewhere',
        WIGGUM_LOG_LEVEL: 'debug',
        WIGGUM_FORGE_TOKEN: 'secret',
        WIGGUM_MAX_WORKERS: '3',
        ANTHROPIC_API_KEY: 'secret',
        PATH: '/bin',
      },
    });
    expect(environment).toEqual({ WIGGUM_PLAN_MODE: 'true' });
  });

  it('carry limits, wrappers and the plan as the command had them (#98)', async () => {
    const given = {
      WIGGUM_SECURITY_AUDIT_MAX_TURNS: '9',
      WIGGUM_TEST_COVERAGE_MAX_TURNS: '8',
      WIGGUM_PROMPT_PRE_USER: 'Hello',
      WIGGUM_PLAN_FILE: 'plan.md',
      WIGGUM_WORKER_COST_LIMIT: '2',
    };
    const { environment } = await settingsFor({ environment: given });
    expect(environment).toEqual({ ...given, WIGGUM_PLAN_MODE: 'false' });
  });
});

describe('planning', () => {
  const pipeline = {
    name: 'test',
    steps: [aStep('planning', { enabledBy: 'WIGGUM_PLAN_MODE' })],
    resultMappings: {},
  };

  it.each<[string, Parameters<typeof settingsFor>[0], boolean]>([
    ['runs with the variable', { environment: { WIGGUM_PLAN_MODE: 'true' } }, true],
    ['runs with the setting', { config: { plan_mode: true } }, true],
    ['runs with the flag', { flags: { plan: true } }, true],
    [
      'runs with the flag, whatever the others say',
      {
        flags: { plan: true },
        environment: { WIGGUM_PLAN_MODE: 'false' },
        config: { plan_mode: false },
      },
      true,
    ],
    [
      'is skipped when the variable takes the setting back',
      { environment: { WIGGUM_PLAN_MODE: 'off' }, config: { plan_mode: true } },
      false,
    ],
    [
      'runs by the setting under an empty variable',
      { environment: { WIGGUM_PLAN_MODE: '' }, config: { plan_mode: true } },
      true,
    ],
    ['is skipped with none of them', {}, false],
  ])('%s (#194)', async (_title, input, runs) => {
    const { environment } = await settingsFor(input);
    const onHost = { WIGGUM_PLAN_MODE: String(!runs), ...environment };
    expect(enabledVariables(pipeline, onHost)).toEqual(runs ? ['WIGGUM_PLAN_MODE'] : []);
  });
});

describe('the flag --plan', () => {
  it.each([
    ['run', ['--plan']],
    ['worker', ['start', 'AB-1', '--plan']],
    ['worker', ['restart', 'AB-1', '--plan']],
  ])('of %s %j is the variable of the run (#194)', async (name, words) => {
    const command = await COMMANDS[name]?.load();
    const line = command && parseLine(command, words);
    const { environment } = await settingsFor({
      flags: line?.kind === 'options' ? (line.options as SweepFlags) : {},
    });
    expect(environment).toEqual({ WIGGUM_PLAN_MODE: 'true' });
  });
});

describe('settings that would stop every task', () => {
  it.each<[string, Parameters<typeof settingsFor>[0], string]>([
    [
      'a cost limit that is no amount (#56)',
      { environment: { WIGGUM_WORKER_COST_LIMIT: 'much' } },
      '"much" is not an amount in dollars',
    ],
    [
      'a wrapper out of a file that is not there (#104)',
      { config: { runtime: { backends: { claude: { prompts: { pre_user: '@none.md' } } } } } },
      'there is no file "none.md"',
    ],
  ])('are refused before anything starts: %s', async (_title, input, message) => {
    await expect(settingsFor(input)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, string]>([
    ['WIGGUM_SECURITY_AUDIT_MAX_TURNS', '-1'],
    ['WIGGUM_SECURITY_AUDIT_MAX_TURNS', '1e9'],
    ['WIGGUM_ENGINEERING_SECURITY_AUDIT_MAX_TURNS', '0x10'],
    ['WIGGUM_OUR_OWN_AGENT_MAX_ITERATIONS', '101'],
    ['WIGGUM_CONFLICT_RESOLVER_MAX_ITERATIONS', '2.5'],
    ['WIGGUM_TEST_RUNNER_TIMEOUT_SECONDS', 'abc'],
  ])('are refused before anything starts: %s=%s (#99, #102)', async (name, value) => {
    const environment = { WIGGUM_CODE_REVIEW_MAX_TURNS: '', [name]: value };
    await expect(settingsFor({ environment })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        new RegExp(`^environment: ${name}: expected a whole number from .* found .*${value}`),
      ),
    });
  });

  it('are refused all at once, each by its name (#102)', async () => {
    const environment = { WIGGUM_A_MAX_TURNS: '0', WIGGUM_B_TIMEOUT_SECONDS: '59' };
    await expect(settingsFor({ environment })).rejects.toThrow(
      /WIGGUM_A_MAX_TURNS: .*\n.*WIGGUM_B_TIMEOUT_SECONDS: /,
    );
  });
});

describe('the settings of a running sweep', () => {
  const running: SweepSettings = {
    maxWorkers: 2,
    autoMerge: true,
    backend: 'script',
    script: '/scenario.yaml',
    environment: {},
  };
  const wanted: SweepSettings = {
    maxWorkers: 4,
    autoMerge: false,
    backend: 'claude',
    environment: {},
  };

  it('stay where no flag was given (#9)', () => {
    expect(withExplicitFlags(running, {}, wanted)).toEqual(running);
    expect(differingFlags(running, withExplicitFlags(running, {}, wanted))).toEqual([]);
  });

  it('differ where a flag says otherwise, and both values are named (#9)', () => {
    const mixed = withExplicitFlags(running, { maxWorkers: 4 }, wanted);
    expect(mixed).toEqual({ ...running, maxWorkers: 4 });
    expect(differingFlags(running, mixed)).toEqual([
      'it has --max-workers 2, you ask for --max-workers 4',
    ]);
  });

  it('take up a plan that is asked for, and name the difference (#194)', () => {
    const planned = withExplicitFlags(running, { plan: true }, wanted);
    expect(planned).toEqual({ ...running, environment: { WIGGUM_PLAN_MODE: 'true' } });
    expect(differingFlags(running, planned)).toEqual(['it has no --plan, you ask for --plan']);
  });

  it('change their backend with a scenario', () => {
    const other = { ...wanted, backend: 'script', script: '/other.yaml' };
    expect(
      withExplicitFlags({ ...running, backend: 'claude' }, { script: '/other.yaml' }, other),
    ).toMatchObject({
      backend: 'script',
      script: '/other.yaml',
    });
  });
});
