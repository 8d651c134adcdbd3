import { byFamily } from '../../core/ip/address-set.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import type { SendWebhook } from '../../service/watchlists/send-deliveries.ts';
import { getUrl } from '../http-client/get-url.ts';
import { PinnedHosts, type Resolve, resolveForStranger } from '../http-client/pinned-hosts.ts';
import { within } from '../http-client/within.ts';

const ANSWER_MS = 10_000;

/**
 * Makes the sender of webhooks. It connects to the address that it judged, follows no redirect, and calls no
 * private or reserved address outside the allowed prefixes.
 * @param allow addresses and prefixes of PULSE_WEBHOOK_ALLOW
 */
export function webhookSender(allow: readonly string[], resolve: Resolve = resolveForStranger): SendWebhook {
  const allowed = byFamily(allow.map((entry) => parsePrefix(entry)!));
  return async (address, headers, post) => {
    const url = new URL(address);
    const hosts = new PinnedHosts(resolve);
    const sent = { ...headers, 'content-type': 'application/json', 'user-agent': 'Pulse-Webhook' };
    try {
      return await within(ANSWER_MS, async (signal) => {
        if (await hosts.isPrivate(url, allowed)) return 'inside_address';
        const lookup = await hosts.lookupFor(url);
        return (await getUrl(url, { headers: sent, signal, lookup, post })).status;
      });
    } catch (error) {
      const { name, code } = error as NodeJS.ErrnoException;
      return name === 'TimeoutError' ? 'timeout' : (code ?? name);
    }
  };
}
