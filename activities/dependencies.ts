/** What activities know of the process that runs them. */
export interface HostDependencies {
  hostId: string;
  /** Variables of the host's process; agents get an allow-listed part of them. */
  environment: Readonly<NodeJS.ProcessEnv>;
}
