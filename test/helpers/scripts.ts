/** A scenario part: the task writes one file and says that it is done. */
export function writes(id: string, file: string, content = `${id}\n`): string {
  return [
    `  ${id}:`,
    '    execution:',
    `      - - write: ${JSON.stringify({ path: file, content })}`,
    '        - tick_prd: all',
    '        - result: PASS',
    '',
  ].join('\n');
}

/** The same, with actions before the end: each a line of YAML such as `wait: 2`. */
export function writesAfter(id: string, file: string, actions: string[]): string {
  return [
    `  ${id}:`,
    '    execution:',
    `      - - write: ${JSON.stringify({ path: file, content: `${id}\n` })}`,
    ...actions.map((action) => `        - ${action}`),
    '        - tick_prd: all',
    '        - result: PASS',
    '',
  ].join('\n');
}
