import { Anchor } from '@mantine/core';
import type { Network } from '../../../src/contract/documents.ts';
import { formatPrefix } from '../../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../../src/core/ip/parse-address.ts';
import { prefixOf } from '../../../src/core/ip/prefix.ts';
import { registryLink } from '../../../src/core/ip/registry-link.ts';
import { servedFacts } from '../api/served-facts.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './facts.module.css';
import { NetworkLink } from './network-link.tsx';
import type { AddressNames } from './use-shown-addresses.ts';

/** ASN with its name, and usage. The set of usage codes is open: an unknown one is shown as it is, and marked as unknown. */
export function NetworkFactsList({
  network,
  ip,
  names: { names, asName },
}: {
  readonly network: Network | undefined;
  readonly ip: string;
  readonly names: AddressNames;
}) {
  const { t } = useLocale();
  const asn = network?.asn;
  const address = parseAnyAddress(ip);
  const around = address && formatPrefix(prefixOf(address, address.family === 4 ? 24 : 64));
  const usage = network?.usage_type;
  const named = usage !== undefined && usage in t.usage ? t.usage[usage as keyof typeof t.usage] : undefined;
  return (
    <dl className={classes.facts}>
      {around !== undefined && (
        <>
          <dt>{t.verdict.prefix}</dt>
          <dd>
            <NetworkLink network={around} />
          </dd>
        </>
      )}
      {asn !== undefined && (
        <>
          <dt>{t.verdict.asn}</dt>
          <dd>
            <NetworkLink network={`AS${asn}`} text={names.network(asn, asName(asn))} />
          </dd>
        </>
      )}
      {address !== undefined && (
        <>
          <dt>{t.verdict.elsewhere}</dt>
          <dd>
            {[[t.verdict.registry, registryLink(address, ip)] as const, ...servedFacts.linksAbout(ip)].map(
              ([name, href]) => (
                <Anchor key={href} href={href} target="_blank" rel="noreferrer" underline="always" inherit mr="sm">
                  {name}
                </Anchor>
              ),
            )}
          </dd>
        </>
      )}
      {usage !== undefined && (
        <>
          <dt>{t.verdict.usage}</dt>
          <dd>{named === undefined ? fill(t.verdict.usageUnknown, { code: usage }) : `${named} (${usage})`}</dd>
        </>
      )}
    </dl>
  );
}
