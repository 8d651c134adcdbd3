import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { takeSeal } from './app-pipe.ts';

const SEAL_MS = 1000;

/**
 * Cuts connections of a pipe that do not begin with a sealed request.
 * @returns the check of each request, which removes its seal
 */
export function requireSeal(server: Server, seal: string): (request: IncomingMessage) => boolean {
  const unsealed = new Map<Socket, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    // Data that arrived while this thread was busy is read before the second step.
    const cut = (): void => void setImmediate(() => unsealed.has(socket) && socket.destroy());
    unsealed.set(socket, setTimeout(cut, SEAL_MS));
    socket.once('close', () => forget(socket));
  });
  const forget = (socket: Socket): void => {
    clearTimeout(unsealed.get(socket));
    unsealed.delete(socket);
  };
  return (request) => {
    const isSealed = takeSeal(request, seal);
    if (isSealed) forget(request.socket);
    return isSealed;
  };
}
