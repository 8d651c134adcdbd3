import { Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import type { RiskType } from '../../../../src/contract/risk.ts';
import type { Timeline } from '../../../../src/contract/timeline.ts';
import { formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { kindColour } from '../../verdict/kind-colour.ts';
import classes from './kind-strip.module.css';

type Span = readonly [from: number, to: number];

interface Props {
  readonly kinds: NonNullable<Timeline['kinds']>;
  /** The time of the chart above, Unix ms. */
  readonly range: Span;
}

/**
 * Bars below the score's curve show when each kind of evidence counted, when an override held, and when
 * sources were missing.
 */
export function KindStrip({ kinds, range }: Props) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const nameOf = useKindName();
  const types = [...new Set([kinds.start, ...kinds.changes].flatMap((state) => state.types))].sort();
  const rows = [
    ...types.map((type: RiskType) => ({
      name: nameOf(type),
      colour: kindColour(type),
      spans: spansWhere(kinds, ({ types: active }) => active.includes(type)),
    })),
    { name: c.evidence.overrideRow, colour: 'var(--mantine-color-blue-6)', spans: spansWhere(kinds, isOverridden) },
    {
      name: c.evidence.gapsRow,
      colour: 'var(--mantine-color-gray-6)',
      spans: kinds.gaps.map(({ from, to }): Span => [Date.parse(from), Date.parse(to)]),
    },
  ].filter(({ spans }) => spans.length > 0);
  if (rows.length === 0) return null;
  const [from, end] = range;
  const place = (at: number): string => `${(100 * (at - from)) / (end - from)}%`;
  const text = (span: Span): string => span.map((at) => formatInstant(tag, new Date(at))).join(' – ');
  return (
    <ul className={classes.rows} aria-label={c.evidence.strip} data-testid="kind-strip">
      {rows.map(({ name, colour, spans }) => (
        <li key={name} className={classes.row}>
          <Text size="xs">{name}</Text>
          <div
            className={classes.track}
            role="img"
            aria-label={fill(t.site.labelled, { label: name, value: spans.map(text).join('; ') })}
          >
            {spans.map(([first, last]) => (
              <span
                key={first}
                className={classes.span}
                title={text([first, last])}
                style={
                  {
                    '--kind': colour,
                    insetInlineStart: place(first),
                    width: `max(2px, ${(100 * (last - first)) / (end - from)}%)`,
                  } as CSSProperties
                }
              />
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

type State = NonNullable<Timeline['kinds']>['start'];

const isOverridden = ({ override }: State): boolean => override === true;

/** The times in which a state of the course is so. */
function spansWhere({ from, to, start, changes }: Props['kinds'], is: (state: State) => boolean): readonly Span[] {
  const steps = [{ at: from, state: start }, ...changes.map((change) => ({ at: change.at, state: change }))];
  const spans: Span[] = [];
  for (const [i, { at, state }] of steps.entries()) {
    if (!is(state)) continue;
    const [begin, end] = [Date.parse(at), Date.parse(steps[i + 1]?.at ?? to)];
    const last = spans.at(-1);
    if (last?.[1] === begin) spans.splice(-1, 1, [last[0], end]);
    else spans.push([begin, end]);
  }
  return spans;
}
