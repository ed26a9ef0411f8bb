/** Where a server listens and keeps its data; without a UI port it runs headless. */
export interface ServerPlace {
  port: number;
  uiPort?: number;
  databaseFile: string;
}

const SETTINGS = [
  // By default a workflow task waits for one of 20 slots a second, and timers come up to 1 s late.
  'history.transferProcessorMaxPollRPS=500',
  'history.timerProcessorMaxPollRPS=500',
  'history.timerProcessorMaxTimeShift="50ms"',
  // With several partitions priorities hold only roughly.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];

/** Lists the arguments of a development server: durable, quick, and on this machine alone. */
export function serverArguments({ port, uiPort, databaseFile }: ServerPlace): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--db-filename', databaseFile],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
    ...['--log-level', 'warn'],
    ...SETTINGS.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
}

const PASSED_ON = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'XDG_CONFIG_HOME'];

/** Keeps what a server needs: it outlives the command that starts it, the command's secrets do not. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
