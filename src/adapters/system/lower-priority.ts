import { constants, setPriority } from 'node:os';

/** Lowers the priority of the calling thread. Only Linux has thread priorities; elsewhere it does nothing. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
