/**
 * Imported before a served process (`--import`, in every thread of it): its clock, which a test moves by a message. All threads read one number in shared
 * memory, so that a move holds in each of them at once. A thread asks for the memory when it starts and until it has it goes by the shift at its start.
 */
import { isMainThread } from 'node:worker_threads';

const realNow = Date.now;
const channel = new BroadcastChannel('movable clock of the tests');
let shift = new Float64Array([Number(process.env.TEST_CLOCK_SHIFT_MS)]);
Date.now = () => Math.floor(realNow() + shift[0]);

if (isMainThread) {
  shift = new Float64Array(new SharedArrayBuffer(8)).fill(shift[0]);
  channel.onmessage = ({ data }) => data === 'which clock' && channel.postMessage(shift);
  process.on('message', ({ moveClockMs }) => {
    shift[0] += moveClockMs;
    // Threads that start later take their first reading from here.
    process.env.TEST_CLOCK_SHIFT_MS = String(shift[0]);
    process.send({ clockShiftMs: shift[0] });
  });
  process.channel?.unref();
} else {
  channel.onmessage = ({ data }) => {
    if (data instanceof Float64Array) shift = data;
  };
  channel.postMessage('which clock');
}
// A listener sets the reference again; it alone must not keep a thread alive.
channel.unref();
