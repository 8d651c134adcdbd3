export const WEBHOOK = { name: 'n', entries: ['1.2.3.4'], webhook: { url: 'https://x.example/' } };
export const VERSIONED: readonly (readonly [path: string, bodies: readonly [object, object], removes: boolean])[] = [
  ['/v1/lists/kept', [{ min_score: 50 }, { min_score: 60 }], true],
  ['/v1/watchlists/kept', [WEBHOOK, { ...WEBHOOK, name: 'm' }], true],
  ['/v1/allowlist', [{ entries: [] }, { entries: [{ prefix: '45.79.9.9', reason: 'r' }] }], false],
];

export const EMPTY = [{ 'Content-Length': '0' }, { 'Transfer-Encoding': 'chunked' }] as const;
export const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'text/plain',
];
export const WITHOUT_BODY = [
  ['POST', '/v1/watchlists/empty/test', 202],
  ['PUT', '/v1/allowlist', 400],
  ['POST', '/v1/feedback', 400],
  ['POST', '/v1/phone/lookup', 403],
  ['DELETE', '/v1/watchlists/empty', 204],
  ['DELETE', '/v1/lists/empty', 204],
] as const;
