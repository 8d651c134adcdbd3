import { isRecord } from '../../core/kit/json.ts';
import { Recent } from '../../core/kit/recent.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import { judgeRegistration } from '../../core/oauth/judge-registration.ts';
import { reasonText } from '../../core/texts/system-sentence.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { tooMany } from '../../service/limiter.ts';
import type { OAuthRoutesOptions } from './oauth-routes-options.ts';

export type TakeClientDocument = (url: URL, admit: () => void | Promise<void>) => Promise<boolean>;

/** The next sign-in reads an older document again. */
const FRESH_MS = 5 * MINUTE_MS;
const KNOWN_MAX = 1000;
/** Every client is in use then, so an operator must act. */
export const CLIENT_WAIT_SEC = 3600;

/**
 * Returns the registration of clients that are named by the address of their metadata document: the document
 * becomes a client row as if the client had registered, with the same corrections. It is read at sign-in alone,
 * so that refreshing depends on no other site.
 */
export function takeClientDocument({
  store,
  clock,
  log,
  fetchClientDocument,
}: Pick<OAuthRoutesOptions, 'store' | 'clock' | 'log' | 'fetchClientDocument'>): TakeClientDocument {
  const readAt = new Recent<string, UnixMs>(KNOWN_MAX);
  let failures = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  /** @param admit counts a registration @throws Problem rate_limited */
  return async (url, admit) => {
    if (fetchClientDocument === undefined) return false;
    const id = url.href;
    const at = clock.now();
    const known = readAt.get(id);
    if (known !== undefined && at - known < FRESH_MS && (await store.find('Client', id, at)) !== undefined) return true;
    await admit();
    let document: unknown;
    try {
      document = await fetchClientDocument(url);
    } catch (error) {
      failures++;
      if (at - toldAt >= MINUTE_MS) {
        log.info({ host: url.host, reason: reasonText(error), failures }, 'client documents could not be read');
        [failures, toldAt] = [0, at];
      }
      return false;
    }
    if (!isRecord(document) || document['client_id'] !== id) return false;
    const verdict = judgeRegistration(document);
    if (!verdict.ok) return false;
    if (!(await store.makeRoomForClient(SERVICE_CAPS.oauthClients))) throw tooMany(CLIENT_WAIT_SEC);
    await store.upsert('Client', id, { client_id: id, ...verdict.client }, at, undefined);
    readAt.set(id, at);
    return true;
  };
}
