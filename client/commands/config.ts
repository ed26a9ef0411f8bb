import { z } from 'zod';
import {
  explainSetting,
  listSettings,
  type ExplainedSetting,
} from '../../config/explain-setting.ts';
import { packageRoot } from '../../config/package-root.ts';
import { inForce } from '../../config/setting.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { explainLines, settingLines } from '../render/settings.ts';

/** Says what every setting is and who decided it; a run resolves them by the same functions. */
export const config = defineCommand({
  name: 'config',
  arguments: '[action] [key]',
  flags: [
    ['--task <id>', 'as this task sees it: its pipeline counts'],
    ['--pipeline <name>', 'as this pipeline sees it'],
    ['--step <id>', 'as this step of the pipeline sees it'],
    ['--json', 'print the settings with all of their levels as JSON'],
  ],
  details: [
    'Actions:',
    '  list          every setting, its value and where that comes from (the default)',
    '  explain KEY   the value in force, then what it overrules, the strongest first',
    'Keys are those of .ralph/config.json, as in runtime.backend, and the limits of',
    'agents, as in agents.engineering.software-engineer.max_turns. A part of a key',
    'explains everything below it.',
  ].join('\n'),
  options: z.object({
    action: z.enum(['list', 'explain']).default('list'),
    key: z.string().min(1).optional(),
    task: z.string().min(1).optional(),
    pipeline: z.string().min(1).optional(),
    step: z.string().min(1).optional(),
    json: z.boolean().default(false),
  }),

  async run({ action, key, json, ...context }, { cwd, environment, stdout }) {
    if (action === 'list' && key !== undefined)
      throw new WiggumError('USAGE', `list takes no key; \`wiggum config explain ${key}\` does.`);
    if (action === 'explain' && key === undefined)
      throw new WiggumError('USAGE', 'explain needs a key, as in runtime.backend.');
    const { ralphDir } = await initialisedProject(cwd);
    const places = { ralphDir, environment };
    const settings =
      key === undefined
        ? await listSettings(context, places)
        : await explainSetting(key, context, places);
    if (json) {
      const [first, ...others] = settings.map(asJson);
      const value =
        first?.key === key && others.length === 0 ? first : { settings: settings.map(asJson) };
      stdout.write(`${JSON.stringify(value)}\n`);
      return ExitCode.ok;
    }
    const shown = { cwd, shipped: packageRoot() };
    const lines = key === undefined ? settingLines(settings, shown) : explainLines(settings, shown);
    stdout.write(`${lines.join('\n')}\n`);
    return ExitCode.ok;
  },
});

function asJson({ key, levels, isRead }: ExplainedSetting) {
  const value = inForce(levels);
  return { key, ...(value !== undefined && { value, source: levels[0]?.source }), isRead, levels };
}
