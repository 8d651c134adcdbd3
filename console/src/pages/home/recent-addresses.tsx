import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useLocale } from '../../locale.tsx';
import { forgetRecent, recentAddresses } from './keep-recent.ts';

/** Addresses that were looked up in this browser, newest first; nothing where there are none. They are sent nowhere. */
export function RecentAddresses() {
  const { t, to } = useLocale();
  const [addresses, setAddresses] = useState(recentAddresses);
  if (addresses.length === 0) return null;
  const forget = (): void => {
    forgetRecent();
    setAddresses([]);
  };
  return (
    <Group component="section" gap="xs" mt="md" justify="center" aria-label={t.home.recent}>
      <Text size="sm" c="dimmed">
        {t.home.recent}
      </Text>
      {addresses.map((ip) => (
        <Anchor key={ip} size="sm" component={Link} href={to(`/ip/${encodeURIComponent(ip)}`)}>
          {ip}
        </Anchor>
      ))}
      <Button size="compact-xs" variant="subtle" onClick={forget}>
        {t.home.forget}
      </Button>
      <Text size="xs" c="dimmed">
        {t.home.recentHint}
      </Text>
    </Group>
  );
}
