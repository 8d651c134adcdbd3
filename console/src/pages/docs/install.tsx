import { Button, Group } from '@mantine/core';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { installLinks } from './install-links.ts';

/** One link a client that can be told to add this service. */
export function Install() {
  const { to } = useLocale();
  const { install } = useDocs();
  const links = installLinks(`${location.origin}${to('/mcp/account')}`, `${location.origin}/mcp`);
  return (
    <Group gap="xs" data-testid="install">
      {Object.entries(links).map(([client, href]) => (
        <Button key={client} component="a" href={href} variant="default" size="xs">
          {fill(install, { client })}
        </Button>
      ))}
    </Group>
  );
}
