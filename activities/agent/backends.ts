import { WiggumError } from '../../workflows/domain/errors.ts';
import type { Backend } from './backend.ts';
import { claude } from './claude/claude.ts';
import { script } from './script/script.ts';

const BACKENDS: Readonly<Record<string, Backend>> = { claude, script };

/** Finds a backend by its name. */
export function backendNamed(name: string): Backend {
  const backend = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (backend) return backend;
  const known = Object.keys(BACKENDS).join(', ');
  throw new WiggumError('BACKEND_UNKNOWN', `\`${name}\` is not a backend; known: ${known}.`, {
    where: name,
  });
}
