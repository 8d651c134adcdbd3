import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { fault } from '../core/texts/fault.ts';

/**
 * Checks that the port is free. A second service of the same user could share it as threads do, and the
 * kernel would split callers between them.
 */
export function requireFreePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer((caller) => caller.destroy());
    probe.once('error', (error) => reject(listenFault(error, host, port)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return fault('port {port} on {host} is in use; choose another with PULSE_PORT', { port, host });
  if (error.code === 'EACCES') return fault('PULSE_PORT: this user may not listen on port {port}', { port });
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL' || error.code === 'EAI_AGAIN')
    return fault('PULSE_HOST: {host} is not an address of this machine', { host });
  return error;
}
