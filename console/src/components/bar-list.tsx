import { Text } from '@mantine/core';
import { formatNumber } from '../format.ts';
import { useLocale } from '../locale.tsx';
import classes from './bar-list.module.css';

interface Props {
  /** Name of the counted things, for readers who cannot see it. */
  readonly label: string;
  /** The greatest first. */
  readonly rows: readonly { readonly name: string; readonly value: number }[];
  /** Shown in place of an empty list. */
  readonly empty: string;
}

/** Names with their counts, each over a bar of its share of the greatest. */
export function BarList({ label, rows, empty }: Props) {
  const { tag } = useLocale();
  const most = Math.max(1, ...rows.map(({ value }) => value));
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <ol className={classes.list} aria-label={label}>
      {rows.map(({ name, value }) => (
        <li key={name} className={classes.row}>
          <span className={classes.bar} style={{ width: `${(100 * value) / most}%` }} />
          <span className={classes.name}>{name}</span>
          <span className={classes.value}>{formatNumber(tag, value)}</span>
        </li>
      ))}
    </ol>
  );
}
