import { expect, it } from '@jest/globals';
import { allowedEnvironment } from '../../../activities/agent/environment.ts';

it('lets through what any program needs, what a backend picks, and nothing else', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/home/a',
    https_proxy: 'http://proxy',
    ANTHROPIC_API_KEY: 'key',
    GITHUB_TOKEN: 'secret',
    NODE_OPTIONS: '--inspect',
    TEMPORAL_API_KEY: 'secret',
    LANG: undefined,
  };
  expect(allowedEnvironment(environment)).toEqual({
    PATH: '/bin',
    HOME: '/home/a',
    https_proxy: 'http://proxy',
  });
  expect(allowedEnvironment(environment, (name) => name.startsWith('ANTHROPIC_'))).toHaveProperty(
    'ANTHROPIC_API_KEY',
    'key',
  );
});
