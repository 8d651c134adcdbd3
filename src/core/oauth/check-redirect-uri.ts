/**
 * Which redirect addresses a client may register, and what kind each is (RFC 6749 3.1.2, RFC 8252 7 and 8, OAuth 2.1 draft 2.3.1).
 * Registration is open to anybody, so the rules refuse everything that could run code, reach a local service or hide its host.
 */
export type RedirectKind = 'https' | 'loopback' | 'custom';

export type RedirectVerdict = { readonly ok: true; readonly kind: RedirectKind; readonly host: string } | { readonly ok: false; readonly reason: string };

export const MAX_REDIRECT_URI_LENGTH = 512;
export const MAX_REDIRECT_URIS = 10;

/** Hosts that are this very computer. `localhost` and the literals are not interchangeable when matching. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Schemes of custom-scheme redirects that are never an app's own: they run script, open files, start system tools or other programs with arguments,
 * or speak a network protocol. The list refuses; everything else that looks like a private-use scheme passes.
 */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  (
    'about afp blob callto cap chrome chrome-extension content data dav dict dns doi edge facetime facetime-audio feed file filesystem finger ftp ftps geo git go ' +
    'gopher h323 hcp help http icap imap imaps info intent ipp ipps irc irc6 ircs itms itms-apps itms-services jabber jar javascript ldap ldaps livescript ' +
    'magnet mailto maps market mms moz-extension ms-access ms-appinstaller ms-browser-extension ms-calculator ms-cxh ms-cxh-full ms-excel ms-gamingoverlay ' +
    'ms-infopath ms-msdt ms-officecmd ms-officeapp ms-powerpoint ms-project ms-publisher ms-search ms-settings ms-spd ms-visio ms-windows-store ms-word nfs ' +
    'news nntp opera pop pop3 pres resource rlogin rsync rtsp search search-ms sftp sip sips skype smb sms smsto snmp ssh steam stratum svn tel telnet tftp ' +
    'turn turns unsaferedirect urn vbs vbscript view-source vnc wais ws wss x-apple.systempreferences xmpp'
  ).split(' '),
);

/** RFC 3986 scheme, at most 64 characters. */
const SCHEME = /^[a-z][a-z0-9+.-]{1,63}$/;
/** Printable ASCII only: no control, space, quote, backslash or non-ASCII look-alike reaches a Location header or the consent page. */
const CLEAN = /^[\x21\x23-\x26\x28-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;

const refuse = (reason: string): RedirectVerdict => ({ ok: false, reason });

/** Judges one redirect address at registration. `host` is what the consent page shows: host and port, or the scheme of a custom one. */
export function checkRedirectUri(uri: string): RedirectVerdict {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) return refuse(`longer than ${MAX_REDIRECT_URI_LENGTH} characters`);
  if (!CLEAN.test(uri)) return refuse('holds characters that are not allowed');
  if (uri.includes('#')) return refuse('has a fragment');
  const url = URL.parse(uri);
  if (url === null) return refuse('is not an absolute URI');
  if (url.username !== '' || url.password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) return refuse('holds user information');
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https') return checkHttps(uri, url);
  if (scheme === 'http') return checkLoopback(uri, url);
  return checkCustom(uri, url, scheme);
}

function checkHttps(uri: string, url: URL): RedirectVerdict {
  if (!startsWithOrigin(uri, url)) return refuse('is not written in its plain form');
  return { ok: true, kind: 'https', host: url.host };
}

function checkLoopback(uri: string, url: URL): RedirectVerdict {
  if (!LOOPBACK_HOSTS.has(url.hostname)) return refuse('uses http on a host that is not this computer');
  if (!startsWithOrigin(uri, url)) return refuse('is not written in its plain form');
  return { ok: true, kind: 'loopback', host: url.host };
}

function checkCustom(uri: string, url: URL, scheme: string): RedirectVerdict {
  if (!SCHEME.test(scheme)) return refuse('has a scheme of an unusual form');
  if (REFUSED_SCHEMES.has(scheme)) return refuse(`uses the scheme ${scheme}, which is not an app's own`);
  if (scheme.startsWith('ms-') || scheme.startsWith('web+')) return refuse(`uses the scheme ${scheme}, which is not an app's own`);
  if (!uri.slice(scheme.length + 1).startsWith('/')) return refuse('has no path after its scheme');
  return { ok: true, kind: 'custom', host: url.host === '' ? `${scheme}:` : `${scheme}://${url.host}` };
}

/**
 * True when the text before the path is what the parser understood: `https://127.1/`, `https:/host`, `https://HOST\@x` and other spellings that read
 * differently in two parsers are refused rather than normalised.
 */
function startsWithOrigin(uri: string, url: URL): boolean {
  const written = /^([a-z]+:\/\/[^/?]*)/i.exec(uri)?.[1]?.toLowerCase();
  const defaultPort = url.protocol === 'https:' ? ':443' : ':80';
  return written === url.origin || written === `${url.origin}${defaultPort}`;
}

/** True when sending an error there before the user did anything cannot be used as an open redirect: the address is on the user's own computer. */
export const isLoopbackRedirect = (uri: string): boolean => {
  const verdict = checkRedirectUri(uri);
  return verdict.ok && verdict.kind === 'loopback';
};
