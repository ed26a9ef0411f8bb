import { describe, expect, it } from '@jest/globals';
import { cacheDir } from '../../../workers/server/cache-dir.ts';

const HOME = '/home/me';

describe('cacheDir', () => {
  it.each([
    [{ HOME, XDG_CACHE_HOME: '/xdg', WIGGUM_CACHE_DIR: '/own' }, 'linux', '/own'],
    [{ HOME, XDG_CACHE_HOME: '/xdg' }, 'linux', '/xdg/chief-wiggum'],
    [{ HOME }, 'linux', '/home/me/.cache/chief-wiggum'],
    [{ HOME }, 'darwin', '/home/me/Library/Caches/chief-wiggum'],
  ] as const)('for %j on %s is %s', (environment, platform, expected) => {
    expect(cacheDir(environment, platform)).toBe(expected);
  });
});
