/** Tables of decide.test.ts. */

/** Values of X-Forwarded-For in which no client can be read. */
export const UNREADABLE: readonly (string | undefined)[] = [
  undefined,
  'foo',
  '',
  ' , ',
  '45.77.21.3, unknown',
  '45.77.21.3, 300.1.1.1, 127.0.0.1',
];

/** 45.77.21.1 tried passwords, 45.77.21.2 is a VPN exit. */
export const OPEN_TO_BASIC: readonly (readonly [path: string, body?: object])[] = [
  ['/v1/ip/45.77.21.1'],
  ['/v1/ip/batch', { ips: ['45.77.21.1', '45.77.21.2'] }],
  ['/v1/decide?ip=45.77.21.1'],
  ['/v1/decide?ip=45.77.21.2'],
  ['/api/v2/check?ipAddress=45.77.21.1'],
  [
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ip_risk_lookup', arguments: { ip: '45.77.21.1' } },
    },
  ],
  ['/v1/feedback', { ip: '45.77.21.1', verdict: 'false_positive' }],
];

export const CLOSED_TO_BASIC: readonly string[] = [
  '/lists/any.csv',
  '/lists/any.json',
  '/geoip/updates/metadata?edition_id=Pulse-Risk',
  '/pulse/v1/ip/45.77.21.1',
  '/pulse/v1/ip/45.77.21.1/explain',
  '/pulse/v1/ip/45.77.21.1/timeline',
];
