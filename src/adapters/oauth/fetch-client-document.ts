import { bytesOf, getUrl } from '../http-client/get-url.ts';
import { PinnedHosts, type Resolve, resolveForStranger } from '../http-client/pinned-hosts.ts';
import { within } from '../http-client/within.ts';

/** @throws Error for content that is no metadata document */
export type FetchClientDocument = (url: URL) => Promise<unknown>;

export interface ClientDocumentOptions {
  readonly resolve?: Resolve;
  readonly get?: typeof getUrl;
}

const TIMEOUT_MS = 5000;
const BYTES_MAX = 16 * 1024;

/**
 * Makes the fetch of client metadata documents, whose addresses strangers name: only public addresses are
 * connected to, redirects are not followed, and time and size are bounded.
 */
export const clientDocumentFetch =
  ({ resolve = resolveForStranger, get = getUrl }: ClientDocumentOptions = {}): FetchClientDocument =>
  (url) =>
    within(TIMEOUT_MS, async (signal) => {
      const hosts = new PinnedHosts(resolve);
      if (await hosts.isPrivate(url)) throw new Error('the client document is at a private address');
      const lookup = await hosts.lookupFor(url);
      const { status, body } = await get(url, { headers: { accept: 'application/json' }, signal, lookup });
      if (status !== 200) throw new Error(`the client document was answered with ${status}`);
      const tooLong = () => new Error(`the client document is larger than ${BYTES_MAX} bytes`);
      return JSON.parse(String(await bytesOf(body, BYTES_MAX, tooLong))) as unknown;
    });
