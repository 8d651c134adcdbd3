const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a request's Origin is ours (DNS rebinding, MCP 2025-11-25 "Security"). None: no browser, or a same-origin read. A service on loopback is itself under
 * each of the loopback names, with its own port. The Host header is never asked: a rebound name would agree with itself.
 */
export function isOwnOrigin(origin: string | undefined, baseUrl: string): boolean {
  if (origin === undefined) return true;
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return url.protocol === base.protocol && url.port === base.port && LOOPBACK.has(url.hostname) && LOOPBACK.has(base.hostname);
}
