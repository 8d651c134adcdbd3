import type { Config } from '../../config.ts';
import type { RefuseRow } from '../../core/evidence/capture-reader.ts';
import { intakeRefusals } from '../../core/evidence/intake-refusals.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { knownGoodLists } from './known-good.ts';

export type OwnConfig = Pick<Config, 'trustedProxies' | 'host' | 'baseUrl'>;

/**
 * The operator's own addresses are the proxies in front, where the service listens, and its public address if
 * that is one.
 */
export function ownAddresses({ trustedProxies, host, baseUrl }: OwnConfig): readonly string[] {
  const named = baseUrl === undefined ? [] : [new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')];
  return [...trustedProxies, host, ...named].filter((text) => {
    const prefix = parsePrefix(text);
    return prefix !== undefined && (prefix.w0 | prefix.w1 | prefix.w2 | prefix.w3) !== 0;
  });
}

/**
 * @param own as `ownAddresses` returns them
 * @param alsoKnownGood whether rows about well-known services are taken
 */
export function loadIntakeRefusals(own: readonly string[], alsoKnownGood = false): RefuseRow {
  const current = alsoKnownGood ? [] : knownGoodLists().filter(({ until }) => until === undefined);
  const prefixes = (texts: readonly string[]) => texts.map((text) => parsePrefix(text)!);
  return intakeRefusals(prefixes(own), prefixes(current.flatMap((list) => list.prefixes)));
}
