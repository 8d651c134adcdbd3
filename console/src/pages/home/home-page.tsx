import { Alert, Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { parseRfc3339 } from '../../../../src/core/evidence/parse-rfc3339.ts';
import { servedFacts } from '../../api/served-facts.ts';
import { useSession } from '../../api/session.tsx';
import { ButtonLink } from '../../components/shell.tsx';
import { formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { atMoment, useMoment } from '../../use-moment.ts';
import { ProblemCard } from '../../verdict/problem-card.tsx';
import { VerdictCard } from '../../verdict/verdict-card.tsx';
import { VerdictSkeleton } from '../../verdict/verdict-skeleton.tsx';
import { AllowanceLine } from './allowance-line.tsx';
import { Doors, HighExample } from './doors.tsx';
import classes from './home-page.module.css';
import { keepRecent } from './keep-recent.ts';
import { LookupForm } from './lookup-form.tsx';
import { RecentAddresses } from './recent-addresses.tsx';
import { useLookup } from './use-lookup.ts';

/** Says why a link to a past moment shows no verdict: the one of now in its place would mislead. */
function PastMoment({
  at,
  signedIn,
  onNow,
}: {
  readonly at: string;
  readonly signedIn: boolean;
  readonly onNow: () => void;
}) {
  const { t, tag, to } = useLocale();
  const moment = parseRfc3339(at);
  const valid = moment !== undefined;
  const words = valid ? t.home.past : t.home.invalidMoment;
  return (
    <Alert
      variant="default"
      title={words.title}
      radius="lg"
      role="alert"
      data-code={valid ? 'history_requires_professional' : 'invalid_time'}
    >
      <Stack align="flex-start" gap="sm">
        <Text>{fill(words.text, { at, when: valid ? formatInstant(tag, new Date(moment)) : '' })}</Text>
        <Group gap="sm">
          {valid && !signedIn && (
            <ButtonLink
              href={`${to('/console/sign-in')}?next=${encodeURIComponent(location.pathname + location.search)}`}
            >
              {t.site.nav.signIn}
            </ButtonLink>
          )}
          <Button variant="default" onClick={onNow}>
            {t.home.lookUpNow}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The start page, and the shareable page of one address: the same form, with or without an answer below it. */
export function HomePage({ ip, isNotPublic = false }: { readonly ip?: string; readonly isNotPublic?: boolean }) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const asked = useHistoryState<{ readonly asked?: boolean } | null>()?.asked === true;
  const { account } = useSession();
  const [at, askAt] = useMoment();
  const past = ip !== undefined && at !== undefined;
  const { outcome, pending, again } = useLookup(past ? undefined : ip);

  const judged = outcome?.kind === 'verdict' ? outcome.document.ip : undefined;
  useEffect(() => {
    if (judged !== undefined) keepRecent(judged);
  }, [judged]);

  // A past moment is answered with its evidence, where it may be asked about at all.
  const professional = account?.data_tier === 'professional';
  useEffect(() => {
    if (past && professional)
      navigate(atMoment(to(`/console/evidence/${encodeURIComponent(ip)}`), at), { replace: true });
  }, [past, professional, ip, at, navigate, to]);

  const submit = (value: string): void => {
    navigate(to(`/ip/${encodeURIComponent(value)}`), { state: { asked: true }, replace: value === ip && !past });
    if (value === ip && !past) again();
  };

  useEffect(() => {
    document.title = ip === undefined ? t.site.title : `${ip} · ${t.site.name}`;
  }, [ip, t]);

  return (
    <Container size="lg">
      <Stack gap="xl">
        <div className={classes.hero} data-compact={ip !== undefined}>
          <Title order={1} className={classes.title ?? ''}>
            {t.site.tagline}
          </Title>
          {ip === undefined && <Text className={classes.lead ?? ''}>{t.home.lead}</Text>}
          <LookupForm initial={ip ?? ''} pending={pending} onSubmit={submit} />
          {ip === undefined && <RecentAddresses />}
          {ip === undefined && <HighExample />}
          {isNotPublic && (
            <Alert mt="md" ta="start" data-testid="not-public">
              {t.home.notPublic}
            </Alert>
          )}
          {ip === undefined && servedFacts.isUnread && (
            <Alert color="yellow" mt="md" ta="start" data-testid="unread">
              {t.home.unread} <code>npm start -- --demo</code>
            </Alert>
          )}
          <AllowanceLine
            allowance={outcome === undefined || outcome.kind === 'offline' ? undefined : outcome.allowance}
          />
        </div>
        <div aria-live="polite" aria-busy={pending}>
          {past && account !== undefined && !professional && (
            <PastMoment at={at} signedIn={account !== null} onNow={() => askAt(undefined)} />
          )}
          {(pending || (past && (account === undefined || professional))) && <VerdictSkeleton />}
          {!pending && outcome?.kind === 'verdict' && (
            <VerdictCard document={outcome.document} text={outcome.text} takeFocus={asked} />
          )}
          {!pending && outcome !== undefined && outcome.kind !== 'verdict' && (
            <ProblemCard outcome={outcome} onRetry={again} />
          )}
        </div>
        {ip === undefined && <Doors />}
      </Stack>
    </Container>
  );
}
