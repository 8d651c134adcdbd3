import { Anchor, Container, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../../components/code-block.tsx';
import { useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { usePageTitle } from '../../use-document-head.ts';
import { INTEGRATIONS, type Integration } from './integrations.ts';

const GROUPS = ['proxies', 'firewalls', 'events', 'agents'] as const;

/** The chosen program's lines, with the address of this installation. The fragment of the URL names it. */
export function IntegrationsPage() {
  const { integrations: w } = useDocs();
  usePageTitle(w.title);
  const [id, setId] = useState(location.hash.slice(1));
  const chosen = INTEGRATIONS.find((one) => one.id === id) ?? INTEGRATIONS[0]!;
  return (
    <Container size="md">
      <Stack gap="lg">
        <div>
          <Title order={1}>{w.title}</Title>
          <Text c="dimmed">{w.lead}</Text>
        </div>
        <NativeSelect
          label={w.choose}
          value={chosen.id}
          onChange={(event) => {
            setId(event.currentTarget.value);
            history.replaceState(history.state, '', `#${event.currentTarget.value}`);
          }}
          data={GROUPS.map((group) => ({
            group: w.groups[group],
            items: INTEGRATIONS.filter((one) => one.group === group).map((one) => ({ value: one.id, label: one.name })),
          }))}
        />
        <Lines of={chosen} />
      </Stack>
    </Container>
  );
}

/** Flags of the command that makes the key. */
const FLAGS: Readonly<Record<Exclude<Integration['key'], 'none'>, string>> = {
  lookup: '',
  bouncer: ' --bouncer --single-addresses',
  sender: ' --send-only --source fail2ban',
};

function Lines({ of: { id, name, key, place, lines, doc } }: { readonly of: Integration }) {
  const { integrations: w } = useDocs();
  const { to } = useLocale();
  const code = lines(location.origin);
  return (
    <Stack gap="md" data-integration={id}>
      {key !== 'none' && (
        <>
          <Text>
            {w.key[key]}{' '}
            <Anchor component={Link} href={to('/console/keys')} underline="always">
              {w.keyLink}
            </Anchor>
          </Text>
          <CodeBlock label={w.operator} code={`npx pulse key create --account acc_… --name ${id}${FLAGS[key]}`} />
        </>
      )}
      {code.includes('/lists/') && <CodeBlock label={w.list} code="npx pulse list save high --min-score 70" />}
      {code.includes('/v1/decide') && <Text>{w.trusted}</Text>}
      <CodeBlock label={`${name}: ${place}`} code={code} />
      <div>
        <Anchor component={Link} href={to(doc)} underline="always">
          {w.more}
        </Anchor>
      </div>
    </Stack>
  );
}
