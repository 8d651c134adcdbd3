import { Button, Group } from '@mantine/core';
import { clientAddress } from '../../api/client-address.ts';
import { demoAddresses } from '../../api/demo-addresses.ts';
import { AddressForm } from '../../components/address-form.tsx';
import { fill, useLocale } from '../../locale.tsx';

const EXAMPLES = ['8.8.8.8', '1.1.1.1', '114.114.114.114', '2001:4860:4860::8888'] as const;

interface Props {
  readonly onSubmit: (ip: string) => void;
}

export function LookupForm({ onSubmit }: Props) {
  const { t } = useLocale();
  const examples = demoAddresses ?? EXAMPLES;
  const offered = [...(clientAddress === undefined ? [] : [clientAddress]), ...examples];
  return (
    <>
      <AddressForm initial="" large onSubmit={onSubmit} />
      <Group gap={6} mt="sm" justify="center">
        {offered.map((ip) => (
          <Button key={ip} size="compact-sm" variant="default" radius="xl" onClick={() => onSubmit(ip)}>
            {ip === clientAddress ? fill(t.home.mineIs, { ip }) : ip}
          </Button>
        ))}
      </Group>
    </>
  );
}
