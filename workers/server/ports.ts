import net from 'node:net';

export interface Ports {
  grpc: number;
  ui: number;
}

export const USUAL_PORTS: Ports = { grpc: 7233, ui: 8233 };
const HOST = '127.0.0.1';
const CONNECT_MS = 1_000;

/** Takes the first pair of ports that nobody holds; free ones when strangers hold a port of each. */
export async function choosePorts(preferred: readonly Ports[]): Promise<Ports> {
  for (const ports of preferred)
    if ((await isFree(ports.grpc)) && (await isFree(ports.ui))) return ports;
  const grpc = await freePort();
  let ui = await freePort();
  while (ui === grpc) ui = await freePort();
  return { grpc, ui };
}

/** Asks the system for a port that is free now. */
export async function freePort(): Promise<number> {
  const server = await listen(0);
  const { port } = server.address() as net.AddressInfo;
  await close(server);
  return port;
}

/** Whether nobody answers on a port, on any address, and it can be bound. */
export async function isFree(port: number): Promise<boolean> {
  // macOS lets two bind one port, one on all addresses: asking is the surer half.
  if (await answers(port)) return false;
  try {
    await close(await listen(port));
    return true;
  } catch {
    return false;
  }
}

function listen(port: number): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host: HOST, exclusive: true }, () => resolve(server));
  });
}

function close(server: net.Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: HOST, timeout: CONNECT_MS });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
