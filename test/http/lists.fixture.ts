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

/** Whether the level of an address is high, beside and in 45.80.1.4/30. */
export const HIGH: readonly (readonly [ip: string, isHigh: boolean])[] = [
  ['45.80.1.3', false],
  ['45.80.1.4', true],
  ['45.80.1.7', true],
  ['45.80.1.8', false],
  ['45.80.2.9', true],
];

/** Content codings by Accept-Encoding. */
export const CODINGS: readonly (readonly [accepted: string, coding: string | null])[] = [
  ['gzip', 'gzip'],
  ['br, GZIP;q=0.5', 'gzip'],
  ['gzip;q=0', null],
  ['br', null],
];

/** Questions about the past that are refused, by the tier of the key. @param moment so many hours ago */
export const refusedPast = (
  moment: (agoHours: number) => string,
): readonly (readonly [tier: 'basic' | 'professional', query: string, code: string])[] => [
  ['professional', 'at=yesterday', 'invalid_time'],
  ['professional', `at=${moment(-1)}`, 'invalid_time'],
  ['professional', `at=${moment(1)}&at=${moment(1)}`, 'invalid_time'],
  ['professional', `at=${moment(24 * 40)}`, 'at_out_of_window'],
  ['professional', `since=${moment(24 * 40)}`, 'at_out_of_window'],
  ['basic', `at=${moment(1)}`, 'history_requires_professional'],
  ['professional', `since=${moment(1)}&at=${moment(2)}`, 'bad_request'],
];
