/**
 * SIGUSR2 ends a process that does not listen for it. The entry imports this file first, and it imports none, so
 * that a restart that is asked for while the service is loaded and starts is kept.
 */
let isRequested = false;
let request = Promise.withResolvers<void>();

if (process.argv.includes('serve') && process.platform !== 'win32')
  process.on('SIGUSR2', () => {
    isRequested = true;
    request.resolve();
  });

/** Resolves at the next request, or at once for one that came since the last call. */
export async function restartRequested(): Promise<void> {
  if (!isRequested) await request.promise;
  isRequested = false;
  request = Promise.withResolvers();
}
