import { checkRedirectUri, MAX_REDIRECT_URIS } from './check-redirect-uri.ts';

/**
 * Kept fields of a dynamic registration (RFC 7591 2). All others are dropped: unknown metadata must be
 * ignored, and a stranger's logo or link has no place on a consent page.
 */
export interface AcceptedClient {
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly grant_types: readonly string[];
  readonly response_types: readonly ['code'];
  readonly token_endpoint_auth_method: 'none';
  readonly client_uri?: string;
  readonly software_id?: string;
  readonly software_version?: string;
}

export type RegistrationVerdict =
  | { readonly ok: true; readonly client: AcceptedClient }
  | { readonly ok: false; readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri'; readonly reason: string };

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

const refuse = (error: 'invalid_client_metadata' | 'invalid_redirect_uri', reason: string): RegistrationVerdict => ({
  ok: false,
  error,
  reason,
});

/**
 * Judges a registration. Only public clients and redirect addresses that pass our rules are accepted.
 * Unsupported grants and scopes are dropped, because clients register everywhere with one document.
 * The `application_type` is derived: with `web` a loopback client's port would not be free (RFC 8252 7.3).
 */
export function judgeRegistration(metadata: Readonly<Record<string, unknown>>): RegistrationVerdict {
  const method = metadata['token_endpoint_auth_method'];
  if (method !== undefined && method !== null && method !== 'none')
    return refuse(
      'invalid_client_metadata',
      'only public clients are accepted: token_endpoint_auth_method must be none',
    );
  const responseTypes = metadata['response_types'];
  if (responseTypes !== undefined && !(Array.isArray(responseTypes) && responseTypes.includes('code')))
    return refuse('invalid_client_metadata', 'response_types must include code');
  const grantTypes = metadata['grant_types'];
  if (grantTypes !== undefined && !(Array.isArray(grantTypes) && grantTypes.includes('authorization_code')))
    return refuse('invalid_client_metadata', 'grant_types must include authorization_code');
  const uris = metadata['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return refuse('invalid_redirect_uri', `redirect_uris must list 1 to ${MAX_REDIRECT_URIS} addresses`);
  const redirectUris: string[] = [];
  let native = false;
  for (const uri of uris) {
    if (typeof uri !== 'string') return refuse('invalid_redirect_uri', 'redirect_uris must be strings');
    const verdict = checkRedirectUri(uri);
    if (!verdict.ok) return refuse('invalid_redirect_uri', `a redirect address ${verdict.reason}`);
    if (verdict.kind !== 'https') native = true;
    if (!redirectUris.includes(uri)) redirectUris.push(uri);
  }
  const refresh = grantTypes === undefined || grantTypes.includes('refresh_token');
  const name = cleanClientName(metadata['client_name']);
  const clientUri = httpsOnly(metadata['client_uri']);
  const softwareId = short(metadata['software_id']);
  const softwareVersion = short(metadata['software_version']);
  return {
    ok: true,
    client: {
      ...(name === '' ? {} : { client_name: name }),
      redirect_uris: redirectUris,
      application_type: native ? 'native' : 'web',
      grant_types: refresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(clientUri === undefined ? {} : { client_uri: clientUri }),
      ...(softwareId === undefined ? {} : { software_id: softwareId }),
      ...(softwareVersion === undefined ? {} : { software_version: softwareVersion }),
    },
  };
}

function httpsOnly(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const verdict = checkRedirectUri(value);
  return verdict.ok && verdict.kind === 'https' ? value : undefined;
}
