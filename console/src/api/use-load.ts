import { useCallback, useEffect, useState } from 'react';
import { ApiProblem, call } from './call.ts';

export interface Loaded<Body> {
  readonly data: Body | undefined;
  readonly problem: ApiProblem | undefined;
  readonly reload: () => void;
}

/**
 * Reads one document, and again on `reload`; the earlier content stays shown meanwhile. `path` undefined:
 * nothing is asked. With `everyMs` it is asked again while the page is seen.
 */
export function useLoad<Body>(path: string | undefined, everyMs?: number): Loaded<Body> {
  const [round, setRound] = useState(0);
  const [data, setData] = useState<Body>();
  const [problem, setProblem] = useState<ApiProblem>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` repeats the same question
  useEffect(() => {
    if (path === undefined) return;
    let current = true;
    call<Body>('GET', path).then(
      (body) => {
        if (!current) return;
        setData(body);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (current) setProblem(error instanceof ApiProblem ? error : new ApiProblem('internal_error', String(error)));
      },
    );
    return () => {
      current = false;
    };
  }, [path, round]);
  const reload = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { data, problem, reload };
}
