import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { fault } from '../core/texts/said.ts';

/**
 * Checks that the port is free. A second service of the same user could share it as threads do, and the
 * kernel would split callers between them.
 * @param setting names both parts of the address
 */
export function requireFreePort(
  { host, port }: Pick<Config, 'host' | 'port'>,
  setting?: 'PULSE_METRICS',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer((caller) => caller.destroy());
    probe.once('error', (error) => reject(listenFault(error, host, port, setting)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number, setting?: string): Error {
  const [ofHost, ofPort] = [setting ?? 'PULSE_HOST', setting ?? 'PULSE_PORT'];
  if (error.code === 'EADDRINUSE')
    return fault('port {port} on {host} is in use; choose another with {ofPort}', { port, host, ofPort });
  if (error.code === 'EACCES') return fault('{ofPort}: this user may not listen on port {port}', { port, ofPort });
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL' || error.code === 'EAI_AGAIN')
    return fault('{ofHost}: {host} is not an address of this machine', { host, ofHost });
  return error;
}
