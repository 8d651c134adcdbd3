/** Languages of the console, and with them the two issuers: Chinese without a prefix, English under /en. */
export type ConsoleLanguage = 'zh' | 'en';

/** Everything that follows from the public address: issuers, resources and metadata addresses (decisions 7.5). One audience serves both languages. */
export interface OAuthAddresses {
  readonly baseUrl: string;
  /** The audience of every token, whichever issuer made it. */
  readonly audience: string;
  readonly issuer: (language: ConsoleLanguage) => string;
  readonly resource: (language: ConsoleLanguage) => string;
  /** RFC 9728 metadata address of an account endpoint, named in WWW-Authenticate. */
  readonly resourceMetadata: (language: ConsoleLanguage) => string;
}

export const pathPrefix = (language: ConsoleLanguage): '' | '/en' => (language === 'en' ? '/en' : '');

/** @param baseUrl public address without a trailing slash */
export function oauthAddresses(baseUrl: string): OAuthAddresses {
  return {
    baseUrl,
    audience: `${baseUrl}/mcp/account`,
    issuer: (language) => `${baseUrl}${pathPrefix(language)}`,
    resource: (language) => `${baseUrl}${pathPrefix(language)}/mcp/account`,
    resourceMetadata: (language) =>
      `${baseUrl}/.well-known/oauth-protected-resource${pathPrefix(language)}/mcp/account`,
  };
}

/** True for the two account endpoints, a trailing slash tolerated: the only resources a token is ever granted for (RFC 8707). */
export function isKnownResource(addresses: OAuthAddresses, resource: string): boolean {
  const plain = resource.endsWith('/') ? resource.slice(0, -1) : resource;
  return plain === addresses.resource('zh') || plain === addresses.resource('en');
}
