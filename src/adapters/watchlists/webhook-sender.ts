import { byFamily } from '../../core/ip/address-set.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import type { SendWebhook } from '../../service/watchlists/send-deliveries.ts';
import { getUrl } from '../feeds/get-url.ts';
import { PinnedHosts, type Resolve } from '../feeds/pinned-hosts.ts';

const ANSWER_MS = 10_000;

/**
 * Makes the sender of webhooks. It connects to the address that it judged, follows no redirect, and calls no
 * private or reserved address outside the allowed prefixes.
 * @param allow addresses and prefixes of PULSE_WEBHOOK_ALLOW
 */
export function webhookSender(allow: readonly string[], resolve?: Resolve): SendWebhook {
  const allowed = byFamily(allow.map((entry) => parsePrefix(entry)!));
  return async (address, headers, post) => {
    const url = new URL(address);
    const hosts = new PinnedHosts(resolve);
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      if (await hosts.isPrivate(url, allowed)) return 'inside_address';
      const lookup = await hosts.lookupFor(url);
      const sent = { ...headers, 'content-type': 'application/json', 'user-agent': 'Pulse-Webhook' };
      const { status, body } = await getUrl(url, { headers: sent, signal, lookup, post });
      body.destroy();
      return status;
    } catch (error) {
      return signal.aborted ? 'timeout' : ((error as NodeJS.ErrnoException).code ?? (error as Error).name);
    }
  };
}
