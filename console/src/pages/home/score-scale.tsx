import { Text, Title } from '@mantine/core';
import { useLocale } from '../../locale.tsx';
import classes from './score-scale.module.css';

const BANDS = ['none', 'low', 'medium', 'high'] as const;

/**
 * The four answers there are, side by side in the colours of the dial: read before the first lookup,
 * recognised in every answer after it.
 */
export function ScoreScale() {
  const { t } = useLocale();
  return (
    <section aria-labelledby="scale">
      <Title order={2} size="h4" id="scale" mb="sm">
        {t.home.scale.title}
      </Title>
      <ul className={classes.scale}>
        {BANDS.map((band) => (
          <li key={band} className={classes.band} data-level={band}>
            <span className={classes.range}>{t.home.scale[band].range}</span>
            <Text fw={650}>{t.home.scale[band].name}</Text>
            <Text size="sm" c="dimmed">
              {t.home.scale[band].text}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
