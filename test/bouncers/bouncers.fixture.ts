/** Tables of bouncers.test.ts. */

type Request = readonly [method: string, path: string];

/** What a bouncer's key may not ask. */
export const FORBIDDEN: readonly Request[] = [
  ['GET', '/v1/ip/8.8.8.8'],
  ['GET', '/pulse/v1/ip/8.8.8.8'],
  ['GET', '/pulse/v1/network/8.8.8.0/24'],
  ['GET', '/v1/decide?ip=8.8.8.8'],
  ['GET', '/v1/me'],
  ['GET', '/v1/allowlist'],
  ['GET', '/v1/lists'],
  ['GET', '/lists/high.txt'],
  ['GET', '/geoip/updates/metadata?edition_id=Pulse-Risk'],
  ['GET', '/api/v2/check?ipAddress=8.8.8.8'],
  ['POST', '/v1/ip/batch'],
  ['POST', '/v1/phone/lookup'],
  ['POST', '/v1/evidence'],
  ['PUT', '/v1/allowlist'],
  ['DELETE', '/v1/watchlists/mine'],
  ['POST', '/mcp/account'],
];

/** Values that a filter leaves of the decisions on 45.78.1.1 (credentials) and 45.78.1.2 (proxy). */
export const FILTERED: readonly (readonly [query: string, values: readonly string[]])[] = [
  ['scope=Ip&value=45.78.1.1', ['45.78.1.1']],
  ['value=45.78.1.0/24&type=ban', ['45.78.1.1', '45.78.1.2']],
  ['scope=range&value=45.78.1.1', []],
  ['scope=ip&value=8.8.8.8', []],
  ['value=10.0.0.1', []],
  ['scope=AS&value=AS64500', []],
  ['type=captcha', []],
  ['origins=cscli', []],
  ['scopes=ip,range&origins=pulse&scenarios_containing=proxy', ['45.78.1.2']],
];

export const UNKNOWN_PARAMETERS: readonly Request[] = [
  ['GET', 'decisions?limit=5'],
  ['GET', 'decisions?scenario=proxy'],
  ['GET', 'decisions?adress=8.8.8.8'],
  ['GET', 'decisions?value=8.8.8'],
  ['GET', 'decisions?ip=8.8.8.8&value=8.8.8.8'],
  ['HEAD', 'decisions?limit=5'],
  ['GET', 'decisions/stream?value=8.8.8.8'],
  ['GET', 'heartbeat?x'],
  ['POST', 'usage-metrics?x'],
];
