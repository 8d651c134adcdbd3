/** Each language has an issuer: Chinese without a path prefix, English under /en. */
export type ConsoleLanguage = 'zh' | 'en';

/**
 * Addresses derived from the public one: issuers, resources and metadata (decisions 7.5). Both languages
 * share one audience.
 */
export interface OAuthAddresses {
  readonly baseUrl: string;
  readonly audience: string;
  readonly issuer: (language: ConsoleLanguage) => string;
  readonly resource: (language: ConsoleLanguage) => string;
  readonly resourceMetadata: (language: ConsoleLanguage) => string;
}

export const pathPrefix = (language: ConsoleLanguage): '' | '/en' => (language === 'en' ? '/en' : '');

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

/** Clients that begin at the keyless `/mcp` name it, and mean the account endpoint (decisions 7.5). */
const RESOURCE_PATH = /^(?:(?:\/en)?\/mcp\/account|\/mcp)\/?$/;

/**
 * True for the MCP endpoints, with or without a trailing slash. Tokens are granted for no other resource
 * (RFC 8707).
 * @param baseUrls addresses of this service
 */
export const isKnownResource = (baseUrls: readonly string[], resource: string): boolean =>
  baseUrls.some((baseUrl) => resource.startsWith(baseUrl) && RESOURCE_PATH.test(resource.slice(baseUrl.length)));
