import { checkRedirectUri, MAX_REDIRECT_URIS } from './check-redirect-uri.ts';

/**
 * Kept fields of a dynamic registration (RFC 7591 2). All others are dropped: unknown metadata must be
 * ignored, and a stranger's logo or link has no place on a consent page.
 */
export type AcceptedClient = Readonly<Record<string, string | readonly string[]>>;

export type RegistrationVerdict =
  | { readonly ok: true; readonly client: AcceptedClient }
  | { readonly ok: false; readonly error: 'invalid_redirect_uri'; readonly reason: string };

const MAX_NAME = 100;
const MAX_SOFTWARE = 100;
/**
 * Characters without a visible form: category C, default-ignorable ones (Hangul fillers), line separators,
 * blank Braille.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/**
 * Makes a client's name safe to show: one line, visible characters, at most 100. It stays untrusted text,
 * which must be escaped.
 */
export function cleanClientName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const clean = name.replace(UNSEEN, '').replace(/\s+/g, ' ').trim();
  return [...clean].slice(0, MAX_NAME).join('').trim();
}

const short = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_SOFTWARE ? value : undefined;

const refuse = (reason: string): RegistrationVerdict => ({ ok: false, error: 'invalid_redirect_uri', reason });

/**
 * Judges a registration. The server may replace requested values, and clients read the answer (RFC 7591 3.2.1),
 * so every client becomes a public one of the code flow. Only one without a usable redirect address is refused.
 * The `application_type` is derived: with `web` a loopback client's port would not be free (RFC 8252 7.3).
 */
export function judgeRegistration(metadata: Readonly<Record<string, unknown>>): RegistrationVerdict {
  const uris = metadata['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0 || !uris.every((uri) => typeof uri === 'string'))
    return refuse('redirect_uris must list at least one address');
  const redirectUris: string[] = [];
  let native = false;
  let fault = '';
  for (const uri of new Set<string>(uris)) {
    const verdict = checkRedirectUri(uri);
    if (!verdict.ok) fault ||= verdict.reason;
    else if (redirectUris.length < MAX_REDIRECT_URIS) {
      redirectUris.push(uri);
      native ||= verdict.kind !== 'https';
    }
  }
  if (redirectUris.length === 0) return refuse(`a redirect address ${fault}`);
  const grantTypes = metadata['grant_types'];
  const refresh = !Array.isArray(grantTypes) || grantTypes.includes('refresh_token');
  const name = cleanClientName(metadata['client_name']);
  const clientUri = httpsOnly(metadata['client_uri']);
  const softwareId = short(metadata['software_id']);
  const softwareVersion = short(metadata['software_version']);
  return {
    ok: true,
    client: {
      ...(name && { client_name: name }),
      redirect_uris: redirectUris,
      application_type: native ? 'native' : 'web',
      grant_types: refresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(clientUri && { client_uri: clientUri }),
      ...(softwareId && { software_id: softwareId }),
      ...(softwareVersion && { software_version: softwareVersion }),
    },
  };
}

function httpsOnly(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const verdict = checkRedirectUri(value);
  return verdict.ok && verdict.kind === 'https' ? value : undefined;
}
