import { WiggumError } from '../workflows/domain/errors.ts';

const CLOSED = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP'];

/**
 * Makes an error of ours of one that says that a place is closed to us: it does not open by trying
 * again. A full disk may free itself, so that one stays as it is.
 */
export function notWritable(cause: unknown, what: string, where: string): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof WiggumError || !CLOSED.includes(code ?? '')) return cause;
  return new WiggumError('NOT_WRITABLE', `${what} cannot be written: ${message}`, { where, cause });
}
