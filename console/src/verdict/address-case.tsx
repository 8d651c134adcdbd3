import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Explanation, IPRisk, PulseIPRisk } from '../../../src/contract/documents.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { useLocale } from '../locale.tsx';
import { useSourceText } from '../messages/use-source-texts.ts';
import classes from './address-case.module.css';
import { useNames } from './place-facts-list.tsx';
import { useAsNames } from './use-shown-addresses.ts';

interface Props {
  readonly document: IPRisk | PulseIPRisk;
  readonly explanation?: Explanation;
  /** Page of this verdict. */
  readonly link: string;
  /** True for a verdict on a past moment. */
  readonly isPast?: boolean;
}

type CaseWriter = typeof import('./write-case.ts').writeCase;

/** Buttons that copy and print the case of an address. Paper shows the case alone, on one sheet. */
export function AddressCase({ document: verdict, explanation, link, isPast = false }: Props) {
  const { t, locale } = useLocale();
  const sourceText = useSourceText();
  const asn = verdict.network?.asn;
  const asName = useAsNames([asn]);
  const names = useNames(verdict.geo);
  const [write, setWrite] = useState<CaseWriter>();
  // Its words come when the verdict stands.
  useEffect(() => {
    void import('./write-case.ts').then(({ writeCase }) => setWrite(() => writeCase));
  }, []);
  if (write === undefined || names === undefined) return null;
  const text = write(verdict, locale, { names, explanation, link, isPast, sourceText, asName });
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
