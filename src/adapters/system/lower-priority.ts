import { constants, setPriority } from 'node:os';

/** Only Linux has thread priorities; elsewhere this does nothing. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
