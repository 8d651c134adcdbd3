/**
 * Imported before a served process (`--import`, in every thread of it): its clock, which a test moves by a message. All threads read one number in shared
 * memory, so that a move holds in each of them at once. A thread asks for the memory when it starts, and waits for it.
 */
import { isMainThread, receiveMessageOnPort } from 'node:worker_threads';

const realNow = Date.now;
const channel = new BroadcastChannel('movable clock of the tests');
let shift = new Float64Array([Number(process.env.TEST_CLOCK_SHIFT_MS)]);
Date.now = () => Math.floor(realNow() + shift[0]);

if (isMainThread) {
  shift = new Float64Array(new SharedArrayBuffer(8)).fill(shift[0]);
  channel.onmessage = ({ data }) => data === 'which clock' && channel.postMessage(shift);
  process.on('message', ({ moveClockMs }) => {
    shift[0] += moveClockMs;
    process.send({ clockShiftMs: shift[0] });
  });
  process.channel?.unref();
  // A listener sets the reference again; it alone must not keep the process alive.
  channel.unref();
} else {
  channel.postMessage('which clock');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let answer;
  // Other threads ask here too.
  for (; !(answer instanceof Float64Array); answer = receiveMessageOnPort(channel)?.message)
    Atomics.wait(pause, 0, 0, 1);
  shift = answer;
  channel.close();
}
