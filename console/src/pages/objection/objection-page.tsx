import { Anchor, Container, List, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { RISK_TYPES, type RiskType } from '../../../../src/contract/risk.ts';
import { SCORE_PARAMETERS } from '../../../../src/core/risk/parameters.ts';
import { DAY_MS } from '../../../../src/core/units.ts';
import { clientAddress } from '../../api/client-address.ts';
import { FactList } from '../../components/fact-list.tsx';
import { formatDays } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { usePageTitle } from '../../use-document-head.ts';

/** The operator's contact: a mail address or an https URL; undefined without one. */
const contact = document.querySelector<HTMLMetaElement>('meta[name="contact"]')?.content;

/** Tells people whom a verdict concerns its meaning, how long evidence counts, how to object and to whom. */
export function ObjectionPage() {
  const { objection } = useDocs();
  const { to, space } = useLocale();
  usePageTitle(objection.title);
  const { meaning, lasting, how } = objection;
  return (
    <Container size="sm">
      <Stack gap="lg">
        <Title order={1}>{objection.title}</Title>
        <Part title={meaning.title}>
          <Text>{meaning.evidence}</Text>
          <Text>{meaning.shared}</Text>
          <Text>{meaning.decisions}</Text>
        </Part>
        <Part title={lasting.title}>
          <Text>{lasting.text}</Text>
          <Windows />
        </Part>
        <Part title={how.title}>
          <List type="ordered" spacing="xs">
            <List.Item>{how.cause}</List.Item>
            <List.Item>
              {how.list}
              {space}
              <Anchor component={Link} href={to('/status')} underline="always">
                {how.listLink}
              </Anchor>
            </List.Item>
            <List.Item>{how.write}</List.Item>
          </List>
        </Part>
        <Part title={objection.contact.title}>
          <Contact />
        </Part>
      </Stack>
    </Container>
  );
}

/** Shows how many days evidence of each kind counts, from the table that the score is computed with. */
function Windows() {
  const { tag } = useLocale();
  const nameOf = useKindName();
  const daysOf = (type: RiskType): string => {
    const { windowMs, persistence } = SCORE_PARAMETERS.types[type];
    return formatDays(tag, windowMs / DAY_MS, (windowMs * (1 + persistence)) / DAY_MS);
  };
  return <FactList facts={RISK_TYPES.map((type) => [nameOf(type), daysOf(type)] as const)} />;
}

function Contact() {
  const { contact: words } = useDocs().objection;
  if (contact === undefined) return <Text data-contact="none">{words.none}</Text>;
  const subject = fill(words.subject, { ip: clientAddress ?? words.yourAddress });
  const href = contact.startsWith('https://') ? contact : `mailto:${contact}?subject=${encodeURIComponent(subject)}`;
  return (
    <Anchor href={href} rel="noreferrer" underline="always" style={{ overflowWrap: 'anywhere' }} data-contact="named">
      {contact}
    </Anchor>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}
