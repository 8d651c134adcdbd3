import { Text } from '@mantine/core';
import type { Network } from '../../../src/contract/documents.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './facts.module.css';

/** ASN and usage. The set of usage codes is open: an unknown one is shown as it is, and marked as unknown. */
export function NetworkFactsList({ network }: { readonly network: Network | undefined }) {
  const { t } = useLocale();
  if (network === undefined) return <Text c="dimmed">—</Text>;
  const usage = network.usage_type;
  const named = usage !== undefined && usage in t.usage ? t.usage[usage as keyof typeof t.usage] : undefined;
  return (
    <dl className={classes.facts}>
      {network.asn !== undefined && (
        <>
          <dt>{t.verdict.asn}</dt>
          <dd>AS{network.asn}</dd>
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
