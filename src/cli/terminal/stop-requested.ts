import { once } from 'node:events';
import { constants } from 'node:os';
import { removeParts } from '../../adapters/system/write-durably.ts';

/** A stop that was carried out: the command did not do all of its work. */
export class Stopped extends Error {
  readonly exitStatus: number;
  constructor(message: string, signal: Stop) {
    super(message);
    this.exitStatus = 128 + constants.signals[signal];
  }
}

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Stop = (typeof STOPS)[number];
/** A terminal, npm and the starter each pass on one Ctrl-C: copies come within this time, milliseconds. */
const SAME_STOP_MS = 1000;

const control = new AbortController();
let isOrderly = false;
let message = 'stopped';
let isSecond = false;

/**
 * Given when the process is asked to stop, or the process that started it over a channel is gone. The command
 * that takes it stops by itself; every other command ends at once, and so does this one at a second request.
 * The reason is a `Stopped`.
 * @param said the line that the user reads where the stop cuts the work short
 */
export function stopRequested(said = message): AbortSignal {
  isOrderly = true;
  message = said;
  return control.signal;
}

export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Listens for requests to stop. It keeps no process alive whose work is done. */
export function watchForStop(): void {
  for (const signal of STOPS) process.on(signal, stop);
  process.once('disconnect', () => control.signal.aborted || stop('SIGTERM'));
  // A listener for its end holds the channel, and with it the process.
  process.channel?.unref();
}

function stop(signal: Stop): void {
  if (!isOrderly || isSecond) endAtOnce(signal);
  if (control.signal.aborted) return;
  control.abort(new Stopped(message, signal));
  // An end without `process.exit` takes the handlers away first, and a copy that comes then would kill the
  // process although its work is in order.
  process.once('beforeExit', () => process.exit());
  // A copy may wait while this thread is busy for longer: it is read after the timer, but before the call of
  // `setImmediate`.
  setTimeout(() => setImmediate(() => (isSecond = true)), SAME_STOP_MS).unref();
}

/** Ends like a process that does not listen: `process.exit` would wait for a thread that waits for a pipe. */
function endAtOnce(signal: Stop): void {
  removeParts();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
