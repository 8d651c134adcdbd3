import { Alert, Badge, Button, Group, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import type { Evidence, PulseIPRisk } from '../../../../src/contract/risk.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { bandExits } from '../../curve/decay-curve.ts';
import { observationsOf } from '../../curve/observations-of.ts';
import { formatInstant, formatNumber } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { stateColour } from '../../verdict/level-colour.ts';
import { ScoreDial } from '../../verdict/score-dial.tsx';
import { SignalList } from '../../verdict/signal-list.tsx';
import verdictClasses from '../../verdict/verdict-card.module.css';
import classes from './console.module.css';
import { Timeline } from './timeline.tsx';

const CurveChart = lazy(async () => ({ default: (await import('../../curve/curve-chart.tsx')).CurveChart }));

/** The professional view: evidence rows with times, sharing tier with advice, the past by time slider, the future as a curve. */
export function EvidencePage({ account, ip }: { readonly account: ConsoleAccount; readonly ip?: string }) {
  const c = useConsole();
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState(ip ?? '');
  const [at, setAt] = useState<string>();
  const professional = account.data_tier === 'professional';
  const path = ip === undefined || !professional ? undefined : `/pulse/${encodeURIComponent(ip)}${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`;
  const { data, problem, reload } = useLoad<PulseIPRisk>(path);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAt(undefined);
    if (typed.trim() === ip) reload();
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
              spellCheck={false}
            />
            <Button type="submit">{t.home.submit}</Button>
          </Group>
        </form>
      )}
      <ProblemAlert problem={problem} />
      {path !== undefined && data === undefined && problem === undefined && <Skeleton height={320} radius="lg" />}
      {data !== undefined && problem === undefined && <Answer document={data} at={at} onAt={setAt} />}
    </Stack>
  );
}

interface AnswerProps {
  readonly document: PulseIPRisk;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}

function Answer({ document: verdict, at, onAt }: AnswerProps) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { risk, evidence_state: state } = verdict;
  const family = verdict.ip.includes(':') ? 6 : 4;
  const observations = observationsOf(verdict);
  const from = Date.parse(verdict.computed_at);
  return (
    <Stack gap="lg">
      <section className={verdictClasses.card}>
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
              {at === undefined ? c.evidence.now : c.evidence.at}: {formatInstant(tag, new Date(from))}
            </Text>
            <div>
              <Text fw={600}>{c.evidence.tiers[verdict.share_tier].name}</Text>
              <Text size="sm">{c.evidence.tiers[verdict.share_tier].advice}</Text>
            </div>
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
        <EvidenceTable rows={verdict.evidence} />
        {verdict.resource_pools !== undefined && (
          <Text size="sm" mt="md">
            {c.evidence.pools}: {verdict.resource_pools.map((pool) => `${pool} `)}
            <Text span c="dimmed">
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
      {family === 4 ? <Timeline ip={verdict.ip} at={at} onAt={onAt} /> : <Text c="dimmed">{c.evidence.noHistory6}</Text>}
      {observations !== undefined && state === 'active' && (
        <section className={classes.card}>
          <Title order={2} size="h4" mb="sm">
            {c.evidence.future}
          </Title>
          <ul className={verdictClasses.limits}>
            {bandExits(observations, family, from).map((exit) => (
              <li key={exit.below}>
                {c.evidence.exits[exit.below]}: {formatInstant(tag, exit.at)}
              </li>
            ))}
          </ul>
          <Suspense fallback={<Skeleton height={220} />}>
            <CurveChart observations={observations} family={family} from={from} label={c.evidence.future} scoreLabel={c.evidence.score} />
          </Suspense>
        </section>
      )}
    </Stack>
  );
}

function EvidenceTable({ rows }: { readonly rows: readonly Evidence[] }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  if (rows.length === 0) return <Text c="dimmed">{c.evidence.none}</Text>;
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <Table aria-label={c.evidence.rows}>
        <Table.Thead>
          <Table.Tr>
            {Object.entries(c.evidence.columns).map(([id, name]) => (
              <Table.Th key={id}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.risk_type}>
              <Table.Td>
                {row.risk_type in t.verdict.signal ? t.verdict.signal[row.risk_type as keyof typeof t.verdict.signal].name : <code>{row.risk_type}</code>}
              </Table.Td>
              <Table.Td>{c.evidence.freshness[row.freshness]}</Table.Td>
              <Table.Td>{row.captured_at === undefined ? '—' : formatInstant(tag, new Date(row.captured_at))}</Table.Td>
              <Table.Td>{row.age_min === undefined ? '—' : fill(c.evidence.minutes, { n: formatNumber(tag, Math.round(row.age_min)) })}</Table.Td>
              <Table.Td>{row.obs_days}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
