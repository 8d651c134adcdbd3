/**
 * Resolves when the process is asked to stop, or the process that started it over a channel is gone. A second signal ends it at once. Waiting for this keeps no
 * process alive whose work is done.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (): void => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on('SIGTERM', ask);
    process.on('SIGINT', ask);
    process.once('disconnect', ask);
    // A listener for its end holds the channel, and with it the process.
    process.channel?.unref();
  });
}
