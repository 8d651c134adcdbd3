import { Anchor, Container, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { parseRfc3339 } from '../../../../src/core/evidence/parse-rfc3339.ts';
import { useSession } from '../../api/session.tsx';
import { useLookup } from '../../api/use-lookup.ts';
import { AddressForm } from '../../components/address-form.tsx';
import { AllowanceLine } from '../../components/allowance-line.tsx';
import { Card } from '../../components/card.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { later } from '../../components/later.tsx';
import { Locked } from '../../components/locked.tsx';
import { fill, useLocale } from '../../locale.tsx';
import { usePageTitle } from '../../use-document-head.ts';
import { atMoment, useMoment } from '../../use-moment.ts';
import { NetworkFactsList } from '../../verdict/network-facts-list.tsx';
import { PlaceFactsList } from '../../verdict/place-facts-list.tsx';
import { SignalList } from '../../verdict/signal-list.tsx';
import { useAddressNames } from '../../verdict/use-shown-addresses.ts';
import { keepRecent } from '../home/keep-recent.ts';
import { ProblemCard } from './problem-card.tsx';
import { type Verdict, VerdictCard } from './verdict-card.tsx';

const EvidenceParts = later(
  async () => (await import('./evidence-parts.tsx')).EvidenceParts,
  <Skeleton height={900} radius="lg" />,
);

/** The page of one address: its verdict now, or at the moment that the page's address names, and all that explains it. */
export function AddressPage({ ip }: { readonly ip: string }) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  usePageTitle(ip);
  const asked = useHistoryState<{ readonly asked?: boolean } | null>()?.asked === true;
  const { account } = useSession();
  const [at, askAt] = useMoment();
  const names = useAddressNames(ip);
  const name = encodeURIComponent(ip);
  const professional = account?.data_tier === 'professional';
  const past = at !== undefined;
  const course = useLookup(
    account === undefined || (past && !professional)
      ? undefined
      : professional
        ? `/console/api/pulse/${name}/timeline`
        : `/v1/ip/${name}`,
  );
  const noHistory = course.outcome?.failure?.code === 'history_unavailable';
  const moment = useLookup(
    professional && (past || noHistory) ? atMoment(`/console/api/pulse/${name}`, at) : undefined,
  );
  const { outcome, again } = past || noHistory ? moment : course;
  const refused =
    past && account !== undefined && !professional
      ? { code: parseRfc3339(at) === undefined ? 'invalid_time' : 'history_requires_professional' }
      : undefined;
  const failure = refused ?? outcome?.failure;
  const body = outcome?.body;
  const document = body && ('answer' in body ? body.answer : body);
  const explained = body && 'answer' in body ? body : undefined;
  const now = course.outcome?.body;
  const timeline = now && 'past' in now ? now : undefined;

  const judged = document?.ip;
  useEffect(() => {
    if (judged !== undefined) keepRecent(judged);
  }, [judged]);

  const submit = (value: string): void => {
    navigate(to(`/ip/${encodeURIComponent(value)}`), { state: { asked: true }, replace: value === ip && !past });
    if (value === ip && !past) again();
  };
  const verdict =
    document === undefined || names === undefined
      ? undefined
      : { document, explanation: explained?.explanation, names, onNow: past ? () => askAt(undefined) : undefined };
  const pending = verdict === undefined && failure === undefined;
  return (
    <Container size="lg">
      <Stack gap="lg">
        <AddressForm initial={ip} large pending={pending} onSubmit={submit} />
        <Stack gap="lg" aria-live="polite" aria-busy={pending}>
          {verdict && failure === undefined ? (
            <VerdictCard {...verdict} takeFocus={asked} />
          ) : (
            <>
              <Title order={1} size="h3" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {ip}
              </Title>
              {failure && <ProblemCard failure={failure} at={at} onRetry={again} onNow={() => askAt(undefined)} />}
              {/* It fills the screen: nothing below it moves when the answer comes. */}
              {pending && <Skeleton height="70vh" radius="lg" role="status" aria-label={t.site.loading} />}
            </>
          )}
          {(timeline || explained) && (
            <EvidenceParts
              timeline={past && ip.includes(':') ? undefined : timeline}
              shown={explained}
              at={at}
              onAt={askAt}
            />
          )}
        </Stack>
        {verdict && failure === undefined && <Facts {...verdict} />}
        {outcome?.allowance && <AllowanceLine allowance={outcome.allowance} />}
      </Stack>
    </Container>
  );
}

/** Every reader sees these parts below the verdict. */
function Facts({ document, explanation, names, onNow }: Verdict) {
  const { t, to } = useLocale();
  // Signals, network and place of a past verdict are those of now.
  const ofToday = onNow === undefined ? {} : { hint: t.verdict.today };
  const { account } = useSession();
  const { ip, meta } = document;
  const path = explanation === undefined ? '/v1/ip' : '/pulse/v1/ip';
  return (
    <>
      {account !== undefined && explanation === undefined && (
        <Locked title={t.verdict.evidence}>{t.verdict.professional}</Locked>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <Card title={t.verdict.signals} {...ofToday}>
            <SignalList verdict={document} isPast={onNow !== undefined} />
          </Card>
          <Card title={t.verdict.network} {...ofToday}>
            <NetworkFactsList network={document.network} ip={ip} names={names} />
          </Card>
        </Stack>
        <div>
          <Card title={t.verdict.place} {...ofToday}>
            <PlaceFactsList geo={document.geo} names={names.names} />
          </Card>
        </div>
      </SimpleGrid>
      <CodeBlock
        label="curl"
        code={`curl ${explanation === undefined ? '' : '-H "X-API-Key: $PULSE_KEY" '}${location.origin}${path}/${ip}`}
      />
      <details className="card">
        <summary>JSON</summary>
        <CodeBlock label="JSON" code={JSON.stringify(document, null, 2)} />
      </details>
      <Text size="sm" c="dimmed" component="div">
        <Anchor href="https://db-ip.com" rel="noreferrer" inherit underline="always">
          IP Geolocation by DB-IP
        </Anchor>{' '}
        ·{' '}
        <Anchor component={Link} href={to('/docs/data')} inherit underline="always">
          {t.site.footer.data}
        </Anchor>
        <details>
          <summary>{t.verdict.dataVersions}</summary>
          <span style={{ overflowWrap: 'anywhere' }}>{fill(t.verdict.dataVersion, { ...meta.data_version })}</span>
        </details>
      </Text>
    </>
  );
}
