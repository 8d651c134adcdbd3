import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { MANY_ANONYMOUS } from './pulse-environment.ts';
import { type ServeProcess, serveProcess } from './serve-process.ts';

let shared: Promise<ServeProcess> | undefined;
let clients = 0;

/**
 * The service of all test files that this process takes and that need one with ordinary settings: one lookup
 * thread, phone lookups, anonymous lookups without a limit that a test reaches, and a clock that tests move
 * forward. It is left running and ends with the process. Each file has accounts and clients of its own
 * (`newClient`), evidence only for addresses that no other file asks for, and reads every answer
 * (`fetchWhole`). Phone libraries are filled by clients.test.ts alone.
 */
export function sharedService(): Promise<ServeProcess> {
  shared ??= start();
  return shared;
}

/** Returns an address for X-Forwarded-For that no other request of this process has. */
export const newClient = (): string => `203.0.${113 + (clients >> 8)}.${clients++ & 255}`;

/**
 * `fetch` that reads the answer to its end: one left unread would hold its connection, and so this process,
 * while the service runs.
 */
export async function fetchWhole(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked);
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
}

async function start(): Promise<ServeProcess> {
  const service = await serveProcess({
    env: {
      ...MANY_ANONYMOUS,
      PULSE_PHONE: 'on',
      PULSE_LOG: 'debug',
      PULSE_TRUSTED_PROXIES: '127.0.0.1',
    },
    clockAt: 'now',
  });
  const { child, dataDir } = service;
  process.on('exit', () => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  // The service must not keep the process alive.
  for (const part of [child, child.channel, child.stdout as Socket, child.stderr as Socket]) part?.unref();
  return {
    ...service,
    async moveClock(byMs) {
      child.channel?.ref();
      await service.moveClock(byMs).finally(() => child.channel?.unref());
    },
  };
}
