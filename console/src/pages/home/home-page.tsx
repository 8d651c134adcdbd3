import { Alert, Container, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { servedFacts } from '../../api/served-facts.ts';
import { AllowanceLine } from '../../components/allowance-line.tsx';
import { useLocale } from '../../locale.tsx';
import { Doors, HighExample } from './doors.tsx';
import classes from './home-page.module.css';
import { LookupForm } from './lookup-form.tsx';
import { RecentAddresses } from './recent-addresses.tsx';

/** The start page: asks for an address. @param props.isNotPublic the visitor's own address was asked for, and is private */
export function HomePage({ isNotPublic = false }: { readonly isNotPublic?: boolean }) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  useEffect(() => {
    document.title = t.site.title;
  }, [t]);
  return (
    <Container size="lg">
      <Stack gap="xl">
        <div className={classes.hero}>
          <Title order={1} className={classes.title ?? ''}>
            {t.site.tagline}
          </Title>
          <Text className={classes.lead ?? ''}>{t.home.lead}</Text>
          <LookupForm onSubmit={(ip) => navigate(to(`/ip/${encodeURIComponent(ip)}`), { state: { asked: true } })} />
          <RecentAddresses />
          <HighExample />
          {isNotPublic && (
            <Alert mt="md" ta="start" data-testid="not-public">
              {t.home.notPublic}
            </Alert>
          )}
          {servedFacts.isUnread && (
            <Alert color="yellow" mt="md" ta="start" data-testid="unread">
              {t.home.unread} <code>npm start -- --demo</code>
            </Alert>
          )}
          <AllowanceLine allowance={undefined} />
        </div>
        <Doors />
      </Stack>
    </Container>
  );
}
