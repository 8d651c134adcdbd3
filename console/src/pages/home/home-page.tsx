import { Container, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useLocale } from '../../locale.tsx';
import { ProblemCard } from '../../verdict/problem-card.tsx';
import { VerdictCard } from '../../verdict/verdict-card.tsx';
import { VerdictSkeleton } from '../../verdict/verdict-skeleton.tsx';
import { AllowanceLine } from './allowance-line.tsx';
import classes from './home-page.module.css';
import { LookupForm } from './lookup-form.tsx';
import { ScoreScale } from './score-scale.tsx';
import { useLookup } from './use-lookup.ts';

/** The start page, and the shareable page of one address: the same form, with or without an answer below it. */
export function HomePage({ ip }: { readonly ip?: string }) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const asked = useHistoryState<{ readonly asked?: boolean } | null>()?.asked === true;
  const { outcome, pending, again } = useLookup(ip);

  const submit = (value: string): void => {
    navigate(to(`/ip/${encodeURIComponent(value)}`), { state: { asked: true }, replace: value === ip });
    if (value === ip) again();
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
          <AllowanceLine allowance={outcome === undefined || outcome.kind === 'offline' ? undefined : outcome.allowance} />
        </div>
        <div aria-live="polite" aria-busy={pending}>
          {pending && <VerdictSkeleton />}
          {!pending && outcome?.kind === 'verdict' && <VerdictCard document={outcome.document} text={outcome.text} takeFocus={asked} />}
          {!pending && outcome !== undefined && outcome.kind !== 'verdict' && <ProblemCard outcome={outcome} onRetry={again} />}
        </div>
        {ip === undefined && <ScoreScale />}
        {ip === undefined && (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
            {Object.entries(t.home.points).map(([key, point]) => (
              <section key={key} className={classes.point}>
                <Title order={2} size="h4">
                  {point.title}
                </Title>
                <Text mt={6}>{point.text}</Text>
              </section>
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </Container>
  );
}
