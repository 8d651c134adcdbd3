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
  /** @param query as it was asked, with its question mark: part of a resource and of its metadata's address */
  readonly resource: (language: ConsoleLanguage, query?: string) => string;
  readonly resourceMetadata: (language: ConsoleLanguage, query?: string) => string;
}

/**
 * Clients that begin at the keyless `/mcp` compare it with the resource. Its metadata is the account endpoint's
 * with this mark: at an address of its own clients would take it for an endpoint that must be signed in to.
 */
export const KEYLESS = 'for=mcp';

export const pathPrefix = (language: ConsoleLanguage): '' | '/en' => (language === 'en' ? '/en' : '');

export function oauthAddresses(baseUrl: string): OAuthAddresses {
  return {
    baseUrl,
    audience: `${baseUrl}/mcp/account`,
    issuer: (language) => `${baseUrl}${pathPrefix(language)}`,
    resource: (language, query = '') => `${baseUrl}${pathPrefix(language)}/mcp/account${query}`,
    resourceMetadata: (language, query = '') =>
      `${baseUrl}/.well-known/oauth-protected-resource${pathPrefix(language)}/mcp/account${query}`,
  };
}

/** Clients that begin at the keyless `/mcp` name it, and mean the account endpoint (decisions 7.5). */
const RESOURCE_PATH = /^(?:(?:\/en)?\/mcp\/account|\/mcp)\/?(?:\?tools=[\w,%]*)?$/;

/**
 * True for the MCP endpoints, with or without a trailing slash or chosen tools. Tokens are granted for no other resource
 * (RFC 8707).
 * @param baseUrls addresses of this service
 */
export const isKnownResource = (baseUrls: readonly string[], resource: string): boolean =>
  baseUrls.some((baseUrl) => resource.startsWith(baseUrl) && RESOURCE_PATH.test(resource.slice(baseUrl.length)));
