import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread: where processors are short, threads that answer requests come first. Linux alone has priorities of threads; elsewhere
 * it would be the process that gives way, so nothing is done.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
