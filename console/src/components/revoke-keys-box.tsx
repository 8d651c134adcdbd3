import { Checkbox } from '@mantine/core';
import { useConsole } from '../messages/use-console.ts';

/** Asks with a new password whether the account's keys end with the former one. */
export function RevokeKeysBox({
  checked,
  onChange,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const { revokeKeys, revokeKeysText } = useConsole().profile;
  return (
    <Checkbox
      label={revokeKeys}
      description={revokeKeysText}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
