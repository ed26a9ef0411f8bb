import { runLine } from '../../client/run-line.ts';

export interface LineResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line of `wiggum` in this process, as client/main.ts would. */
export async function runWiggum(
  words: string[],
  { environment, cwd }: { environment: Record<string, string>; cwd: string },
): Promise<LineResult> {
  const said = { stdout: '', stderr: '' };
  const code = await runLine(words, {
    stdout: {
      write: (text) => void (said.stdout += text),
      isTerminal: false,
      hasColour: false,
      columns: () => 100,
      rows: () => 40,
    },
    stderr: { write: (text) => void (said.stderr += text) },
    environment,
    cwd,
    signal: new AbortController().signal,
    program: [process.execPath, 'wiggum'],
    announceReady: () => undefined,
  });
  return { code, ...said };
}
