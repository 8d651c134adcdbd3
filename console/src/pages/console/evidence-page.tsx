import { Alert, Badge, Button, Group, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import { type Evidence, OWN_RISK_TYPES, type PulseIPRisk } from '../../../../src/contract/risk.ts';
import type { KnownGoodReason, OwnRow, Timeline } from '../../../../src/contract/timeline.ts';
import { useSession } from '../../api/session.tsx';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { formatAge, formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { usePageTitle } from '../../use-document-head.ts';
import { stateColour } from '../../verdict/level-colour.ts';
import { ScoreDial } from '../../verdict/score-dial.tsx';
import { SignalList } from '../../verdict/signal-list.tsx';
import verdictClasses from '../../verdict/verdict-card.module.css';
import classes from './console.module.css';
import { EvidenceTimeline } from './evidence-timeline.tsx';

/** The professional view: evidence rows with times, sharing tier with advice, the past by time slider, the future as a curve. */
export function EvidencePage({ account, ip }: { readonly account: ConsoleAccount; readonly ip?: string }) {
  const c = useConsole();
  usePageTitle(ip === undefined ? c.evidence.title : `${ip} · ${c.evidence.title}`);
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState(ip ?? '');
  const [round, setRound] = useState(0);
  const professional = account.data_tier === 'professional';

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.trim() === ip) setRound(round + 1);
    else if (typed.trim() !== '') navigate(to(`/console/evidence/${encodeURIComponent(typed.trim())}`));
  };

  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {c.evidence.title}
        </Title>
        <Text c="dimmed">{c.evidence.lead}</Text>
      </div>
      {!professional && <Alert>{c.evidence.professionalOnly}</Alert>}
      {professional && (
        <form onSubmit={submit}>
          <Group wrap="nowrap" align="flex-end">
            <TextInput
              flex={1}
              label={t.home.label}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              name="ip"
            />
            <Button type="submit">{t.home.submit}</Button>
          </Group>
        </form>
      )}
      {professional && ip !== undefined && <Address key={`${ip} ${round}`} ip={ip} />}
    </Stack>
  );
}

/** One address: its verdict now or at the moment chosen below. */
function Address({ ip }: { readonly ip: string }) {
  const [at, setAt] = useState<string>();
  const path = `/pulse/${encodeURIComponent(ip)}`;
  const course = useLoad<Timeline>(`${path}/timeline`);
  // Without its history the answer of now still stands.
  const alone = useLoad<PulseIPRisk>(course.problem?.code === 'history_unavailable' ? path : undefined);
  const past = useLoad<PulseIPRisk>(at === undefined ? undefined : `${path}?at=${encodeURIComponent(at)}`);
  const now = course.data?.answer ?? alone.data;
  const shown = at === undefined ? now : (past.data ?? now);
  const problem = course.problem ?? alone.problem ?? (at === undefined ? undefined : past.problem);
  return (
    <Stack gap="lg" aria-live="polite">
      <ProblemAlert problem={problem} />
      {shown === undefined && problem === undefined && <Skeleton height={320} radius="lg" />}
      {shown !== undefined && <Answer document={shown} timeline={course.data} at={past.data === undefined ? undefined : at} onAt={setAt} />}
    </Stack>
  );
}

interface AnswerProps {
  readonly document: PulseIPRisk;
  readonly timeline: Timeline | undefined;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}

function Answer({ document: verdict, timeline, at, onAt }: AnswerProps) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { risk, evidence_state: state } = verdict;
  const from = Date.parse(verdict.computed_at);
  return (
    <Stack gap="lg">
      <section className={verdictClasses.card} data-testid="evidence-answer">
        <div className={verdictClasses.summary}>
          <ScoreDial score={risk.score} level={risk.level} state={state} levelName={t.verdict.level[risk.level]} label={t.verdict.score} />
          <Stack gap={8} className={verdictClasses.words ?? ''}>
            <Group gap="sm">
              <Badge color={stateColour(state, risk.level)} variant={state === 'active' ? 'filled' : 'outline'} size="lg" radius="sm" tt="none" autoContrast>
                {t.verdict.state[state].name}
              </Badge>
              {at !== undefined && (
                <Button size="compact-sm" variant="default" onClick={() => onAt(undefined)}>
                  {c.evidence.back}
                </Button>
              )}
            </Group>
            <Title order={2} className={verdictClasses.ip ?? ''}>
              {verdict.ip}
            </Title>
            <Text size="sm" c="dimmed">
              {fill(t.site.labelled, { label: at === undefined ? c.evidence.now : c.evidence.at, value: formatInstant(tag, new Date(from)) })}
            </Text>
            <div>
              <Text fw={600}>{c.evidence.tiers[verdict.share_tier].name}</Text>
              <Text size="sm">{c.evidence.tiers[verdict.share_tier].advice}</Text>
            </div>
            {at === undefined && timeline?.known_good !== undefined && <KnownGood reason={timeline.known_good} />}
          </Stack>
        </div>
      </section>
      <section className={classes.card}>
        <Title order={2} size="h4" mb="sm">
          {c.evidence.rows}
        </Title>
        {verdict.professional_degraded !== undefined && (
          <Alert mb="sm" color="yellow">
            {c.evidence.dpa}
          </Alert>
        )}
        <EvidenceTable rows={verdict.evidence} own={at === undefined ? timeline?.own : undefined} />
        {verdict.resource_pools !== undefined && (
          <Text size="sm" mt="md">
            {fill(t.site.labelled, { label: c.evidence.pools, value: verdict.resource_pools.join(' ') })}
            <Text size="xs" c="dimmed">
              {c.evidence.poolsHint}
            </Text>
          </Text>
        )}
      </section>
      <section className={classes.card}>
        <Title order={2} size="h4" mb="sm">
          {t.verdict.signals}
        </Title>
        <SignalList signals={risk.signals ?? []} />
      </section>
      {timeline !== undefined && (
        <EvidenceTimeline ip={verdict.ip} timeline={timeline} withheld={verdict.professional_degraded !== undefined} at={at} onAt={onAt} />
      )}
    </Stack>
  );
}

/** Why lists alone do not raise the score of this address. */
function KnownGood({ reason }: { readonly reason: KnownGoodReason }) {
  const c = useConsole();
  return (
    <div data-testid="known-good">
      <Text fw={600}>{fill(c.evidence.knownGood, { what: reason.what })}</Text>
      <Text size="sm">{c.evidence.knownGoodMeaning}</Text>
      <Text size="xs" c="dimmed">
        {fill(c.evidence.knownGoodSource, { source: reason.source, seen: reason.seen })}
      </Text>
    </div>
  );
}

const OWN_TYPES: readonly string[] = OWN_RISK_TYPES;

/** What of own collection stands behind a row, for operators. Of a past moment only what the kind itself says is known. */
function OwnLine({ type, own }: { readonly type: string; readonly own: readonly OwnRow[] | undefined }) {
  const c = useConsole();
  const { account } = useSession();
  const known = own?.find((row) => row.risk_type === type)?.by;
  const by = known ?? (account?.operator === true && OWN_TYPES.includes(type) ? (['sensors'] as const) : []);
  return by.map((witness) => (
    <Text key={witness} size="xs" data-testid="own-witness">
      {c.evidence.own[witness]}
    </Text>
  ));
}

function EvidenceTable({ rows, own }: { readonly rows: readonly Evidence[]; readonly own: readonly OwnRow[] | undefined }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { columns } = c.evidence;
  return (
    <TableCard framed={false} label={c.evidence.rows} columns={Object.values(columns)} empty={rows.length === 0 ? c.evidence.none : undefined}>
      {rows.map((row) => (
        <Table.Tr key={row.risk_type}>
          <Cell of={columns.type}>
            {row.risk_type in c.evidence.types
              ? c.evidence.types[row.risk_type as keyof typeof c.evidence.types]
              : t.verdict.signal[row.risk_type as keyof typeof t.verdict.signal].name}
            <Text size="xs" c="dimmed" ff="monospace">
              {row.risk_type}
            </Text>
            <OwnLine type={row.risk_type} own={own} />
          </Cell>
          <Cell of={columns.freshness} whole>
            {c.evidence.freshness[row.freshness]}
          </Cell>
          <Cell of={columns.captured} whole>
            {row.captured_at === undefined ? '—' : formatInstant(tag, new Date(row.captured_at))}
          </Cell>
          <Cell of={columns.age} whole>
            {row.age_min === undefined ? '—' : formatAge(tag, row.age_min)}
          </Cell>
          <Cell of={columns.days}>{row.obs_days}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}
