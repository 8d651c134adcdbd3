export const WEBHOOK = { name: 'n', entries: ['1.2.3.4'], webhook: { url: 'https://x.example/' } };
export const VERSIONED: readonly (readonly [path: string, bodies: readonly [object, object], removes: boolean])[] = [
  ['/v1/lists/kept', [{ min_score: 50 }, { min_score: 60 }], true],
  ['/v1/watchlists/kept', [WEBHOOK, { ...WEBHOOK, name: 'm' }], true],
  ['/v1/allowlist', [{ entries: [] }, { entries: [{ prefix: '45.79.9.9', reason: 'r' }] }], false],
];
