import { Anchor, List } from '@mantine/core';
import { Link } from 'wouter';
import type { ConsoleAccount, ConsoleKey, ConsoleUsage } from '../../../../../src/contract/console.ts';
import { Card } from '../../../components/card.tsx';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

interface Props {
  readonly account: ConsoleAccount;
  readonly usage: ConsoleUsage;
  readonly keys: readonly ConsoleKey[];
}

/** The way from a new account to its use: until it has a key and has looked something up. */
export function NextSteps({ account, usage, keys }: Props) {
  const { start } = useConsole();
  const { t, to } = useLocale();
  const hasKey = keys.length > 0;
  const isUsed = usage.days.some(({ used }) => used > 0);
  if (hasKey && isUsed) return null;
  const steps: readonly (readonly [path: string, words: readonly string[], isDone?: boolean])[] = [
    ['/console/keys', start.key, hasKey],
    ['/docs/examples', start.try, isUsed],
    ...(account.operator
      ? ([
          ['/console/operator', start.feeds],
          ['/docs/sensor', start.sensor],
        ] as const)
      : []),
  ];
  return (
    <Card title={start.title} testId="next-steps">
      <List type="ordered" spacing="xs">
        {steps.map(([path, [name = '', text = ''], isDone = false]) => (
          <List.Item key={path}>
            <Anchor component={Link} href={to(path)} underline="always">
              {name}
            </Anchor>
            {fill(t.site.labelled, { label: '', value: text })} {isDone && <strong>✓ {start.done}</strong>}
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
