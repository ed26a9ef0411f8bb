import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedConnection } from './connection.ts';
import { reviveServer } from './dev-server.ts';
import type { Log } from './log.ts';
import { openProbe, type Probe } from './probe.ts';
import type { Environment } from '../../config/state-dir.ts';

export interface ServerWatch {
  /** Ends the watching, not the server. */
  stop: () => Promise<void>;
}

interface Watching {
  environment: Environment;
  log: Log;
  onDown: (reason: string) => void;
  /** The address differs from before only if a stranger took the port meanwhile. */
  onUp: (address: string) => void;
}

type Watched = Pick<ResolvedConnection, 'address' | 'embedded' | 'connectOptions'>;

const LOOK_EVERY_MS = 1_000;

/** Looks after the server while a program runs: our own is started again, another is waited for. */
export function watchServer(server: Watched, watching: Watching): ServerWatch {
  const ending = new AbortController();
  const watched = watch(server, watching, ending.signal);
  return {
    async stop() {
      ending.abort();
      await watched;
    },
  };
}

async function watch(server: Watched, watching: Watching, ending: AbortSignal): Promise<void> {
  const { log, onDown, onUp } = watching;
  let address = server.address;
  let probe = openProbe(server.connectOptions);
  while (await pause(ending)) {
    if (await probe.answers()) continue;
    // Once more: a single late answer on a busy machine is no death.
    if (ending.aborted || (await probe.answers())) continue;
    onDown(probe.reason());
    const back = server.embedded
      ? await bringBack(watching, ending)
      : await waitFor({ address, probe, log, ending });
    if (back === undefined) break;
    if (back !== address) {
      log(`The Temporal server now answers at ${back} instead of ${address}`);
      address = back;
      await probe.close();
      probe = openProbe({ ...server.connectOptions, address });
    }
    log(`The Temporal server at ${address} answers again`);
    onUp(address);
  }
  await probe.close();
}

/** Starts our server again, or waits for the one who stopped it. */
async function bringBack(
  { environment, log }: Watching,
  ending: AbortSignal,
): Promise<string | undefined> {
  let told = '';
  const tell = (sentence: string) => {
    if (sentence !== told) log(sentence);
    told = sentence;
  };
  while (!ending.aborted) {
    try {
      const back = await reviveServer({ environment, log });
      if (back !== 'stopped-on-purpose') return back.address;
      tell('The Temporal server was stopped; work waits until it is started again');
    } catch (cause) {
      tell(`The Temporal server cannot be started, it is tried again: ${(cause as Error).message}`);
    }
    await pause(ending);
  }
  return undefined;
}

async function waitFor({
  address,
  probe,
  log,
  ending,
}: {
  address: string;
  probe: Probe;
  log: Log;
  ending: AbortSignal;
}): Promise<string | undefined> {
  log(`The Temporal server at ${address} does not answer (${probe.reason()}); waiting for it`);
  while (await pause(ending)) if (await probe.answers()) return address;
  return undefined;
}

/** Whether there is still something to watch after a moment. */
async function pause(ending: AbortSignal): Promise<boolean> {
  await sleep(LOOK_EVERY_MS, undefined, { signal: ending, ref: false }).catch(() => undefined);
  return !ending.aborted;
}
