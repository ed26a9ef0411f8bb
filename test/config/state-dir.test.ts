import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../config/package-root.ts';
import { stateDir } from '../../config/state-dir.ts';

const CASES: [Record<string, string>, NodeJS.Platform, string][] = [
  [{ WIGGUM_STATE_DIR: '/own', XDG_STATE_HOME: '/xdg', HOME: '/h' }, 'linux', '/own'],
  [{ WIGGUM_STATE_DIR: 'own', HOME: '/h' }, 'linux', path.resolve('own')],
  [{ XDG_STATE_HOME: '/xdg', HOME: '/h' }, 'darwin', '/xdg/chief-wiggum'],
  [{ XDG_STATE_HOME: 'relative', HOME: '/h' }, 'linux', '/h/.local/state/chief-wiggum'],
  [{ HOME: '' }, 'linux', path.join(os.homedir(), '.local', 'state', 'chief-wiggum')],
  [{ HOME: '/h' }, 'linux', '/h/.local/state/chief-wiggum'],
  [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/chief-wiggum'],
];

describe('stateDir', () => {
  it.each(CASES)('of %j on %s is %s', (environment, platform, expected) => {
    expect(stateDir(environment, platform)).toBe(expected);
  });
});

describe('packageRoot', () => {
  it('is the folder of our own package.json', () => {
    const file = path.join(packageRoot(), 'package.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ name: 'chief-wiggum' });
  });
});
