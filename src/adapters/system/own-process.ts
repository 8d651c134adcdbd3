import { execFile } from 'node:child_process';
import type { FunctionSignature } from 'node:ffi';
import { createRequire } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { unixMs } from '../../core/units.ts';
import { type HashSeed, SEED_WORDS } from '../../engine/evidence/address-hash.ts';
import type { Clock } from '../../service/ports.ts';

export const systemClock: Clock = { now: () => unixMs(Date.now()) };

/** Gives way to other threads; one that gives way more stays so. Only Linux has thread priorities; elsewhere this does nothing. */
export function lowerPriority() {
  if (process.platform === 'linux') setPriority(Math.max(getPriority(), 10));
}

export function threadCostMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const load = () => loadLibc({ malloc_trim: { arguments: ['uint64'], return: 'int32' } });
let libc: ReturnType<typeof load> | null;

export function trimMemory(): void {
  libc ??= load() ?? null;
  libc?.malloc_trim(0n);
}

/** @returns undefined where there is no C library, on Windows, and before Node 26.1 */
export function loadLibc<Names extends Record<string, FunctionSignature>>(signatures: Names) {
  const { emitWarning } = process;
  // The module is experimental and prints a warning at each start; our version of the runtime is fixed.
  process.emitWarning = () => undefined;
  try {
    const { dlopen, toArrayBuffer } = createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi');
    return { ...dlopen(null, signatures).functions, toArrayBuffer };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

export const randomHashSeed = (): HashSeed => [...crypto.getRandomValues(new Uint32Array(SEED_WORDS))];

const PATIENCE_MS = 5000;

/**
 * Tells systemd (`Type=notify`) that the service answers, and which process it is. Node has no datagram
 * sockets of the kind that systemd listens on, so its own program sends the message:
 * https://www.freedesktop.org/software/systemd/man/latest/systemd-notify.html
 * @throws Error when the program is missing or fails
 */
export async function notifySupervisor(): Promise<void> {
  await promisify(execFile)('systemd-notify', ['--ready', `--pid=${process.pid}`], { timeout: PATIENCE_MS });
}
