import { useEffect, useState } from 'react';
import type { ShownNames } from '../../../src/contract/shown-names.ts';
import type { AsName } from '../../../src/core/report/report-format.ts';
import { call } from '../api/call.ts';

/** AS numbers that one question may name. */
const ASKED_MAX = 100;
/** Questions for one page: numbers behind these stay without a name. */
const QUESTIONS_MAX = 20;

/** Registered names of AS numbers, once the service has named them. @param asns the most important first */
export function useAsNames(asns: readonly (number | undefined)[]): AsName {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const wanted = [...new Set(asns.filter((asn) => asn !== undefined))].slice(0, ASKED_MAX * QUESTIONS_MAX).join(',');
  useEffect(() => {
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      const left = wanted.split(',');
      while (isCurrent && left.length > 0) {
        const asked = left.splice(0, ASKED_MAX).join(',');
        const { as_names: named } = await call<ShownNames>('GET', `/names?asn=${asked}`);
        if (isCurrent) setNames((known) => ({ ...known, ...named }));
      }
    };
    // A network without its name still has its number.
    if (wanted !== '') ask().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  return (asn) => names[asn];
}
