import { Alert, Badge, Box, Button, Group, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount } from '../../../../../src/contract/console.ts';
import type { Evidence, Explanation } from '../../../../../src/contract/documents.ts';
import type { ExplainedVerdict, Timeline } from '../../../../../src/contract/timeline.ts';
import { useLoad } from '../../../api/use-load.ts';
import { AddressForm } from '../../../components/address-form.tsx';
import { Card } from '../../../components/card.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatAge, formatInstant } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { useKindName } from '../../../messages/use-kind-name.ts';
import { useSourceText } from '../../../messages/use-source-texts.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { atMoment, useMoment } from '../../../use-moment.ts';
import { AddressCase, AddressOrder } from '../../../verdict/address-case.tsx';
import { stateColour } from '../../../verdict/level-colour.ts';
import { NetworkFactsList } from '../../../verdict/network-facts-list.tsx';
import { PlaceFactsList } from '../../../verdict/place-facts-list.tsx';
import { ScoreBar } from '../../../verdict/score-bar.tsx';
import { ScoreDial } from '../../../verdict/score-dial.tsx';
import { scoreParts } from '../../../verdict/score-parts.ts';
import { SignalList } from '../../../verdict/signal-list.tsx';
import verdictClasses from '../../../verdict/verdict-card.module.css';
import { WrongVerdict } from '../../../verdict/wrong-verdict.tsx';
import { GrantedBy } from '../granted-by.tsx';
import { EvidenceTimeline } from './evidence-timeline.tsx';

/** The professional view: evidence rows with times, sharing tier with advice, the past by time slider, the future as a curve. */
export function EvidencePage({ account, ip }: { readonly account: ConsoleAccount; readonly ip?: string }) {
  const c = useConsole();
  usePageTitle(ip === undefined ? c.evidence.title : `${ip} · ${c.evidence.title}`);
  const { to } = useLocale();
  const [, navigate] = useLocation();
  const [round, setRound] = useState(0);
  const [at] = useMoment();
  const professional = account.data_tier === 'professional';

  const ask = (asked: string): void => {
    if (asked === ip && at === undefined) setRound(round + 1);
    else navigate(to(`/console/evidence/${encodeURIComponent(asked)}`));
  };

  return (
    <Page title={c.evidence.title} lead={c.evidence.lead}>
      {!professional && (
        <Alert>
          {c.evidence.professionalOnly} <GrantedBy account={account} />
        </Alert>
      )}
      {professional && <AddressForm initial={ip ?? ''} onSubmit={ask} />}
      {professional && ip !== undefined && <Address key={`${ip} ${round}`} ip={ip} />}
    </Page>
  );
}

/** One address: its verdict now, or at the moment that the page's address names. */
function Address({ ip }: { readonly ip: string }) {
  const [at, setAt] = useMoment();
  const path = `/pulse/${encodeURIComponent(ip)}`;
  const course = useLoad<Timeline>(`${path}/timeline`);
  // Without its history the answer of now still stands.
  const alone = useLoad<ExplainedVerdict>(course.problem?.code === 'history_unavailable' ? path : undefined);
  const now = course.data ?? alone.data;
  const problem = course.problem ?? alone.problem;
  // A moment to come that the slider stands on: the parts of the score fall with it.
  const [ahead, setAhead] = useState<number>();
  const timeline = course.data !== undefined && (at === undefined || !ip.includes(':')) && (
    <EvidenceTimeline timeline={course.data} at={at} onAt={setAt} onAhead={setAhead} />
  );
  return (
    <Stack gap="lg" aria-live="polite">
      <ProblemAlert problem={problem} />
      {at === undefined && now === undefined && problem === undefined && <Skeleton height={320} radius="lg" />}
      {at === undefined && now !== undefined && (
        <Answer verdict={now} shownAt={ahead}>
          {timeline}
        </Answer>
      )}
      {at !== undefined && (
        <Past key={at} path={path} at={at} onNow={() => setAt(undefined)}>
          {timeline}
        </Past>
      )}
    </Stack>
  );
}

/** The verdict of a past moment, or why there is none: never the one of now in its place. */
function Past({
  path,
  at,
  onNow,
  children,
}: {
  readonly path: string;
  readonly at: string;
  readonly onNow: () => void;
  readonly children: ReactNode;
}) {
  const c = useConsole();
  const { tag } = useLocale();
  const { data, problem } = useLoad<ExplainedVerdict>(atMoment(path, at));
  const from = problem?.extras.window_from;
  const words: Readonly<Record<string, string>> =
    from === undefined
      ? {}
      : { at_out_of_window: fill(c.evidence.tooEarly, { when: formatInstant(tag, new Date(from)) }) };
  const back = (
    <Button size="compact-sm" variant="default" onClick={onNow}>
      {c.evidence.back}
    </Button>
  );
  if (data !== undefined)
    return (
      <Answer verdict={data} back={back}>
        {children}
      </Answer>
    );
  return (
    <>
      {problem === undefined ? (
        <Skeleton height={320} radius="lg" />
      ) : (
        <Stack gap="sm" align="flex-start">
          <ProblemAlert problem={problem} words={words} />
          {back}
        </Stack>
      )}
      {children}
    </>
  );
}

interface AnswerProps {
  readonly verdict: ExplainedVerdict;
  /** A moment to come for which the parts of the score are shown, Unix ms. */
  readonly shownAt?: number | undefined;
  /** The way back to now, from a past moment. */
  readonly back?: ReactNode;
  /** The course of the score. */
  readonly children: ReactNode;
}

function Answer({ verdict: { answer: verdict, explanation }, shownAt, back, children }: AnswerProps) {
  const c = useConsole();
  const { t, tag, to } = useLocale();
  const { risk, evidence_state: state } = verdict;
  const isCorrected = verdict.meta.override === true;
  const when = formatInstant(tag, new Date(verdict.computed_at));
  const isPast = back !== undefined;
  // Signals, network and place of a past verdict are those of now.
  const ofToday = isPast ? { hint: c.evidence.today } : {};
  const link = new URL(
    atMoment(to(`/console/evidence/${encodeURIComponent(verdict.ip)}`), verdict.computed_at),
    location.origin,
  ).href;
  return (
    <Stack gap="lg">
      <section className="card" data-testid="evidence-answer">
        <div className={verdictClasses.summary}>
          <ScoreDial score={risk.score} level={risk.level} state={state} />
          <Stack gap={8} className={verdictClasses.words ?? ''}>
            <Group gap="sm">
              <Badge
                color={stateColour(state, risk.level)}
                variant={state === 'active' ? 'filled' : 'outline'}
                size="lg"
                radius="sm"
                tt="none"
                autoContrast
              >
                {t.verdict.state[state].name}
              </Badge>
              <CopyButton text={link} label={c.evidence.copyMoment} />
              <AddressCase document={verdict} explanation={explanation} link={link} isPast={isPast === true} />
              {!isPast && <WrongVerdict ip={verdict.ip} score={risk.score} />}
              {back}
            </Group>
            <Title order={2} className={verdictClasses.ip ?? ''} style={{ '--characters': verdict.ip.length }}>
              {verdict.ip}
            </Title>
            {isPast ? (
              <Text size="xl" fw={650} lh={1.3} data-testid="as-of">
                {fill(c.evidence.asOf, { when })}
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                {fill(t.site.labelled, { label: c.evidence.now, value: when })}
              </Text>
            )}
            {isCorrected && <Corrected until={explanation.overridden?.until} />}
            <Text fw={600}>{c.evidence.tiers[verdict.share_tier]}</Text>
            <AddressOrder document={verdict} known={explanation} />
            {explanation.known_as !== undefined && <KnownGood reason={explanation.known_as} />}
          </Stack>
        </div>
      </section>
      {children}
      <Card title={c.evidence.rows}>
        {explanation.rows.length > 0 && (
          <Box mb="md">
            <ScoreBar explanation={explanation} at={shownAt ?? Date.parse(explanation.computed_at)} />
          </Box>
        )}
        {verdict.professional_degraded !== undefined && (
          <Alert mb="sm" color="yellow">
            {c.evidence.dpa}
          </Alert>
        )}
        <EvidenceTable rows={verdict.evidence} explanation={explanation} />
        <DerivedList explanation={explanation} />
        {verdict.resource_pools !== undefined && (
          <Text size="sm" mt="md">
            {fill(t.site.labelled, { label: c.evidence.pools, value: verdict.resource_pools.join(' ') })}
            <Text size="xs" c="dimmed">
              {c.evidence.poolsHint}
            </Text>
          </Text>
        )}
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <Card title={t.verdict.signals} {...ofToday}>
            <SignalList verdict={verdict} isPast={isPast} />
          </Card>
          <Card title={t.verdict.network} {...ofToday}>
            <NetworkFactsList network={verdict.network} ip={verdict.ip} />
          </Card>
        </Stack>
        <Card title={t.verdict.place} {...ofToday}>
          <PlaceFactsList geo={verdict.geo} />
        </Card>
      </SimpleGrid>
    </Stack>
  );
}

/** The score is the operator's word. */
function Corrected({ until }: { readonly until: string | undefined }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { headline, text } = t.verdict.corrected;
  return (
    <div data-testid="corrected">
      <Text fw={600}>
        {until === undefined
          ? headline
          : fill(c.evidence.correctedUntil, { when: formatInstant(tag, new Date(until)) })}
      </Text>
      <Text size="sm">{text}</Text>
    </div>
  );
}

/** Says why lists alone do not raise the score of this address. */
function KnownGood({ reason }: { readonly reason: NonNullable<Explanation['known_as']> }) {
  const c = useConsole();
  const { t } = useLocale();
  const textOf = useSourceText();
  return (
    <div data-testid="known-good">
      <Text fw={600}>
        {fill(reason.scanner ? t.verdict.known.scanner : t.verdict.known.service, { what: textOf(reason.what) })}
      </Text>
      <Text size="sm">{reason.scanner ? c.evidence.knownScannerMeaning : c.evidence.knownGoodMeaning}</Text>
      <Text size="xs" c="dimmed">
        {fill(c.evidence.knownGoodSource, { source: reason.source, seen: reason.seen })}
      </Text>
    </div>
  );
}

/** Says why there are rows that no source reported. */
function DerivedList({ explanation: { derived = [] } }: { readonly explanation: Explanation }) {
  const nameOf = useKindName();
  const { t } = useLocale();
  return derived.map(({ risk_type: type, prefix, reason }) => (
    <Text key={`${type} ${prefix}`} size="sm" mt="sm" data-testid="derived">
      {fill(t.site.labelled, { label: fill(t.site.aside, { text: nameOf(type), aside: prefix }), value: reason })}
    </Text>
  ));
}

function EvidenceTable({
  rows,
  explanation,
}: {
  readonly rows: readonly Evidence[];
  readonly explanation: Explanation;
}) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const nameOf = useKindName();
  const { columns } = c.evidence;
  const parts = scoreParts(explanation, Date.parse(explanation.computed_at));
  const pointsOf = (type: string): number => parts.find((part) => part.type === type)?.points ?? 0;
  const points = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  const seenBy = (type: string): readonly string[] => [
    ...new Set(explanation.rows.filter((row) => row.risk_type === type).flatMap((row) => row.seen_by ?? [])),
  ];
  return (
    <TableCard
      framed={false}
      label={c.evidence.rows}
      columns={Object.values(columns)}
      empty={rows.length === 0 ? c.evidence.none : undefined}
    >
      {rows.map((row) => (
        <Table.Tr key={row.risk_type}>
          <Cell of={columns.type}>
            {nameOf(row.risk_type)}
            <Text size="xs" c="dimmed" ff="monospace">
              {row.risk_type}
            </Text>
            {seenBy(row.risk_type).length > 0 && (
              <Text size="xs" data-testid="seen-by">
                {fill(t.site.labelled, { label: c.evidence.seenBy, value: seenBy(row.risk_type).join(', ') })}
              </Text>
            )}
          </Cell>
          <Cell of={columns.freshness} whole>
            {pointsOf(row.risk_type) === 0 ? c.evidence.over : c.evidence.freshness[row.freshness]}
          </Cell>
          <Cell of={columns.captured} whole>
            {row.captured_at === undefined ? '—' : formatInstant(tag, new Date(row.captured_at))}
          </Cell>
          <Cell of={columns.age} whole>
            {row.age_min === undefined ? '—' : formatAge(tag, row.age_min)}
          </Cell>
          <Cell of={columns.days}>{row.obs_days}</Cell>
          <Cell of={columns.points}>{points.format(pointsOf(row.risk_type))}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}
