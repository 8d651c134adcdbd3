import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { formatNumber } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import type { Findings } from './bulk-request.ts';
import type { BulkWords } from './bulk-source.tsx';
import type { Bulk } from './use-bulk.ts';

interface WorkProps {
  readonly bulk: Pick<Bulk<Findings, object>, 'state' | 'run' | 'stop' | 'clear' | 'forget'>;
  readonly words: BulkWords;
  /** The rest of the day and the limit of a minute; undefined while they are not known. */
  readonly allowance: { readonly remaining: number; readonly perMin: number } | undefined;
  /** Findings in the file. */
  readonly headline: string;
  /** Further findings. */
  readonly children?: ReactNode;
  /** Buttons for the answers. */
  readonly downloads: ReactNode;
}

/** Findings, cost and progress. */
export function BulkWork({ bulk, words, allowance, headline, children, downloads }: WorkProps) {
  const { tag } = useLocale();
  const { state, stop, clear, forget } = bulk;
  const { kept, phase, problem, left } = state;
  const n = (value: number): string => formatNumber(tag, value);
  return (
    <section className="card">
      <Stack gap="sm">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }} data-testid="bulk-found">
          {headline}
        </Text>
        {children}
        {kept > 0 && phase === 'found' && (
          <Group gap="sm">
            <Text data-testid="bulk-kept">{fill(words.kept, { n: n(kept) })}</Text>
            <Button size="compact-sm" variant="default" onClick={forget}>
              {words.forget}
            </Button>
          </Group>
        )}
        {state.unkept && <Text size="sm">{words.unkept}</Text>}
        {phase === 'running' ? (
          <Running state={state} words={words} />
        ) : (
          <Cost bulk={bulk} words={words} allowance={allowance} />
        )}
        {phase === 'ended' && (
          <Text role="status">{left === 0 ? words.done : fill(words.stopped, { left: n(left) })}</Text>
        )}
        <ProblemAlert problem={problem} />
        <Group gap="sm">
          {phase === 'running' && (
            <Button variant="default" onClick={stop}>
              {words.stop}
            </Button>
          )}
          {(phase === 'ended' || state.summary !== undefined) && downloads}
          {phase !== 'running' && (
            <Button variant="default" onClick={clear}>
              {words.another}
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  );
}

const secondsTo = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1000));

/** Minutes and seconds: 6:05. */
const timeLeft = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** The clock, every second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  return now;
}

function Running({ state, words }: Pick<WorkProps, 'words'> & Pick<WorkProps['bulk'], 'state'>) {
  const { tag } = useLocale();
  const now = useNow();
  const { done, of, charged } = state.progress;
  const n = (value: number): string => formatNumber(tag, value);
  const text = fill(words.progress, { done: n(done), of: n(of), charged: n(charged) });
  return (
    <div>
      <Progress value={of === 0 ? 0 : (100 * done) / of} size="lg" mb="xs" aria-label={text} />
      <Text size="sm" role="status">
        {text}
      </Text>
      {/* The seconds are not announced: a reader would hear each of them. */}
      {state.waitsUntil !== undefined && (
        <Text size="sm">{fill(words.waiting, { seconds: secondsTo(state.waitsUntil, now) })}</Text>
      )}
      {state.endsAt !== undefined && (
        <Text size="sm" data-testid="bulk-left">
          {fill(words.timeLeft, { time: timeLeft(secondsTo(state.endsAt, now)) })}
        </Text>
      )}
    </div>
  );
}

/** Highest cost of a run, before anything is sent. */
function Cost({ bulk: { state, run }, words, allowance }: Pick<WorkProps, 'bulk' | 'words' | 'allowance'>) {
  const { tag } = useLocale();
  const { kept, left, phase } = state;
  const n = (value: number): string => formatNumber(tag, value);
  if (left === 0) return phase === 'found' ? <Text>{kept > 0 ? words.done : words.nothing}</Text> : null;
  if (allowance === undefined) return null;
  const { remaining, perMin } = allowance;
  const most = Math.min(left, remaining);
  const cost =
    remaining === 0
      ? words.noneLeft
      : fill(most < left ? words.costPart : words.cost, { n: n(most), remaining: n(remaining) });
  return (
    <>
      <Text data-testid="bulk-cost">
        {cost} {most > perMin && fill(words.minutes, { perMin: n(perMin), minutes: n(Math.ceil(most / perMin)) })}
      </Text>
      <Button style={{ alignSelf: 'flex-start' }} disabled={most === 0} onClick={() => run(most, perMin)}>
        {fill(phase === 'ended' ? words.resume : words.run, { n: n(most) })}
      </Button>
    </>
  );
}
