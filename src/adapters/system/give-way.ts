import { constants, setPriority } from 'node:os';

/** Lowers the priority of the calling thread; Linux alone has priorities of threads, elsewhere nothing is done. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
