import { Badge } from '@mantine/core';
import { useConsole } from '../messages/use-console.ts';

export function KeyState({ of }: { readonly of: 'active' | 'revoked' | 'expired' }) {
  const c = useConsole();
  return (
    <Badge variant={of === 'active' ? 'light' : 'outline'} color={of === 'active' ? 'pulse' : 'gray'} tt="none">
      {c.keys.state[of]}
    </Badge>
  );
}
