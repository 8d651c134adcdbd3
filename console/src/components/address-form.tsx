import { Button, Group, Text, TextInput } from '@mantine/core';
import { type ClipboardEvent, type FormEvent, Fragment, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type FoundAddresses, findAddresses } from '../../../src/core/ip/find-addresses.ts';
import { formatAddress, formatPrefix } from '../../../src/core/ip/format-address.ts';
import { readNetworkName } from '../../../src/core/ip/network-name.ts';
import { carryText } from '../bulk/carried-text.ts';
import { fill, useLocale } from '../locale.tsx';
import { useSlashKey } from '../use-slash-key.ts';
import { NetworkLink, networkPath } from '../verdict/network-link.tsx';

/** Addresses that are offered as buttons; of more, the bulk page looks all up. */
const OFFERED_MAX = 12;

interface Props {
  readonly initial: string;
  readonly large?: boolean;
  readonly pending?: boolean;
  /** Given one address in its own spelling, or the text as it was typed where nothing in it is one. */
  readonly onSubmit: (ip: string) => void;
}

/** A text without any address may be a phone number or the name of a host. */
const PHONE = /^[+(]?\d[\d\s()-]{6,}$/;
const HOST = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,63})(?:[:/].*)?$/i;

/**
 * Asks for one address, in whatever spelling it was copied; `/` goes to it. Where the text holds several, or a
 * network, it offers what it found; a phone number goes to its page, and the name of a host is told as one.
 */
export function AddressForm({ initial, large = false, pending = false, onSubmit }: Props) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const [value, setValue] = useState(initial);
  const [found, setFound] = useState<FoundAddresses>();
  // The lines of what was pasted: the field itself has one line.
  const [pasted, setPasted] = useState<string>();
  const [host, setHost] = useState<string>();
  useEffect(() => {
    setValue(initial);
    setFound(undefined);
    setHost(undefined);
  }, [initial]);

  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = value.trim();
    if (text === '') return;
    const network = networkIn(text);
    if (network) {
      navigate(to(networkPath(network)));
      return;
    }
    const inText = findAddresses(text);
    const [first, ...others] = inText.addresses;
    if (!first && PHONE.test(text)) {
      carryText(text);
      navigate(to('/console/phone'));
      return;
    }
    const name = first ? undefined : HOST.exec(text)?.[1];
    setHost(name);
    if (name !== undefined) return;
    const isClear = inText.networks.every(({ prefixes }) => !prefixes.length) && !others.length;
    if (isClear) onSubmit(first ? formatAddress(first) : text);
    else setFound(inText);
  };
  const type = (text: string, lines?: string): void => {
    setValue(text);
    setPasted(lines);
    setFound(undefined);
    setHost(undefined);
  };
  // A field of one line would join the lines of a list, and addresses with them.
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const text = event.clipboardData.getData('text');
    if (!/[\r\n]/.test(text.trim())) return;
    event.preventDefault();
    type(text.trim().replace(/\s+/g, ' '), text);
  };

  const name = { [large ? 'aria-label' : 'label']: t.home.label };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          ref={field}
          flex={1}
          size={large ? 'lg' : 'sm'}
          value={value}
          onChange={(event) => type(event.currentTarget.value)}
          onPaste={paste}
          {...name}
          {...(large && { placeholder: t.home.placeholder })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="text"
          name="ip"
        />
        <Button type="submit" size={large ? 'lg' : 'sm'} loading={pending}>
          {t.home.submit}
        </Button>
      </Group>
      {host !== undefined && (
        <Text size="sm" mt="sm" role="alert">
          {fill(t.home.hostName, { host })} <code>dig +short {host}</code>
        </Text>
      )}
      {found !== undefined && <Found found={found} text={pasted ?? value} onSubmit={onSubmit} />}
    </form>
  );
}

/** The one network that the whole text names: a prefix, a range that is one, or an AS number. */
function networkIn(text: string): string | undefined {
  const found = findAddresses(text);
  const [first, ...others] = found.networks.flatMap(({ prefixes }) => prefixes);
  const isOne = first !== undefined && !others.length && !found.addresses.length;
  const name = /^as\s?\d+$/i.test(text) ? text.replace(/\s/, '').toUpperCase() : isOne ? formatPrefix(first) : text;
  return typeof readNetworkName(name) === 'object' ? name : undefined;
}

interface FoundProps extends Pick<Props, 'onSubmit'> {
  readonly found: FoundAddresses;
  readonly text: string;
}

function Found({ found: { addresses, networks }, text, onSubmit }: FoundProps) {
  const { t, to, space } = useLocale();
  return (
    <div role="status">
      {networks.length > 0 && (
        <Text size="sm" mt="sm">
          {t.home.foundNetworks}
          {networks
            .flatMap(({ prefixes }) => prefixes.map(formatPrefix))
            .slice(0, OFFERED_MAX)
            .map((network) => (
              <Fragment key={network}>
                {' '}
                <NetworkLink network={network} />
              </Fragment>
            ))}
        </Text>
      )}
      {addresses.length > 0 && (
        <Text size="sm" mt="sm">
          {fill(t.home.foundAddresses, { n: String(addresses.length) })}
          {space}
          <Link href={to('/console/bulk')} onClick={() => carryText(text)}>
            {t.home.foundBulk}
          </Link>
        </Text>
      )}
      <Group gap={6} mt="xs">
        {addresses
          .slice(0, OFFERED_MAX)
          .map(formatAddress)
          .map((ip) => (
            <Button key={ip} size="compact-sm" variant="default" radius="xl" onClick={() => onSubmit(ip)}>
              {ip}
            </Button>
          ))}
      </Group>
    </div>
  );
}
