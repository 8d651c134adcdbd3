import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

/** Path and query of a page that shows a moment, so that the link gives the same view back; undefined: of now. */
export const atMoment = (path: string, at: string | undefined): string =>
  at === undefined ? path : `${path}?at=${encodeURIComponent(at)}`;

/**
 * The moment that the address of this page asks about (`?at=`), as it was written, and how to ask about
 * another; undefined: now.
 */
export function useMoment(): readonly [at: string | undefined, ask: (at: string | undefined) => void] {
  const [pathname, navigate] = useLocation();
  const [query] = useSearchParams();
  const ask = useCallback((at: string | undefined) => navigate(atMoment(pathname, at)), [navigate, pathname]);
  return [query.get('at') ?? undefined, ask];
}
