import { useCallback, useEffect, useState } from 'react';
import { type LookupOutcome, lookup } from '../../api/lookup.ts';

/** Asked again by itself while the service is still loading its data. */
const NOT_READY_RETRY_MS = 2000;

interface Lookup {
  readonly outcome: LookupOutcome | undefined;
  readonly pending: boolean;
  readonly again: () => void;
}

/** Looks `ip` up once for each time it changes; a verdict is never cached, so `again` always asks the service. */
export function useLookup(ip: string | undefined): Lookup {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ readonly outcome: LookupOutcome | undefined; readonly pending: boolean }>({
    outcome: undefined,
    pending: ip !== undefined,
  });
  const again = useCallback(() => setRound((value) => value + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` repeats the same question
  useEffect(() => {
    if (ip === undefined) {
      setState({ outcome: undefined, pending: false });
      return;
    }
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    setState({ outcome: undefined, pending: true });
    lookup(ip, controller.signal).then(
      (outcome) => {
        setState({ outcome, pending: false });
        if (outcome.kind === 'problem' && outcome.code === 'not_ready') timer = setTimeout(again, NOT_READY_RETRY_MS);
      },
      () => undefined, // aborted: another lookup has taken over
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [ip, round, again]);

  return { ...state, again };
}
