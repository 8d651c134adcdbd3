import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import { useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';

/** Says who gives an account the capabilities that it lacks, and leads there. */
export function GrantedBy({ account, text }: { readonly account: ConsoleAccount; readonly text?: string }) {
  const c = useConsole();
  const { t, to, space } = useLocale();
  const [path, label] = account.operator
    ? ['/console/operator/accounts', c.operator.accounts]
    : ['/console', c.usage.plan];
  return (
    <>
      {account.operator ? c.usage.grantYourself : (text ?? t.locked.granted)}
      {space}
      {(account.operator || text === undefined) && (
        <Anchor component={Link} href={to(path)} underline="always" inherit>
          {label}
        </Anchor>
      )}
    </>
  );
}
