import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useLocale } from '../locale.tsx';

/** Path of the page about a prefix or an AS. */
export const networkPath = (network: string): string => `/net/${encodeURIComponent(network)}`;

/** A link to the page about a prefix or an AS. */
export function NetworkLink({ network, text = network }: { readonly network: string; readonly text?: string }) {
  const { to } = useLocale();
  return (
    <Anchor component={Link} href={to(networkPath(network))} underline="always" inherit>
      {text}
    </Anchor>
  );
}
