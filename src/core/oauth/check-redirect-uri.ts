/**
 * Redirect addresses that a client may register, by kind (RFC 6749 3.1.2, RFC 8252 7 and 8, OAuth 2.1 draft
 * 2.3.1).
 * Registration is open to every client, so the rules refuse what could run code, reach a local service or
 * hide its host.
 */
export type RedirectKind = 'https' | 'loopback' | 'custom';

export type RedirectVerdict =
  | { readonly ok: true; readonly kind: RedirectKind; readonly host: string }
  | { readonly ok: false; readonly reason: string };

export const MAX_REDIRECT_URI_LENGTH = 512;
export const MAX_REDIRECT_URIS = 10;

/** Hosts that mean this computer. `localhost` and the literals do not match each other. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

// biome-ignore format: a table
/**
 * Schemes without a dot that known clients use. Other clients need their own domain written backwards (RFC
 * 8252 7.1), because a bare word may be a program that takes arguments, and no list names all of those.
 */
const CLIENT_SCHEMES: ReadonlySet<string> = new Set([
  'cursor',
  'kiro',
  'raycast',
  'vscode', 'vscode-insiders', 'vscodium',
  'warp',
  'windsurf',
]);

/**
 * Registered schemes with a dot that do not belong to an app: they open system settings or speak a network
 * protocol.
 */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  'iris.beep iris.lwz iris.xpc iris.xpcs soap.beep soap.beeps x-apple.systempreferences xmlrpc.beep xmlrpc.beeps z39.50 z39.50r z39.50s'.split(
    ' ',
  ),
);

const SCHEME = /^[a-z][a-z0-9+.-]{1,63}$/;
/**
 * Printable ASCII: no control, space, quote, backslash or look-alike reaches a Location header or the consent
 * page.
 */
const CLEAN = /^[\x21\x23-\x26\x28-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;

const refuse = (reason: string): RedirectVerdict => ({ ok: false, reason });

/**
 * Judges a redirect address at registration. The consent page shows `host`: host and port, or the scheme of a
 * custom address.
 */
export function checkRedirectUri(uri: string): RedirectVerdict {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) return refuse(`longer than ${MAX_REDIRECT_URI_LENGTH} characters`);
  if (!CLEAN.test(uri)) return refuse('holds characters that are not allowed');
  if (uri.includes('#')) return refuse('has a fragment');
  const url = URL.parse(uri);
  if (url === null) return refuse('is not an absolute URI');
  if (url.username !== '' || url.password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri))
    return refuse('holds user information');
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'https' && scheme !== 'http') return checkCustom(uri, url, scheme);
  const kind = scheme === 'https' ? 'https' : 'loopback';
  if (kind === 'loopback' && !LOOPBACK_HOSTS.has(url.hostname))
    return refuse('uses http on a host that is not this computer');
  if (!startsWithOrigin(uri, url)) return refuse('is not written in its plain form');
  return { ok: true, kind, host: url.host };
}

function checkCustom(uri: string, url: URL, scheme: string): RedirectVerdict {
  if (!SCHEME.test(scheme)) return refuse('has a scheme of an unusual form');
  if (!isOwnScheme(scheme))
    return refuse(
      `uses the scheme ${scheme}, which is not an app's own: write a domain of yours backwards, as in com.example.app`,
    );
  if (!uri.slice(scheme.length + 1).startsWith('/')) return refuse('has no path after its scheme');
  return { ok: true, kind: 'custom', host: url.host === '' ? `${scheme}:` : `${scheme}://${url.host}` };
}

function isOwnScheme(scheme: string): boolean {
  if (CLIENT_SCHEMES.has(scheme)) return true;
  return (
    scheme.includes('.') && !scheme.startsWith('ms-') && !scheme.startsWith('web+') && !REFUSED_SCHEMES.has(scheme)
  );
}

/**
 * Requires the origin to be written as the parser understood it. Spellings that two parsers may read
 * differently, such as `https://127.1/`, `https:/host` or `https://HOST\@x`, are refused, not normalised.
 */
function startsWithOrigin(uri: string, url: URL): boolean {
  const written = /^([a-z]+:\/\/[^/?]*)/i.exec(uri)?.[1]?.toLowerCase();
  const defaultPort = url.protocol === 'https:' ? ':443' : ':80';
  return written === url.origin || written === `${url.origin}${defaultPort}`;
}

/** An error may be sent there before the user acts: on the user's own computer it is not an open redirect. */
export const isLoopbackRedirect = (uri: string): boolean => {
  const verdict = checkRedirectUri(uri);
  return verdict.ok && verdict.kind === 'loopback';
};
