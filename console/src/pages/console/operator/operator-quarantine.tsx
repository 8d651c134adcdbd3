import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type {
  ConsoleAccepted,
  ConsoleFeed,
  ConsoleQuarantine,
  QuarantinedSpace,
} from '../../../../../src/contract/console.ts';
import { ApiProblem, call } from '../../../api/call.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { FactList } from '../../../components/fact-list.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import classes from '../console.module.css';

interface Props {
  readonly feeds: readonly ConsoleFeed[];
  /** Called when a reading was accepted, or is not the one in quarantine any more. */
  readonly onChanged: () => void;
}

interface Note {
  readonly color: 'teal' | 'yellow';
  readonly text: string;
}

/** Tasks of the operator: each reading outside its bounds with its reason, its figures and a button. Empty: nothing is shown. */
export function OperatorQuarantine({ feeds, onChanged }: Props) {
  const { operator } = useConsole();
  const texts = operator.quarantine;
  const { tag } = useLocale();
  const [note, setNote] = useState<Note>();
  const waiting = feeds.flatMap(({ id, title, quarantine }) =>
    quarantine === undefined ? [] : [{ id, title, reading: quarantine }],
  );
  const settled = (title: string, accepted: ConsoleAccepted | undefined): void => {
    if (accepted === undefined) setNote({ color: 'yellow', text: fill(texts.gone, { title }) });
    else setNote({ color: 'teal', text: fill(texts.accepted, { title, rows: formatNumber(tag, accepted.rows) }) });
    onChanged();
  };
  return (
    <>
      {note !== undefined && (
        <Alert color={note.color} role="status">
          {note.text}
        </Alert>
      )}
      {waiting.length > 0 && (
        <Stack component="section" gap="sm">
          <Title order={2} size="h4">
            {fill(texts.title, { n: waiting.length })}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.lead}
          </Text>
          {waiting.map((one) => (
            <Waiting
              key={`${one.id} ${one.reading.digest}`}
              {...one}
              onSettled={(accepted) => settled(one.title, accepted)}
            />
          ))}
        </Stack>
      )}
    </>
  );
}

interface WaitingProps {
  readonly id: string;
  readonly title: string;
  readonly reading: ConsoleQuarantine;
  /** Undefined: the reading is not in quarantine any more. */
  readonly onSettled: (accepted: ConsoleAccepted | undefined) => void;
}

/** @returns undefined when another reading is there by now, or none @throws ApiProblem for any other refusal */
async function accept(id: string, digest: string): Promise<ConsoleAccepted | undefined> {
  try {
    return await call<ConsoleAccepted>('POST', `/operator/feeds/${encodeURIComponent(id)}/accept`, { digest });
  } catch (error) {
    if (error instanceof ApiProblem && (error.code === 'bad_request' || error.code === 'not_found')) return undefined;
    throw error;
  }
}

function Waiting({ id, title, reading, onSettled }: WaitingProps) {
  const { operator } = useConsole();
  const texts = operator.quarantine;
  const { locale, tag } = useLocale();
  const [asking, setAsking] = useState(false);
  const facts = useFacts(reading);
  const reason = reading.reason[locale];
  const { busy, problem, onSubmit } = useSubmit(async () => {
    try {
      onSettled(await accept(id, reading.digest));
    } finally {
      setAsking(false);
    }
  });
  const asked = {
    rows: formatNumber(tag, reading.rows),
    time: formatInstant(tag, new Date(reading.run_at)),
    reason,
  };
  return (
    <article className="card" data-quarantine={id}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
        <Text fw={600}>{title}</Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => setAsking(true)}
          aria-label={`${texts.accept} ${title}`}
        >
          {texts.accept}
        </Button>
      </Group>
      <Text size="sm" mb="sm" className={classes.fault ?? ''}>
        {reason}
      </Text>
      <FactList facts={facts} />
      <ProblemAlert problem={problem} />
      <ConfirmDialog
        opened={asking}
        title={fill(texts.confirmTitle, { title })}
        text={fill(texts.confirmText, asked)}
        action={texts.confirm}
        busy={busy}
        onConfirm={() => onSubmit()}
        onClose={() => setAsking(false)}
      />
    </article>
  );
}

/** Names and values, in the order they are judged by. */
function useFacts(reading: ConsoleQuarantine): readonly (readonly [name: string, value: string])[] {
  const { operator } = useConsole();
  const { t, tag } = useLocale();
  const texts = operator.quarantine;
  const number = (value: number): string => formatNumber(tag, value);
  const instant = (at: string): string => formatInstant(tag, new Date(at));
  const space = ({ covered, growth, widest, narrowest }: QuarantinedSpace): string =>
    fill(t.site.aside, {
      text:
        growth === undefined
          ? number(covered)
          : fill(texts.growth, { covered: number(covered), times: number(growth) }),
      aside: widest === narrowest ? fill(texts.prefix, { bits: widest }) : fill(texts.prefixes, { widest, narrowest }),
    });
  const { rows, asns, pools, ipv4, ipv6, replaced } = reading;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [texts.rows, number(rows)],
    [texts.asns, asns === undefined ? undefined : number(asns)],
    [texts.ipv4, ipv4 && space(ipv4)],
    [texts.ipv6, ipv6 && space(ipv6)],
    [texts.pools, pools === 0 ? undefined : number(pools)],
    [texts.runAt, instant(reading.run_at)],
    [texts.refusedAt, instant(reading.refused_at)],
    [texts.lastReadAt, reading.last_read_at === reading.refused_at ? undefined : instant(reading.last_read_at)],
    [texts.replaced, replaced === 0 ? undefined : number(replaced)],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
