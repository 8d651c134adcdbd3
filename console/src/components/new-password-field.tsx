import { PasswordInput } from '@mantine/core';
import { useConsole } from '../messages/use-console.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A password that is being chosen: the rule is told before it is broken, and the browser offers to make one up. */
export function NewPasswordField({ label, value, onChange }: Props) {
  const c = useConsole();
  return (
    <PasswordInput
      name="password"
      required
      minLength={10}
      autoComplete="new-password"
      label={label}
      description={c.signUp.rule}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
