const URL_MAX = 512;

/**
 * Returns the address of a client metadata document if a client id is one: https in its plain form, on the
 * standard port, with a path, and without user information, fragment or dot segments.
 */
export function clientDocumentUrl(clientId: string): URL | undefined {
  if (!clientId.startsWith('https://') || clientId.length > URL_MAX) return undefined;
  const url = URL.parse(clientId);
  // Another spelling of one address would be another client of the same name.
  if (url === null || url.href !== clientId) return undefined;
  const isPlain = url.port === '' && url.username === '' && url.password === '' && !clientId.includes('#');
  return isPlain && url.pathname !== '/' ? url : undefined;
}
