import { getPriority, setPriority } from 'node:os';

/** Gives way to other threads; one that gives way more stays so. Only Linux has thread priorities; elsewhere this does nothing. */
export function lowerPriority() {
  if (process.platform === 'linux') setPriority(Math.max(getPriority(), 10));
}
