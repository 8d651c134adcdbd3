import { Alert, Anchor, Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { IPRisk } from '../../../src/contract/documents.ts';
import type { Signal } from '../../../src/contract/risk.ts';
import type { ShownNames } from '../../../src/contract/shown-names.ts';
import type { Status } from '../../../src/contract/status.ts';
import { clientAddress } from '../api/client-address.ts';
import { useSession } from '../api/session.tsx';
import { useLoad } from '../api/use-load.ts';
import { CodeBlock } from '../components/code-block.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { MissingSources } from '../components/source-state.tsx';
import { formatInstant } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import { AddressCase, AddressOrder } from './address-case.tsx';
import { headlineOf, stateColour } from './level-colour.ts';
import { NetworkFactsList } from './network-facts-list.tsx';
import { PlaceFactsList } from './place-facts-list.tsx';
import { ScoreDial } from './score-dial.tsx';
import { DESCRIPTIVE, SignalList } from './signal-list.tsx';
import classes from './verdict-card.module.css';
import { WrongVerdict } from './wrong-verdict.tsx';

interface Props {
  readonly document: IPRisk;
  /** The response exactly as it came. */
  readonly text: string;
  /** Moves the keyboard to the answer: the visitor has just asked for it. */
  readonly takeFocus: boolean;
}

/** Says how many sources are missing, and where they stand. */
function MissingEvidence() {
  const { t, to, space } = useLocale();
  const { data } = useLoad<Status>('/status');
  return (
    <>
      {t.verdict.degraded}
      {space}
      <Anchor component={Link} href={to('/status')} c="inherit" td="underline" inherit>
        {t.verdict.sources}
      </Anchor>
      <MissingSources evidence={data?.evidence} />
    </>
  );
}

/** A verdict: understood in one second (state, dial, headline), explained in ten (signals, network, place, limits). */
export function VerdictCard({ document: verdict, text, takeFocus }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocus) heading.current?.focus();
  }, [takeFocus]);
  const { t, tag, to, space, locale } = useLocale();
  const { account } = useSession();
  const { risk, evidence_state: state, geo } = verdict;
  const isCorrected = verdict.meta.override === true;
  const names = useLoad<ShownNames>(`/names?ip=${encodeURIComponent(verdict.ip)}`).data;
  const identity = names?.addresses?.[verdict.ip] ?? {};
  const known = names && { rows: [], ...identity };
  // Tor exits have the signal of VPN exits, and their own name says more.
  const isShown = (signal: Signal): boolean =>
    !DESCRIPTIVE.has(signal) && !(identity.shared_by === 'tor' && signal === 'vpn');
  const seen = (risk.signals ?? []).filter(isShown);
  const url = new URL(to(`/ip/${verdict.ip}`), location.origin).href;
  return (
    <Stack gap="lg">
      {verdict.degraded === true && (
        <Alert color="yellow" radius="lg">
          <MissingEvidence />
        </Alert>
      )}
      <section className="card" aria-label={fill(t.verdict.heading, { ip: verdict.ip })}>
        <div className={classes.summary}>
          <ScoreDial score={risk.score} level={risk.level} state={state} />
          <Stack gap={10} className={classes.words ?? ''}>
            <Group gap="sm">
              <Badge
                color={stateColour(state, risk.level)}
                variant={state === 'active' ? 'filled' : 'outline'}
                size="lg"
                radius="sm"
                autoContrast
                tt="none"
                data-state={state}
              >
                {t.verdict.state[state].name}
              </Badge>
              <CopyButton text={url} label={t.verdict.share} />
              <AddressCase document={verdict} known={known} link={url} />
              <WrongVerdict ip={verdict.ip} score={risk.score} />
              {account?.data_tier === 'professional' && (
                <Button
                  component={Link}
                  size="xs"
                  variant="light"
                  href={to(`/console/evidence/${encodeURIComponent(verdict.ip)}`)}
                >
                  {t.verdict.evidence}
                </Button>
              )}
            </Group>
            <Title
              order={2}
              className={classes.ip ?? ''}
              ref={heading}
              tabIndex={-1}
              style={{ '--characters': verdict.ip.length }}
            >
              {verdict.ip}
            </Title>
            <Text
              size="xl"
              fw={650}
              lh={1.3}
              className={classes.headline ?? ''}
              data-level={state === 'active' ? risk.level : 'none'}
            >
              {isCorrected ? t.verdict.corrected.headline : t.verdict.headline[headlineOf(state, risk.level)]}
            </Text>
            {seen.length > 0 && (
              <ul className={classes.chips} aria-label={t.verdict.signals}>
                {seen.map((signal) => (
                  <li key={signal} className={classes.headline} data-level={state === 'active' ? risk.level : 'none'}>
                    {t.verdict.signal[signal].name}
                  </li>
                ))}
              </ul>
            )}
            <AddressOrder document={verdict} known={known} />
            {identity.known_as && (
              <Text fw={600} data-testid="known-as">
                {fill(identity.known_as.scanner ? t.verdict.known.scanner : t.verdict.known.service, {
                  what: locale === 'zh' ? identity.known_as.what_zh : identity.known_as.what,
                })}
              </Text>
            )}
            <Text>{isCorrected ? t.verdict.corrected.text : t.verdict.state[state].text}</Text>
            <Text size="sm" c="dimmed">
              {t.verdict.scoreMeaning}
              {space}
              {fill(t.verdict.at, { when: formatInstant(tag, new Date(verdict.computed_at)) })}
            </Text>
            {verdict.ip === clientAddress && (
              <Text size="sm">
                {t.verdict.yours}
                {space}
                <Anchor component={Link} href={to('/objection')} underline="always" inherit>
                  {t.verdict.object}
                </Anchor>
              </Text>
            )}
          </Stack>
        </div>
      </section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <Card title={t.verdict.signals}>
            <SignalList verdict={verdict} />
          </Card>
          <Card title={t.verdict.network}>
            <NetworkFactsList network={verdict.network} ip={verdict.ip} />
          </Card>
          <Card title={t.verdict.limits.title}>
            <ul className={classes.limits}>
              <li>{t.verdict.limits.score}</li>
              <li>{t.verdict.limits.shared}</li>
              <li>{t.verdict.limits.moment}</li>
            </ul>
            {account?.data_tier !== 'professional' && (
              <Text size="sm" c="dimmed" mt="sm">
                {t.verdict.professional}
              </Text>
            )}
          </Card>
        </Stack>
        <Stack gap="lg">
          <Card title={t.verdict.place}>
            <PlaceFactsList geo={geo} />
          </Card>
          <CodeBlock label={t.verdict.curl} code={`curl ${location.origin}/v1/ip/${verdict.ip}`} />
        </Stack>
      </SimpleGrid>
      <CodeBlock label={t.verdict.json} code={JSON.stringify(JSON.parse(text), null, 2)} />
      <Text size="sm" c="dimmed">
        {fill(t.verdict.dataVersion, { ...verdict.meta.data_version })} ·{' '}
        <Anchor href="https://db-ip.com" rel="noreferrer" inherit underline="always">
          IP Geolocation by DB-IP
        </Anchor>{' '}
        ·{' '}
        <Anchor component={Link} href={to('/docs/data')} inherit underline="always">
          {t.site.footer.data}
        </Anchor>
      </Text>
    </Stack>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card">
      <Title order={3} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  );
}
