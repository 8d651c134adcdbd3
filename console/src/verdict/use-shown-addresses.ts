import { useCallback, useEffect, useState } from 'react';
import type { ShownAddress, ShownNames } from '../../../src/contract/shown-names.ts';
import { parseAddress } from '../../../src/core/ip/parse-address.ts';
import { type Names, namesIn } from '../../../src/core/names/names-in.ts';
import type { AsName } from '../../../src/core/report/report-format.ts';
import { call } from '../api/call.ts';
import { useLoad } from '../api/use-load.ts';
import { useLocale } from '../locale.tsx';

/** Names that one question may ask for. */
const ASKED_MAX = 100;
/** Questions for one page: what stands behind these stays without a name. */
const QUESTIONS_MAX = 20;

/** Loads what pages call an address, its AS and its place, in the reader's language. */
export interface AddressNames {
  readonly shown: ShownAddress;
  readonly asName: AsName;
  readonly names: Names;
}

/** Undefined until the service has answered; without its answer codes stand alone. */
export function useAddressNames(ip: string): AddressNames | undefined {
  const { tag, locale } = useLocale();
  const isPublic = parseAddress(ip).status === 'ok';
  const { data, problem } = useLoad<ShownNames>(isPublic ? `/names?ip=${encodeURIComponent(ip)}` : undefined);
  if (isPublic && data === undefined && problem === undefined) return undefined;
  const divisions = locale === 'zh' ? Object.entries(data?.divisions ?? {}) : [];
  return {
    shown: data?.addresses?.[ip] ?? {},
    asName: (asn) => data?.as_names?.[asn],
    names: namesIn(tag, new Map(divisions)),
  };
}

/** Registered names of AS numbers, once the service has named them. @param asns the most important first */
export function useAsNames(asns: readonly (number | undefined)[]): AsName {
  const names = useNames('asn', 'as_names', asns);
  return (asn) => names[asn];
}

/** Names that addresses are known by, once the service has answered. @param ips the most important first */
export function useShownAddresses(ips: readonly string[]): (ip: string) => ShownAddress {
  const addresses = useNames('ip', 'addresses', ips);
  return useCallback((ip: string) => addresses[ip] ?? {}, [addresses]);
}

function useNames<Member extends 'as_names' | 'addresses'>(
  parameter: 'asn' | 'ip',
  member: Member,
  values: readonly (string | number | undefined)[],
): NonNullable<ShownNames[Member]> {
  const [names, setNames] = useState<NonNullable<ShownNames[Member]>>({});
  const wanted = [...new Set(values.filter((value) => value !== undefined))]
    .slice(0, ASKED_MAX * QUESTIONS_MAX)
    .join(',');
  useEffect(() => {
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      const left = wanted.split(',');
      while (isCurrent && left.length > 0) {
        const asked = encodeURIComponent(left.splice(0, ASKED_MAX).join(','));
        const { [member]: named } = await call<ShownNames>('GET', `/names?${parameter}=${asked}`);
        if (isCurrent) setNames((known) => ({ ...known, ...named }));
      }
    };
    // An AS without a name still has its number.
    if (wanted !== '') ask().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [wanted, parameter, member]);
  return names;
}
