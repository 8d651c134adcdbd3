import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { fault } from '../core/texts/fault.ts';

/** Names of the settings that the address comes from. */
interface ListenSettings {
  readonly ofHost: string;
  readonly ofPort: string;
}

/**
 * Checks that the port is free. A second service of the same user could share it as threads do, and the
 * kernel would split callers between them.
 */
export function requireFreePort(
  { host, port }: Pick<Config, 'host' | 'port'>,
  settings: ListenSettings = { ofHost: 'PULSE_HOST', ofPort: 'PULSE_PORT' },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer((caller) => caller.destroy());
    probe.once('error', (error) => reject(listenFault(error, { host, port, ...settings })));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

function listenFault(
  error: NodeJS.ErrnoException,
  { host, port, ofHost, ofPort }: ListenSettings & Pick<Config, 'host' | 'port'>,
): Error {
  if (error.code === 'EADDRINUSE')
    return fault('port {port} on {host} is in use; choose another with {ofPort}', { port, host, ofPort });
  if (error.code === 'EACCES') return fault('{ofPort}: this user may not listen on port {port}', { port, ofPort });
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL' || error.code === 'EAI_AGAIN')
    return fault('{ofHost}: {host} is not an address of this machine', { host, ofHost });
  return error;
}
