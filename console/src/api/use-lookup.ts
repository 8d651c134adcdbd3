import { useCallback, useEffect, useState } from 'react';
import { type LookupOutcome, lookup } from './lookup.ts';

/** Asked again by itself while the service is still loading its data. */
const NOT_READY_RETRY_MS = 2000;

/**
 * Asks for the verdict at a path once for each time it changes; a verdict is never cached, so `again` always asks
 * the service. The outcome is undefined while it is awaited, and for no path.
 */
export function useLookup(path: string | undefined) {
  const [round, setRound] = useState(0);
  const [known, setKnown] = useState<{ readonly of: string; readonly outcome: LookupOutcome }>();
  const again = useCallback(() => setRound((value) => value + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` repeats the same question
  useEffect(() => {
    setKnown(undefined);
    if (path === undefined) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    lookup(path, controller.signal).then(
      (outcome) => {
        setKnown({ of: path, outcome });
        if (outcome.failure?.code === 'not_ready') timer = setTimeout(again, NOT_READY_RETRY_MS);
      },
      () => undefined, // aborted: another lookup has taken over
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [path, round, again]);

  return { outcome: known?.of === path ? known?.outcome : undefined, again };
}
