import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Explanation, IPRisk, PulseIPRisk } from '../../../../src/contract/documents.ts';
import { riskTypeWords } from '../../../../src/contract/risk.ts';
import { lowered } from '../../../../src/core/report/say-order.ts';
import { clientAddress } from '../../api/client-address.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatInstant, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useSourceText } from '../../messages/use-source-texts.ts';
import { atMoment } from '../../use-moment.ts';
import { DESCRIPTIVE } from '../../verdict/signal-list.tsx';
import type { AddressNames } from '../../verdict/use-shown-addresses.ts';
import { WrongVerdict } from '../../verdict/wrong-verdict.tsx';
import { CaseMenu } from './case-menu.tsx';
import { ScoreDial } from './score-dial.tsx';
import classes from './verdict-card.module.css';
import { writeCase, writeOrder } from './write-case.ts';

export interface Verdict {
  readonly document: IPRisk | PulseIPRisk;
  /** Undefined where the reader may not see it. */
  readonly explanation: Explanation | undefined;
  readonly names: AddressNames;
  /** The way back to now, from a past moment. */
  readonly onNow: (() => void) | undefined;
}

/** A verdict, understood in one second: the score, what the address is, how fresh that is, and what to do. */
export function VerdictCard({ takeFocus, ...verdict }: Verdict & { readonly takeFocus: boolean }) {
  const { document, explanation, names, onNow } = verdict;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocus) heading.current?.focus();
  }, [takeFocus]);
  const { t, tag, to, space, locale } = useLocale();
  const sourceText = useSourceText();
  const headline = useHeadline(verdict);
  const { ip, risk, evidence_state: state, computed_at: at } = document;
  const isCorrected = document.meta.override === true;
  const isPast = onNow !== undefined;
  const known = explanation ?? { rows: [], ...names.shown };
  const when = formatInstant(tag, new Date(at));
  const link = new URL(atMoment(to(`/ip/${encodeURIComponent(ip)}`), isPast ? at : undefined), location.origin).href;
  const options = { names: names.names, asName: names.asName, explanation, known, sourceText };
  const moment = new URL(atMoment(to(`/ip/${encodeURIComponent(ip)}`), explanation && at), location.origin).href;
  const level = state === 'active' ? risk.level : 'none';
  return (
    <section className={`card ${classes.summary}`} data-state={state} data-testid="verdict">
      <ScoreDial score={risk.score} level={risk.level} state={state} corrected={isCorrected} />
      <Stack gap={8} className={classes.words ?? ''}>
        <Group gap={4} wrap="nowrap" className={classes.name ?? ''} style={{ '--characters': ip.length }}>
          <Title order={1} className={classes.ip ?? ''} ref={heading} tabIndex={-1}>
            {ip}
          </Title>
          <CopyButton text={ip} icon />
        </Group>
        {isPast && (
          <Group gap="sm" data-testid="as-of">
            <Text>{fill(t.verdict.asOf, { when })}</Text>
            <Button size="compact-sm" variant="default" onClick={onNow}>
              {t.problem.now}
            </Button>
          </Group>
        )}
        <Text className={classes.headline ?? ''} data-level={isCorrected ? 'none' : level} data-testid="headline">
          {headline}
        </Text>
        {known.known_as && (
          <Text fw={600} data-testid="known-as">
            {fill('scanner' in known.known_as ? t.verdict.known.scanner : t.verdict.known.service, {
              what: names.shown.known_as?.[locale === 'zh' ? 'what_zh' : 'what'] ?? known.known_as.what,
            })}
          </Text>
        )}
        <Text data-testid="order">{writeOrder(document, locale, known)}</Text>
        {state !== 'active' && <Text>{t.verdict.state[state].text}</Text>}
        {isCorrected && <Text>{t.verdict.corrected.text}</Text>}
        {('degraded' in document || 'risk_degraded' in document) && (
          <Text size="sm">
            {t.verdict.degraded}
            {space}
            <Anchor component={Link} href={to('/status')} underline="always" inherit>
              {t.verdict.sources}
            </Anchor>
          </Text>
        )}
        {ip === clientAddress && (
          <Text size="sm">
            {t.verdict.yours}
            {space}
            <Anchor component={Link} href={to('/objection')} underline="always" inherit>
              {t.verdict.object}
            </Anchor>
          </Text>
        )}
        <details className={classes.method}>
          <summary>
            {isCorrected ? t.verdict.method.title : fill(t.verdict.method.score, { score: risk.score })}
          </summary>
          <Text size="sm">
            {[t.verdict.scoreMeaning, t.verdict.method.shared, t.verdict.method.moment].join(space)}
            {space}
            {fill(t.verdict.at, { when })}{' '}
            <Anchor component={Link} href={to('/docs/score')} underline="always" inherit>
              {t.site.nav.docs}
            </Anchor>
          </Text>
        </details>
      </Stack>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        {!isPast && <WrongVerdict ip={ip} score={risk.score} />}
        <CaseMenu text={writeCase(document, locale, { ...options, link: moment, isPast })} link={link} />
      </Group>
    </section>
  );
}

/** Says in words what the address is and how fresh the evidence is. */
function useHeadline({ document, explanation, names, onNow }: Verdict): string {
  const { t, tag, locale } = useLocale();
  const { headline, corrected } = t.verdict;
  const { risk, evidence_state: state, meta } = document;
  const date = (at: string): string => formatInstant(tag, new Date(at));
  if (meta.override === true) {
    const held = explanation?.overridden ?? names.shown.corrected;
    return held === undefined
      ? corrected.headline
      : fill(corrected.times, { from: date(held.from), until: date(held.until) });
  }
  if (state === 'none') return headline.none;
  const sharedBy = (explanation ?? names.shown).shared_by;
  const words = riskTypeWords(locale);
  const rows = explanation?.rows.filter(({ strength }) => state === 'stale' || strength > 0);
  const kinds = rows
    ? rows.map(({ risk_type: type }) => [type, words[type].name] as const)
    : (risk.signals ?? [])
        .filter((signal) => !DESCRIPTIVE.has(signal))
        .map((signal) => [signal, t.verdict.signal[signal].name] as const);
  // Tor exits have the signal of VPN exits, and their own name says more.
  const seen = kinds.flatMap(([kind, name]) => (kind === 'vpn' && sharedBy === 'tor' ? [] : [name]));
  const named = [...new Set([...(sharedBy ? [t.verdict.sharedBy[sharedBy]] : []), ...seen])];
  const [first, ...others] = named.length > 0 || risk.score === 0 ? named : [t.verdict.own.name];
  const what =
    first &&
    fill(others.length > 0 ? headline.also : headline.what, {
      what: first,
      others: others.map(lowered).join(t.site.comma),
    });
  const newest = Math.max(
    ...('evidence' in document ? document.evidence : []).map((row) => Date.parse(row.captured_at ?? '')),
  );
  const freshness = 'evidence' in document ? document.evidence[0]?.freshness : undefined;
  const fresh =
    newest > 0
      ? fill(headline.seen, {
          when: formatRelative(tag, new Date(newest), new Date(onNow ? document.computed_at : Date.now())),
        })
      : freshness === undefined || state === 'stale'
        ? undefined
        : fill(headline.seen, { when: t.verdict.freshness[freshness] });
  return [
    what,
    state === 'stale'
      ? headline.stale
      : fresh === undefined
        ? fill(headline.what, { what: t.verdict.state.active.name })
        : undefined,
    fresh,
  ]
    .filter((part) => part !== undefined)
    .join(locale === 'zh' ? '' : ' ');
}
