import { Text } from '@mantine/core';
import type { Network } from '../../../src/contract/documents.ts';
import { namesIn } from '../../../src/core/names/names-in.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './facts.module.css';
import { useAsNames } from './use-as-names.ts';

/** ASN with its name, and usage. The set of usage codes is open: an unknown one is shown as it is, and marked as unknown. */
export function NetworkFactsList({ network }: { readonly network: Network | undefined }) {
  const { t, tag } = useLocale();
  const asn = network?.asn;
  const asName = useAsNames([asn]);
  if (network === undefined) return <Text c="dimmed">{t.verdict.noNetwork}</Text>;
  const usage = network.usage_type;
  const named = usage !== undefined && usage in t.usage ? t.usage[usage as keyof typeof t.usage] : undefined;
  return (
    <dl className={classes.facts}>
      {asn !== undefined && (
        <>
          <dt>{t.verdict.asn}</dt>
          <dd>{namesIn(tag).network(asn, asName(asn))}</dd>
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
