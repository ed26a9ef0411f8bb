import path from 'node:path';

const SECRET_NAMES = [/^\.env(\..*)?$/i, /\.(pem|key)$/i, /^credentials\.json$/i];

/** Whether a path is named like something that must not be committed. */
export function isNamedLikeSecret(file: string): boolean {
  const name = path.posix.basename(file);
  return (
    SECRET_NAMES.some((pattern) => pattern.test(name)) ||
    file.split('/').some((part) => part.toLowerCase() === '.secrets')
  );
}
