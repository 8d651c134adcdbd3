import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { demoAddresses } from '../../api/demo-addresses.ts';
import { fill, useLocale } from '../../locale.tsx';

/** The visitor's own public address, written into the document by the service that saw the connection; empty when there is nothing to look up about it. */
const ownAddress = document.querySelector<HTMLMetaElement>('meta[name="client-address"]')?.content;

const EXAMPLES = ['8.8.8.8', '1.1.1.1', '114.114.114.114', '2001:4860:4860::8888'] as const;

interface Props {
  readonly initial: string;
  readonly pending: boolean;
  readonly onSubmit: (ip: string) => void;
}

export function LookupForm({ initial, pending, onSubmit }: Props) {
  const { t } = useLocale();
  const [value, setValue] = useState(initial);
  useEffect(() => setValue(initial), [initial]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (value.trim() !== '') onSubmit(value.trim());
  };
  const examples = demoAddresses ?? EXAMPLES;
  const offered = ownAddress === undefined || ownAddress === '' ? examples : [ownAddress, ...examples];

  return (
    <form onSubmit={submit}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          flex={1}
          size="lg"
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          aria-label={t.home.label}
          placeholder={t.home.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="text"
          name="ip"
        />
        <Button type="submit" size="lg" loading={pending}>
          {t.home.submit}
        </Button>
      </Group>
      {initial === '' && (
        <Group gap={6} mt="sm" justify="center">
          {offered.map((ip) => (
            <Button key={ip} size="compact-sm" variant="default" radius="xl" onClick={() => onSubmit(ip)}>
              {ip === ownAddress ? fill(t.home.mineIs, { ip }) : ip}
            </Button>
          ))}
        </Group>
      )}
    </form>
  );
}
