import { checkRedirectUri, MAX_REDIRECT_URIS } from './check-redirect-uri.ts';

/** Fields kept of a dynamic registration (RFC 7591 2). Everything else a client sends is dropped: unknown metadata must be ignored, and logos or links of strangers have no place on a consent page. */
export interface AcceptedClient {
  /** Absent when the client gave none worth showing. */
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
/** Characters without a look of their own, so that a name reads on the consent page as it is stored: category C, the default-ignorable ones (Hangul fillers), line separators, blank Braille. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/** A client's own name, made safe to show: one line, no unseen characters, at most 100 characters. Still untrusted text; escape it where it is shown. */
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
 * Judges a registration request: public clients only, redirect addresses by our rules, grants and scopes we do not have filtered out instead of refused
 * (clients register for every server with one document). A missing `application_type` is inferred, because as `web` a loopback client's port would not be free (RFC 8252 7.3).
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
