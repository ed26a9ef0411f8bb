import { tarMember } from './archive-members.ts';
import { PINNED_VERSION, pinnedFor, type PinnedProgram } from './pinned.ts';
import { sha256Of } from './program-cache.ts';
import type { Log } from './log.ts';

/** How long a connection may stay silent: a network that is closed must not hold a start up. */
const SILENCE_MS = 15_000;

/** Names where the maker offers the pinned program. */
export function officialAddresses({ archive }: PinnedProgram): string[] {
  const { platform, arch } = archive;
  return [
    `https://temporal.download/cli/archive/v${PINNED_VERSION}?platform=${platform}&arch=${arch}`,
    `https://github.com/temporalio/cli/releases/download/v${PINNED_VERSION}/temporal_cli_${PINNED_VERSION}_${platform}_${arch}.tar.gz`,
  ];
}

/**
 * Fetches the pinned program from its maker. TLS says who sent it; a sum other than the one we know
 * is told, not refused, because a maker may pack a release again.
 */
export async function downloadProgram({
  addresses,
  log,
}: {
  addresses: readonly string[];
  log: Log;
}): Promise<Buffer> {
  const reasons: string[] = [];
  for (const address of addresses) {
    try {
      const program = await tarMember(await fetchBytes(address), 'temporal');
      const sum = sha256Of(program);
      const known = pinnedFor()?.sha256;
      if (sum !== known)
        log(`the program from ${address} has the sha256 ${sum}, we know ${known ?? 'none'}`);
      return program;
    } catch (cause) {
      reasons.push(`${new URL(address).host}: ${reasonOf(cause)}`);
    }
  }
  throw new Error(reasons.join('; '));
}

async function fetchBytes(address: string): Promise<Buffer> {
  const silence = new AbortController();
  const timer = setTimeout(
    () => silence.abort(new Error(`silent for ${SILENCE_MS / 1000} s`)),
    SILENCE_MS,
  );
  try {
    const response = await fetch(address, { signal: silence.signal });
    // A redirect must not lead out of TLS.
    if (address.startsWith('https:') && !response.url.startsWith('https:'))
      throw new Error(`it leads to ${response.url}, which is not TLS`);
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const parts: Uint8Array[] = [];
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` says only "fetch failed"; why is in its cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause instanceof Error ? reasonOf(failure.cause) : failure.message;
}
