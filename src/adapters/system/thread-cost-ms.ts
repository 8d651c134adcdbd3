/** Returns the processor time that this thread has used, in milliseconds. */
export function threadCostMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
