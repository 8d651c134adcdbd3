import { fault } from '../../core/texts/said.ts';
import { type AddressesOf, askNameService } from '../http-client/pinned-hosts.ts';
import { within } from '../http-client/within.ts';
import type { ReadingDeadline } from './reading-deadline.ts';

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
    const group = names.slice(at, at + AT_ONCE);
    const answers = await within(deadline.leftMs, () => Promise.allSettled(group.map(addressesOf))).catch(() => {
      throw deadline.cut(undefined);
    });
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
