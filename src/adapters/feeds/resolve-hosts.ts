import { Resolver } from 'node:dns/promises';
import { fault } from '../../core/texts/said.ts';
import type { ReadingDeadline } from './reading-deadline.ts';

export type AddressesOf = (host: string) => Promise<readonly string[]>;

const AT_ONCE = 16;

/**
 * Returns the addresses of the names, one a line. A name without one stays as its own line, so that the parser
 * counts it among the refused rows.
 * @throws Fault when no name has an address, or the time of the reading is over
 */
export async function resolveHosts(
  names: readonly string[],
  deadline: ReadingDeadline,
  addressesOf: AddressesOf = askNameService(),
): Promise<Uint8Array> {
  const lines = new Set<string>();
  let failed = 0;
  let why: unknown;
  for (let at = 0; at < names.length; at += AT_ONCE) {
    if (deadline.leftMs === 0) throw deadline.cut(undefined);
    const group = names.slice(at, at + AT_ONCE);
    const answers = await Promise.allSettled(group.map(addressesOf));
    for (const [i, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') for (const address of answer.value) lines.add(address);
      else {
        lines.add(group[i]!);
        why = answer.reason;
        failed++;
      }
    }
  }
  if (failed > 0 && failed === names.length)
    throw fault('none of its {count} host names has an address ({why})', {
      count: failed,
      why: (why as NodeJS.ErrnoException).code ?? String(why),
    });
  return new TextEncoder().encode([...lines].join('\n'));
}

/**
 * Servers of IPv4 alone are ordinary: a name has an address when either question is answered.
 * @param servers asked in place of those of the system
 */
export function askNameService(servers?: readonly string[]): AddressesOf {
  const resolver = new Resolver({ timeout: 5000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (found.length === 0) throw first.status === 'rejected' ? first.reason : new Error(`${host} has no address`);
    return found;
  };
}
