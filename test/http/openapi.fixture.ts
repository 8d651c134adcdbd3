import type { DOCUMENTS } from '../../src/contract/documents.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';

export interface AskOptions {
  readonly body?: unknown;
  readonly as?: string;
}

/** Answers that are the published document, with every header that is. */
// biome-ignore format: a table
export const GOOD: readonly (readonly [name: string, path: string, document: keyof typeof DOCUMENTS, method: 'GET' | 'POST', asked: string, options?: AskOptions])[] = [
  ['an active address', '/v1/ip/{ip}', 'IPRisk', 'GET', '/v1/ip/1.2.9.4'],
  ['a stale address', '/v1/ip/{ip}', 'IPRisk', 'GET', '/v1/ip/8.8.8.9'],
  ['an address never seen, without a key', '/v1/ip/{ip}', 'IPRisk', 'GET', '/v1/ip/2001:4860::1', { as: '' }],
  ['an address without a place', '/v1/ip/{ip}', 'IPRisk', 'GET', '/v1/ip/11.0.0.1'],
  ['evidence with a pool', '/pulse/v1/ip/{ip}', 'PulseIPRisk', 'GET', '/pulse/v1/ip/1.2.9.4'],
  ['no evidence', '/pulse/v1/ip/{ip}', 'PulseIPRisk', 'GET', '/pulse/v1/ip/8.8.8.8'],
  ['the table of the sandbox', '/sandbox', 'Sandbox', 'GET', '/sandbox', { as: '' }],
  ['a batch of addresses of every kind', '/v1/ip/batch', 'IPBatch', 'POST', '/v1/ip/batch', { body: { ips: ['1.2.9.4', '8.8.8.9', '2001:4860::1', '11.0.0.1', 'x', '10.0.0.1', '203.0.114.9'] }, }],
  ['a batch with evidence', '/pulse/v1/ip/batch', 'PulseIPBatch', 'POST', '/pulse/v1/ip/batch', { body: { ips: ['1.2.9.4', '8.8.8.8', 'x'] } }],
  ['a batch of the past that history cannot answer', '/pulse/v1/ip/batch', 'PulseIPBatch', 'POST', '/pulse/v1/ip/batch', { body: { ips: ['1.2.9.4', '2001:4860::1'], at: '2001-01-01T00:00:00Z' } }],
  ['me of an enterprise key', '/v1/me', 'Me', 'GET', '/v1/me'],
  ['me of a free key', '/v1/me', 'Me', 'GET', '/v1/me', { as: 'free' }],
  ['a number that is found', '/v1/phone/lookup', 'PhoneProfile', 'POST', '/v1/phone/lookup', { body: { number: '138 0013 8000' } }],
  ['a number that is not', '/v1/phone/lookup', 'PhoneProfile', 'POST', '/v1/phone/lookup', { body: { number: '+12025550123' } }],
  ['a batch of every kind', '/v1/phone/batch', 'PhoneBatch', 'POST', '/v1/phone/batch', { body: { numbers: ['+8613800138000', '+1 202', 'x', '+6591234567'] } }],
  ['the tags', '/v1/phone/meta/tags', 'PhoneTags', 'GET', '/v1/phone/meta/tags'],
  ['the coverage', '/v1/phone/meta/coverage', 'PhoneCoverage', 'GET', '/v1/phone/meta/coverage'],
];

// biome-ignore format: a table
export const BAD: readonly (readonly [code: ErrorCode, path: string, asked: string, options?: AskOptions])[] = [
  ['invalid_ip', '/v1/ip/{ip}', '/v1/ip/8.8.8'],
  ['reserved_ip', '/v1/ip/{ip}', '/v1/ip/10.0.0.1'],
  ['not_found', '/v1/ip/{ip}', '/v1/ip/203.0.114.9'],
  ['bad_request', '/v1/ip/{ip}', '/v1/ip/8.8.8.8?at=2026-01-01T00:00:00Z'],
  ['key_in_query', '/v1/ip/{ip}', '/v1/ip/8.8.8.8?key=x'],
  ['invalid_key', '/v1/ip/{ip}', '/v1/ip/8.8.8.8', { as: 'pk_wrong' }],
  ['key_required', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8', { as: '' }],
  ['professional_required', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8', { as: 'free' }],
  ['history_requires_professional', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=2026-01-01T00:00:00Z', { as: 'free' }],
  ['invalid_time', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=yesterday'],
  ['at_out_of_window', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=2001-01-01T00:00:00Z'],
  ['history_no_ipv6', '/pulse/v1/ip/{ip}', `/pulse/v1/ip/2001:4860::1?at=${new Date(Date.now() - 60_000).toISOString()}`],
  ['bad_request', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: [] } }],
  ['payload_too_large', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: Array(1001).fill('8.8.8.8') } }],
  ['batch_over_rate_limit', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: Array(61).fill('8.8.8.8') }, as: 'small' }],
  ['invalid_time', '/pulse/v1/ip/batch', '/pulse/v1/ip/batch', { body: { ips: ['8.8.8.8'], at: 'yesterday' } }],
  ['professional_required', '/pulse/v1/ip/batch', '/pulse/v1/ip/batch', { body: { ips: ['8.8.8.8'] }, as: 'free' }],
  ['key_required', '/v1/me', '/v1/me', { as: '' }],
  ['bad_number', '/v1/phone/lookup', '/v1/phone/lookup', { body: { number: 'x' } }],
  ['bad_request', '/v1/phone/lookup', '/v1/phone/lookup', { body: '{' }],
  ['capability_not_eligible', '/v1/phone/lookup', '/v1/phone/lookup', { body: { number: '1' }, as: 'free' }],
  ['payload_too_large', '/v1/phone/batch', '/v1/phone/batch', { body: { numbers: Array(1001).fill('+1') } }],
  ['batch_over_rate_limit', '/v1/phone/batch', '/v1/phone/batch', { body: { numbers: ['+12025550123', '+22025550123', '+32025550123'] }, as: 'small' }],
];
