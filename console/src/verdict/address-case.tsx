import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Explanation, IPRisk, PulseIPRisk } from '../../../src/contract/documents.ts';
import type { ShownNames } from '../../../src/contract/shown-names.ts';
import { namesIn } from '../../../src/core/names/names-in.ts';
import { useLoad } from '../api/use-load.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { useLocale } from '../locale.tsx';
import { useSourceText } from '../messages/use-source-texts.ts';
import classes from './address-case.module.css';
import { useAsNames } from './use-shown-addresses.ts';

interface Props {
  readonly document: IPRisk | PulseIPRisk;
  readonly explanation?: Explanation;
  /** Page of this verdict. */
  readonly link: string;
}

type CaseWriter = typeof import('./write-case.ts').writeCase;

/** Buttons that copy and print the case of an address. Paper shows the case alone, on one sheet. */
export function AddressCase({ document: verdict, explanation, link }: Props) {
  const { t, tag, locale } = useLocale();
  const sourceText = useSourceText();
  const asn = verdict.network?.asn;
  const asName = useAsNames([asn]);
  const code = locale === 'zh' ? verdict.geo?.admin_code : undefined;
  const { data } = useLoad<ShownNames>(code === undefined ? undefined : `/names?division=${code}`);
  const [write, setWrite] = useState<CaseWriter>();
  // Its words come when the verdict stands.
  useEffect(() => {
    void import('./write-case.ts').then(({ writeCase }) => setWrite(() => writeCase));
  }, []);
  const text = write?.(verdict, locale, {
    names: namesIn(tag, new Map(Object.entries(data?.divisions ?? {}))),
    ...{ explanation, link, sourceText, asName },
  });
  if (text === undefined) return null;
  return (
    <>
      <CopyButton text={text} label={t.verdict.copyCase} />
      <Button variant="default" size="xs" onClick={() => window.print()}>
        {t.verdict.print}
      </Button>
      {createPortal(
        <pre className={classes.sheet} data-case>
          {text}
        </pre>,
        document.body,
      )}
    </>
  );
}
