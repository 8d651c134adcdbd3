import { PasswordInput } from '@mantine/core';
import { useConsole } from '../messages/use-console.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The password is being chosen: the rule is shown before it is broken, and the browser offers to make one up. */
  readonly chosen?: boolean;
}

export function PasswordField({ label, value, onChange, chosen = false }: Props) {
  const c = useConsole();
  return (
    <PasswordInput
      name="password"
      required
      autoComplete={chosen ? 'new-password' : 'current-password'}
      {...(chosen ? { minLength: 10, description: c.signUp.rule } : {})}
      label={label}
      visibilityToggleButtonProps={{ 'aria-label': c.signUp.reveal }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
