import { getUrl } from '../feeds/get-url.ts';
import { PinnedHosts, type Resolve } from '../feeds/pinned-hosts.ts';

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
  ({ resolve, get = getUrl }: ClientDocumentOptions = {}): FetchClientDocument =>
  async (url) => {
    const hosts = new PinnedHosts(resolve);
    if (await hosts.isPrivate(url)) throw new Error('the client document is at a private address');
    const { status, body } = await get(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      lookup: await hosts.lookupFor(url),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      if (status !== 200) throw new Error(`the client document was answered with ${status}`);
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > BYTES_MAX) throw new Error(`the client document is larger than ${BYTES_MAX} bytes`);
        chunks.push(chunk);
      }
    } finally {
      body.destroy();
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  };
