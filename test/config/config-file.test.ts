import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../config/agent-definition.ts';
import { parseConfigFile } from '../../config/config-file.ts';

const noticesOf = (value: object) =>
  parseConfigFile(JSON.stringify(value, null, 1), 'config.json').notices.map(describeProblem);

describe('parseConfigFile', () => {
  it('notes keys that are nearly one of ours, with their line', () => {
    expect(
      noticesOf({
        check: ['npm test'],
        workers: { max_worker: 3 },
        hooks: { comands: {} },
        runtime: { backends: { claude: { prompts: { pre_sytem: 'a' } } } },
        agents: { 'a.b': { max_turn: 3 } },
      }),
    ).toEqual([
      'config.json:2: check: nobody reads this key; did you mean "checks"?',
      'config.json:6: workers.max_worker: nobody reads this key; did you mean "max_workers"?',
      'config.json:9: hooks.comands: nobody reads this key; did you mean "commands"?',
      'config.json:15: runtime.backends.claude.prompts.pre_sytem: nobody reads this key; did you mean "pre_system"?',
      'config.json:22: agents.a.b.max_turn: nobody reads this key; did you mean "max_turns"?',
    ]);
  });

  it('notes a slip beside the key that it means, and strangers among our own keys', () => {
    expect(
      noticesOf({
        runtime: { script: 'a.yaml', scriptt: 'b.yaml' },
        agents: { 'a.b': { turns: 3 } },
        hooks: { enabled: true, cmd: {} },
      }),
    ).toEqual([
      'config.json:4: runtime.scriptt: nobody reads this key; did you mean "script"?',
      expect.stringContaining('agents.a.b.turns: nobody reads this key; there are max_iterations'),
      'config.json:13: hooks.cmd: nobody reads this key; there are commands',
    ]);
  });

  it('says nothing of the keys that files of the original carry', () => {
    expect(
      noticesOf({
        git: { author_name: 'A', author_email: 'a@example.com' },
        claude: { max_retries: 3, initial_backoff_seconds: 5, backoff_multiplier: 2 },
        workers: { max_iterations: 50, sleep_seconds: 2, fix_worker_limit: 4 },
        hooks: { enabled: true, worker_hooks: 'hooks' },
        paths: { ralph_dir: '.ralph', kanban_file: 'kanban.md' },
        rate_limit: { threshold_prompts: 900, threshold_boundary: 1 },
        runtime: {
          backend: 'claude',
          backends: { claude: { binary: 'claude', max_retries: 3, prompts: { pre_user: '' } } },
        },
        github: { rate_limit: { min_remaining: 100 }, issue_sync: { enabled: true } },
        log_rotation: { enabled: true, max_lines: 10_000, max_archives: 10 },
        resume: { max_attempts: 5, cooldown_seconds: 3600, initial_bonus: 20_000 },
        task_source: { mode: 'hybrid' },
        review: { approved_user_ids: [1], fix_max_iterations: 10, auto_commit_after_fix: true },
      }),
    ).toEqual([]);
  });
});
