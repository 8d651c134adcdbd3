import type { EvidenceState, Level } from '../../../../src/contract/risk.ts';
import { useLocale } from '../../locale.tsx';
import classes from './score-dial.module.css';

const RADIUS = 52;
const LENGTH = 2 * Math.PI * RADIUS;
/** The dial is open at the bottom: it covers three quarters of a circle. */
const SWEEP = 0.75;

interface Props {
  readonly score: number;
  readonly level: Level;
  readonly state: EvidenceState;
  /** The operator's word stands in place of a number. */
  readonly corrected: boolean;
}

/**
 * The score as a dial. Without active evidence the ring is dashed and empty, so that "0" cannot be mistaken
 * for a clean bill.
 */
export function ScoreDial({ score, level, state, corrected }: Props) {
  const { verdict } = useLocale().t;
  const active = state === 'active' && !corrected;
  const name = corrected ? verdict.corrected.name : active ? verdict.level[level] : verdict.state[state].name;
  return (
    <figure
      className={classes.dial}
      data-level={active ? level : 'none'}
      role="img"
      aria-label={corrected ? name : `${verdict.score}: ${score} / 100, ${name}`}
    >
      <svg viewBox="0 0 128 128" aria-hidden="true">
        <circle
          className={classes.track}
          data-empty={!active}
          cx="64"
          cy="64"
          r={RADIUS}
          strokeDasharray={active ? `${LENGTH * SWEEP} ${LENGTH}` : '2 9'}
          transform="rotate(135 64 64)"
        />
        {active && (
          <circle
            className={classes.value}
            cx="64"
            cy="64"
            r={RADIUS}
            strokeDasharray={`${(LENGTH * SWEEP * score) / 100} ${LENGTH}`}
            transform="rotate(135 64 64)"
          />
        )}
      </svg>
      <div className={classes.text} aria-hidden="true">
        {!corrected && <span className={classes.score}>{score}</span>}
        <span className={classes.level}>{name}</span>
      </div>
    </figure>
  );
}
