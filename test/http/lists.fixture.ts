/** Tables of lists.test.ts. */

/** Lists that are refused, and what the answer is about. */
// biome-ignore format: a table
export const REFUSED_LISTS: readonly (readonly [name: string, body: unknown, about: RegExp])[] = [
      ['Mine', {}, /named/],
      ['a-b', {}, /named/],
      ['drop', {}, /nft keeps/],
      ['ip', {}, /nft keeps/],
      ['mine', [], /JSON object/],
      ['mine', { score: 1 }, /no field/],
      ['mine', { min_score: 101 }, /min_score/],
      ['mine', { min_score: '70' }, /min_score/],
      ['mine', { levels: ['none', 'awful'] }, /levels/],
      ['mine', { levels: [] }, /levels/],
      ['mine', { states: ['none'] }, /states/],
      ['mine', { signals: 'vpn' }, /signals/],
      ['mine', { signals: ['vpn', 'hosting'] }, /hosting come from network data/],
      ['mine', { max_tier: 'T4' }, /max_tier/],
      ['mine', { family: 4 }, /family/],
      ['mine', { exclude: ['home'] }, /exclude/],
      ['mine', { max: 0 }, /max/],
];

/** Requests with a parameter that the path does not know. */
// biome-ignore format: a table
export const REFUSED_PARAMETERS: readonly (readonly [path: string, method: 'GET' | 'PUT' | 'DELETE'])[] = [
      ['/lists/high.txt?limit=1', 'GET'],
      ['/lists/high.txt?Family=4', 'GET'],
      ['/lists/high.txt?family=5', 'GET'],
      ['/v1/lists?name=high', 'GET'],
      ['/v1/lists/high?format=txt', 'GET'],
      ['/v1/lists/high?max=1', 'PUT'],
      ['/v1/lists/high?all', 'DELETE'],
];
