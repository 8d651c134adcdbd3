import { within } from '../http-client/within.ts';
import { networkFault } from '../system/system-fault.ts';
import { transportTo } from './smtp-mail.ts';

/** An operator can act on these codes of the mail library. */
const CAUSES: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses user or password of the address',
  ECONNECTION: 'nothing listens at the address',
  EDNS: 'the name of its host is not known',
  ESOCKET: 'the connection is closed',
  ETLS: 'its TLS cannot be used',
};

/**
 * Connects and signs in to the mail server, and sends nothing.
 * @returns why mails cannot be sent, without anything secret; undefined where they can
 */
export async function checkSmtp(url: string, withinMs: number): Promise<string | undefined> {
  const address = new URL(url);
  address.searchParams.delete('from');
  const transport = await transportTo(address, withinMs);
  try {
    await within(withinMs, () => transport.verify());
    return undefined;
  } catch (error) {
    // The library keeps the code of the system in its cause, or in its own message.
    const { code = '', message, cause } = error as NodeJS.ErrnoException & { readonly cause?: NodeJS.ErrnoException };
    return (
      networkFault(`${cause?.code} ${message} ${code}`)?.cause ?? CAUSES[cause?.code ?? code] ?? CAUSES[code] ?? code
    );
  } finally {
    transport.close();
  }
}

export function smtpAddress(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'smtps:' ? 465 : 587) : port}`;
}
