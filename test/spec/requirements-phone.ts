import type { RequirementRow } from './requirements.ts';

/**
 * The phone capability: interface parts "Phone risk profile", "Phone batch body", "Phone evidence_state", the
 * phone endpoints, normalisation, Authentication 5, Limits.
 */
// biome-ignore format: a table, one row a requirement
export const PHONE_ROWS: readonly RequirementRow[] = [
  // Profile
  ['phone', 'PHONE-Q-INPUT', 'query.input is the input as received'],
  ['phone', 'PHONE-Q-E164', 'query.e164 is the normalised international form'],
  ['phone', 'PHONE-Q-NATIONAL', 'query.national_number is the national part, a string'],
  ['phone', 'PHONE-Q-CODE', 'query.country_code is the calling code, an integer'],
  ['phone', 'PHONE-Q-ISO2', 'query.country.iso2 is alpha-2 or null; null for +1'],
  ['phone', 'PHONE-Q-LENGTH', 'query.valid_length says whether the length fits the plan; null when the plan is unknown'],
  ['phone', 'PHONE-HIT', 'hit says whether the number is in a library'],
  ['phone', 'PHONE-STATE', 'evidence_state is active, stale or none'],
  ['phone', 'PHONE-STALE-90', 'stale when there was no capture for over 90 days'],
  ['phone', 'PHONE-SCORE', 'risk.score is the raw 0 to 9 of the data source, passed through'],
  ['phone', 'PHONE-LEVEL', 'risk.level is high, medium, low or none'],
  ['phone', 'PHONE-TAGS', 'risk.primary_tag and risk.tags are {code, slug}'],
  ['phone', 'PHONE-ACTIVITY', 'activity has first_seen, last_active, last_active_days_ago, observed_days'],
  ['phone', 'PHONE-CARRIER', 'carrier holds province (ISO 3166-2), city_code (GB/T 2260), carrier, attribute and card_type of mainland numbers'],
  ['phone', 'PHONE-CARRIER-ABSENT', 'carrier is for mainland numbers only, and its missing parts are absent'],
  ['phone', 'PHONE-SOURCES', 'sources lists library, risk, tag, first_seen, last_active'],
  ['phone', 'PHONE-MISS', 'a miss holds only query, hit, evidence_state none, risk with score 0 and no tags, miss_reason and meta'],
  ['phone', 'PHONE-META-ID', 'meta.request_id is the request’s'],
  ['phone', 'PHONE-META-VERSION', 'meta.data_version has the versions of both libraries, and minute-level ones'],
  // Batch
  ['phone', 'PHONE-B-COUNTS', 'count, billable and hit_count of a batch'],
  ['phone', 'PHONE-B-ORDER', 'results stand in input order'],
  ['phone', 'PHONE-B-SHAPE', 'each result has the shape of a single lookup'],
  ['phone', 'PHONE-B-INLINE', 'an unparseable item holds query.input, hit false and an inline error'],
  // Endpoints
  ['phone', 'PHONE-LOOKUP', 'POST /v1/phone/lookup answers with the profile'],
  ['phone', 'PHONE-BODY-ONLY', 'numbers travel in the body; there is no GET form'],
  ['phone', 'PHONE-TAGS-FREE', 'GET /v1/phone/meta/tags is free'],
  ['phone', 'PHONE-TAGS-DICTIONARY', 'the dictionary has label and description of risk tags, card attributes, card types and evidence states'],
  ['phone', 'PHONE-COVERAGE-FREE', 'GET /v1/phone/meta/coverage is free and reports data coverage and update cadence'],
  // Normalisation
  ['phone', 'PHONE-NORM-1', 'spaces, dashes, brackets, dots, full-width digits, zero-width and non-breaking characters are normalised away'],
  ['phone', 'PHONE-NORM-2', 'a leading + or 00 marks an international form; a long-distance zero on a mainland number is accepted'],
  ['phone', 'PHONE-NORM-3A', 'eleven digits 1, 3 to 9, nine more are a mainland number first'],
  ['phone', 'PHONE-NORM-3B', 'then an international number without + when code and valid national length can be separated'],
  ['phone', 'PHONE-NORM-3C', 'else +86'],
  ['phone', 'PHONE-NORM-4', 'letters, quotes, emoji and other foreign characters make an input unparseable; nothing is guessed'],
  ['phone', 'PHONE-NORM-5', 'a parseable number of wrong length is looked up and billed: valid_length false, unqueryable_bad_length'],
  // Authentication 5
  ['phone', 'PHONE-AUTH', 'a caller who may not ask gets key_required, invalid_key, capability_not_eligible or capability_not_enabled, and nothing is charged'],
  // Limits
  ['phone', 'PHONE-BATCH-MAX', 'at most 1000 numbers a batch'],
  ['phone', 'PHONE-BODY-MAX', 'at most 1 MiB a body, also chunked'],
  ['phone', 'PHONE-UNIT', 'X-Quota-Unit is phone_number'],
  ['phone', 'PHONE-UNITS-COST', 'X-Billable-Units is what the answer cost'],
  ['phone', 'PHONE-HEADERS-NUMBERS', 'X-Daily-* and X-RateLimit-* are in phone numbers'],
  ['phone', 'PHONE-SEPARATE', 'phone numbers are counted apart from address lookups'],
  ['phone', 'PHONE-BILL-LOOKUP', 'a lookup costs one number'],
  ['phone', 'PHONE-BILL-BATCH', 'a batch costs every parseable number, duplicates each time'],
  ['phone', 'PHONE-BILL-UNPARSEABLE', 'unparseable inputs cost nothing'],
  ['phone', 'PHONE-ALL-OR-NOTHING', 'a batch the remaining day cannot hold is refused whole and charged nothing'],
  ['phone', 'PHONE-OVER-MINUTE', 'a batch above the per-minute allowance can never pass'],
  ['phone', 'PHONE-NON-200', 'nothing is charged on any answer but 200'],
  ['phone', 'ME-PHONE', 'capabilities.phone of /v1/me holds used_today, refunded_today and remaining in numbers'],
  ['phone', 'PHONE-PRIVACY', 'beyond the interface: a number reaches no log, error or URL'],
  // Errors
  ['phone', 'ERR-bad_request', 'body not JSON, number or numbers missing, wrong types'],
  ['phone', 'ERR-bad_number', 'the number of a single lookup cannot be parsed; query.input is in the body'],
  ['phone', 'ERR-capability_not_eligible', 'the plan cannot hold the capability'],
  ['phone', 'ERR-capability_not_enabled', 'the key lacks the capability'],
  ['phone', 'ERR-payload_too_large', 'more than 1000 numbers, or a body over 1 MiB'],
  ['phone', 'ERR-batch_over_rate_limit', 'the batch is larger than the per-minute allowance'],
  ['phone', 'ERR-upstream_unavailable', 'a library cannot be reached: Retry-After 5, not billed'],
  ['phone', 'ERR-phone_disabled', 'the capability is switched off'],
  ['phone', 'ERR-quota_unavailable', 'the billing backend is not ready'],
];
