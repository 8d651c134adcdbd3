import { Group, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import type { Explanation } from '../../../../src/contract/documents.ts';
import type { RiskType } from '../../../../src/contract/risk.ts';
import { formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { useSourceText } from '../../messages/use-source-texts.ts';
import { kindColour } from '../../verdict/kind-colour.ts';
import classes from './score-bar.module.css';
import { scoreOf, scoreParts } from './score-parts.ts';
import { writeTier } from './write-case.ts';

interface Props {
  readonly explanation: Explanation;
  /** The moment shown, from the explanation's own on: Unix ms. */
  readonly at: number;
}

const colourOf = (type: RiskType): CSSProperties => ({ '--kind': kindColour(type) }) as CSSProperties;

/** The score as a bar of what each kind of evidence adds, with the bounds of the levels, and what holds it. */
export function ScoreBar({ explanation, at }: Props) {
  const c = useConsole();
  const { t, tag, locale } = useLocale();
  const nameOf = useKindName();
  const textOf = useSourceText();
  const parts = scoreParts(explanation, at).filter(({ points }) => points > 0);
  const isLater = at > Date.parse(explanation.computed_at);
  // The service's own score stands, and only a later one is computed here.
  const score = isLater ? scoreOf(parts, explanation) : explanation.score;
  const points = new Intl.NumberFormat(tag, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const { known_as: known } = explanation;
  return (
    <div data-testid="score-bar">
      <Group justify="space-between" align="baseline" mb={6}>
        <Text fw={600}>{fill(t.site.labelled, { label: c.evidence.score, value: score })}</Text>
        <Text size="sm" c="dimmed" aria-live="polite">
          {isLater ? fill(c.evidence.barAt, { when: formatInstant(tag, new Date(at)) }) : ''}
        </Text>
      </Group>
      <div className={classes.bar} aria-hidden>
        {parts.map(({ type, points: share }) => (
          <span key={type} className={classes.part} style={{ ...colourOf(type), width: `${share}%` }} />
        ))}
        <span className={classes.bound} style={{ insetInlineStart: '30%' }} />
        <span className={classes.bound} style={{ insetInlineStart: '70%' }} />
      </div>
      <ul className={classes.legend}>
        {parts.map(({ type, points: share }) => (
          <li key={type}>
            <span className={classes.dot} style={colourOf(type)} aria-hidden />
            <Text span size="sm">
              {fill(t.site.labelled, { label: nameOf(type), value: points.format(share) })}
            </Text>
          </li>
        ))}
      </ul>
      {explanation.caps.map(({ by, max }) => (
        <Text key={by} size="sm" mt={4}>
          {fill(c.evidence.caps[by], { max, what: known === undefined ? '' : textOf(known.what) })}
        </Text>
      ))}
      <Text size="sm" c="dimmed" mt={4}>
        {writeTier(explanation, locale)}
      </Text>
    </div>
  );
}
