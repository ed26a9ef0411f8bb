import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of our own package.json, from the sources as well as from `dist/`. */
export function packageRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!isOurs(path.join(folder, 'package.json'))) {
    const above = path.dirname(folder);
    if (above === folder) throw new Error('the package.json of chief-wiggum is not to be found');
    folder = above;
  }
  return folder;
}

/** A bare `{"type": "module"}` in a build folder is not the package. */
function isOurs(file: string): boolean {
  if (!existsSync(file)) return false;
  const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string };
  return name === 'chief-wiggum';
}
