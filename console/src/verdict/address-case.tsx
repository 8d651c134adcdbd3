import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Explanation, IPRisk, PulseIPRisk } from '../../../src/contract/documents.ts';
import type { ShownExplanation } from '../../../src/core/report/verdict-lines.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { useLocale } from '../locale.tsx';
import { useSourceText } from '../messages/use-source-texts.ts';
import classes from './address-case.module.css';
import { useNames } from './place-facts-list.tsx';
import { useAsNames } from './use-shown-addresses.ts';

interface Props {
  readonly document: IPRisk | PulseIPRisk;
  readonly explanation?: Explanation;
  readonly known?: ShownExplanation | undefined;
  /** Page of this verdict. */
  readonly link: string;
  /** True for a verdict on a past moment. */
  readonly isPast?: boolean;
}

/** Its words come when the verdict stands. */
function useCaseWriter() {
  const [writer, setWriter] = useState<typeof import('./write-case.ts')>();
  useEffect(() => void import('./write-case.ts').then(setWriter), []);
  return writer;
}

/** Says why many share the address, and what the default policy does with it. Nothing before that is known. */
export function AddressOrder({ document: verdict, known }: Pick<Props, 'document' | 'known'>) {
  const { t, locale } = useLocale();
  const writer = useCaseWriter();
  if (known === undefined) return null;
  return (
    <>
      {known.shared_by && (
        <Text fw={600} data-testid="shared-by">
          {t.verdict.sharedBy[known.shared_by]}
        </Text>
      )}
      <Text data-testid="order">{writer?.writeOrder(verdict, locale, known)}</Text>
    </>
  );
}

/** Buttons that copy and print the case of an address. Paper shows the case alone, on one sheet. */
export function AddressCase({ document: verdict, explanation, known, link, isPast = false }: Props) {
  const { t, locale } = useLocale();
  const sourceText = useSourceText();
  const asn = verdict.network?.asn;
  const asName = useAsNames([asn]);
  const names = useNames(verdict.geo);
  const writer = useCaseWriter();
  if (writer === undefined || names === undefined) return null;
  const text = writer.writeCase(verdict, locale, { names, explanation, known, link, isPast, sourceText, asName });
  return (
    <>
      <CopyButton text={text} label={t.verdict.copyCase} />
      <Button variant="default" size="xs" onClick={() => window.print()}>
        {t.verdict.print}
      </Button>
      {createPortal(<div className={classes.sheet} data-case={text} />, document.body)}
    </>
  );
}
