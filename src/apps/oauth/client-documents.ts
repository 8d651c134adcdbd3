import { isRecord } from '../../core/kit/json.ts';
import { Recent } from '../../core/kit/recent.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import { judgeRegistration } from '../../core/oauth/judge-registration.ts';
import { reasonText } from '../../core/texts/said.ts';
import { HOUR_MS, MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { tooMany } from '../../service/limiter.ts';
import type { OAuthRoutesOptions } from './oauth-routes-options.ts';

export interface ClientDocuments {
  /**
   * Makes the document at an address a client. `unread` could not be read, `unfit` asks for what no client gets.
   * @param admit counts a registration @throws Problem rate_limited
   */
  take(url: URL, admit: () => void | Promise<void>): Promise<'taken' | 'unread' | 'unfit'>;
  areOffered(at: UnixMs): boolean;
}

/** The next sign-in reads an older document again. */
const FRESH_MS = 5 * MINUTE_MS;
const KNOWN_MAX = 1000;
export const CLIENT_WAIT_SEC = 3600;
/** For this time after a failed read new clients register instead, as they do where documents are off. */
const WITHDRAWN_MS = HOUR_MS;

/**
 * Makes the registration of clients that are named by the address of their metadata document: the document
 * becomes a client row as if the client had registered, with the same corrections. It is read at sign-in alone,
 * so that refreshing depends on no other site, and the last good one serves while its site cannot be read.
 */
export function clientDocuments({
  store,
  clock,
  log,
  fetchClientDocument,
}: Pick<OAuthRoutesOptions, 'store' | 'clock' | 'log' | 'fetchClientDocument'>): ClientDocuments {
  const readAt = new Recent<string, UnixMs>(KNOWN_MAX);
  let failedAt: UnixMs | undefined;
  let failures = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    async take(url, admit) {
      if (fetchClientDocument === undefined) return 'unfit';
      const id = url.href;
      const at = clock.now();
      const isKnown = (await store.find('Client', id, at)) !== undefined;
      if (isKnown && at - (readAt.get(id) ?? 0) < FRESH_MS) return 'taken';
      await admit();
      let document: Readonly<Record<string, unknown>>;
      try {
        const read = await fetchClientDocument(url);
        if (!isRecord(read) || read['client_id'] !== id) throw new Error('the answer is not a document of this client');
        document = read;
        failedAt = undefined;
      } catch (error) {
        failedAt = at;
        failures++;
        if (at - toldAt >= MINUTE_MS) {
          const facts = { host: url.host, reason: reasonText(error), failures, last_good_one_serves: isKnown };
          log.warn(facts, 'client documents could not be read');
          [failures, toldAt] = [0, at];
        }
        if (!isKnown) return 'unread';
        readAt.set(id, at);
        return 'taken';
      }
      const verdict = judgeRegistration(document);
      if (!verdict.ok) return 'unfit';
      if (!(await store.makeRoomForClient(SERVICE_CAPS.oauthClients))) throw tooMany(CLIENT_WAIT_SEC);
      await store.upsert('Client', id, { client_id: id, ...verdict.client }, at, undefined);
      readAt.set(id, at);
      return 'taken';
    },
    areOffered: (at) => fetchClientDocument !== undefined && (failedAt === undefined || at - failedAt >= WITHDRAWN_MS),
  };
}
