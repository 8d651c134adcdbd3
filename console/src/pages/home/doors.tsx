import { Anchor, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { servedFacts } from '../../api/served-facts.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { fill, useLocale } from '../../locale.tsx';
import classes from './home-page.module.css';

const DOORS = [
  ['list', '/console/bulk', 'npx pulse summarize access.log'],
  ['block', '/integrations', `curl -u pulse:pk_… -O ${location.origin}/lists/high.txt`],
  ['ask', '/docs/examples', `curl ${location.origin}/v1/ip/8.8.8.8`],
] as const;

const MORE = [
  ['phone', '/docs/phone'],
  ['sensor', '/docs/sensor'],
  ['history', '/docs/api'],
] as const;

/** The doors say what the service is for: each use has a line, a way and a command, and further uses stand below. */
export function Doors() {
  const { t, to } = useLocale();
  const { doors, more } = t.home;
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        {DOORS.map(([name, path, command]) => (
          <Stack key={name} component="section" className="card" gap="sm" justify="space-between">
            <div>
              <Title order={2} size="h4">
                <Anchor component={Link} href={to(path)} inherit>
                  {doors[name][0]}
                </Anchor>
              </Title>
              <Text mt={6}>{doors[name][1]}</Text>
            </div>
            <CodeBlock label={doors.command} code={command} />
          </Stack>
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {MORE.map(([name, path]) => (
          <Text key={name} size="sm">
            <Anchor component={Link} href={to(path)} inherit fw={600}>
              {more[name][0]}
            </Anchor>
            <br />
            {more[name][1]}
          </Text>
        ))}
      </SimpleGrid>
    </>
  );
}

/** An address whose score is high now, as an answer in small; nothing where there is none. */
export function HighExample() {
  const { t, to } = useLocale();
  const { highExample } = servedFacts;
  if (highExample === undefined) return null;
  const { ip, score, signals, shared_by: shared } = highExample;
  const kinds = shared ? [t.verdict.sharedBy[shared]] : signals.map((signal) => t.verdict.signal[signal].name);
  return (
    <Link href={to(`/ip/${encodeURIComponent(ip)}`)} className={`card ${classes.example}`} data-testid="example">
      <b>{score}</b>
      <span>
        {t.home.highExample}
        <Text ff="monospace" c="bright">
          {ip}
        </Text>
        <Text c="bright">
          {fill(t.home.exampleOf, { level: t.verdict.level.high, kinds: kinds.join(t.site.comma) })}
        </Text>
      </span>
    </Link>
  );
}
