/**
 * Wall of everything that goes outside: settles within `ms`, also where the work never does. The signal is
 * aborted at the end in any case, so that nothing of the work stays open.
 * @throws DOMException with the name TimeoutError when the time is over
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new DOMException('timed out', 'TimeoutError')), ms);
  try {
    return await Promise.race([over.promise, work(end.signal)]);
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}
