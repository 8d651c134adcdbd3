import { createServer } from 'node:net';

/**
 * Systems take ports of outgoing connections from a higher range (Linux 32768 and up). None of those can take
 * a port between this answer and its use.
 */
const LOWEST = 11_000;
const PORTS = 21_000;
/** Processes that run at once ask for different ports. */
const PORTS_A_PROCESS = 61;

let given = 0;

/** Returns a TCP port that is free on every address at this moment, and that no other test asks for soon. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + ((process.pid * PORTS_A_PROCESS + given++) % PORTS);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
