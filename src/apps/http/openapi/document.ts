import { DOCUMENTS } from '../../../contract/documents.ts';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { IP_BATCH_MAX } from '../../../contract/ip-batch.ts';
import { LIST_FORMATS } from '../../../contract/lists.ts';
import { PHONE_BATCH_MAX } from '../../../contract/phone.ts';
import { LEVELS, RISK_TYPES, SHARE_TIERS, SIGNALS } from '../../../contract/risk.ts';
import { WATCHED_CHANGES } from '../../../contract/watched-changes.ts';
import { EDITIONS } from '../../../core/export/export-record.ts';
import { FEEDBACK_VERDICTS } from '../../../service/feedback/feedback-store.ts';

type Json = Readonly<Record<string, unknown>>;

const ref = (name: keyof typeof DOCUMENTS): Json => ({ $ref: `#/components/schemas/${name}` });
/**
 * Publishes a schema: every component is a reference, and every object is open, because consumers must ignore
 * unknown keys and a client generated from a closed schema refuses them.
 */
function linked(schema: unknown, isRoot = true): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = isRoot ? undefined : NAME_OF.get(JSON.stringify(schema));
  if (name !== undefined) return ref(name);
  if (Array.isArray(schema)) return schema.map((part) => linked(part, false));
  const open = Object.entries(schema).filter(([key, part]) => key !== 'additionalProperties' || part !== false);
  return Object.fromEntries(open.map(([key, part]) => [key, linked(part, false)]));
}

const NAME_OF: ReadonlyMap<string, keyof typeof DOCUMENTS> = new Map(
  (Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[]).map((name) => [JSON.stringify(DOCUMENTS[name]), name]),
);

const TEXT: Json = { type: 'string' };
const INTEGER: Json = { type: 'integer' };
const MOMENT: Json = { type: 'string', format: 'date-time' };
const oneOf = (values: readonly unknown[]): Json => ({ type: 'string', enum: values });
const described = (schema: Json, description: string): Json => ({ ...schema, description });
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const list = (items: Json, more: Json = {}): Json => ({ type: 'array', items, ...more });

const json = (schema: Json): Json => ({ 'application/json': { schema } });
const body = (properties: Json, required: readonly string[] = Object.keys(properties)): Json => ({
  required: true,
  content: json(object(properties, { ...(required.length > 0 && { required }), additionalProperties: false })),
});
const parameter = (place: string, name: string, description: string, schema: Json = TEXT, more: Json = {}): Json => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema,
  ...more,
});
const query = (name: string, description: string, schema?: Json, more?: Json): Json =>
  parameter('query', name, description, schema, more);

const sentAs = (schema: Json, description: string): Json => ({ description, schema });
const HEADERS = {
  'X-Request-Id': sentAs(TEXT, 'Quote it when reporting a problem.'),
  'X-Daily-Limit': sentAs(INTEGER, 'Daily allowance that binds now.'),
  'X-Daily-Remaining': sentAs(INTEGER, 'What is left of it.'),
  'X-Daily-Reset': sentAs(INTEGER, 'Unix seconds at which it starts again.'),
  'X-RateLimit-Limit': sentAs(INTEGER, 'Allowance of this clock minute.'),
  'X-RateLimit-Remaining': sentAs(INTEGER, 'What is left of the minute.'),
  'Retry-After': sentAs(INTEGER, 'Seconds to wait.'),
  'WWW-Authenticate': sentAs(TEXT, 'How to authenticate.'),
  'Access-Control-Allow-Origin': sentAs(oneOf(['*']), 'Pages of every site may read the answer.'),
  ETag: sentAs(TEXT, 'Version; send it back in If-None-Match, or in If-Match with a change.'),
  'X-Quota-Unit': sentAs(TEXT, 'phone_number'),
  'X-Billable-Units': sentAs(INTEGER, 'Numbers this answer cost.'),
  'X-Pulse-Degraded': sentAs(TEXT, '1 when one evidence source was unavailable.'),
  'X-Pulse-Action': sentAs(oneOf(['allow', 'challenge', 'deny']), 'Action of the policy.'),
  'X-Pulse-Reason': sentAs(TEXT, 'Type and age of the strongest evidence, in English words.'),
  'X-Pulse-Score': sentAs(INTEGER, 'Score of the address.'),
  'X-Pulse-State': sentAs(oneOf(['active', 'stale', 'none']), 'Evidence state of the address.'),
  'X-Pulse-Observe': sentAs(TEXT, '1 while the policy only observes.'),
  'X-Pulse-Prefixes': sentAs(TEXT, 'How many prefixes of how many there would be without max.'),
  'X-Pulse-Left-Out': sentAs(INTEGER, 'Prefixes left out because their sources may not be passed on.'),
  'X-Pulse-Time': sentAs(INTEGER, 'Our clock as the answer leaves, milliseconds since 1970.'),
};
const headers = (...names: readonly (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const ANY_ORIGIN = headers('Access-Control-Allow-Origin');
const DAILY = headers('X-Daily-Limit', 'X-Daily-Remaining', 'X-Daily-Reset');
const MINUTE = headers('X-RateLimit-Limit', 'X-RateLimit-Remaining');
const COUNTED: Json = { ...DAILY, ...MINUTE };
const VERDICT: Json = { ...COUNTED, ...headers('X-Pulse-Degraded') };
const PHONE_UNITS = headers('X-Quota-Unit', 'X-Billable-Units');
const PHONE_COUNTED: Json = { ...COUNTED, ...PHONE_UNITS };
const DECISION = headers('X-Pulse-Action', 'X-Pulse-Reason', 'X-Pulse-Score', 'X-Pulse-State', 'X-Pulse-Observe');
const REQUEST_ID = headers('X-Request-Id');
/** Headers of refusals, by status; of a used-up day those of the day besides. */
const REFUSED: Readonly<Record<string, Json>> = {
  401: headers('WWW-Authenticate'),
  429: { ...headers('Retry-After'), ...MINUTE },
  502: headers('Retry-After'),
  503: headers('Retry-After'),
};

const answer = (status: number, description: string, schema?: Json, more: Json = {}): Json => ({
  [status]: { description, headers: { ...more, ...REQUEST_ID }, ...(schema && { content: json(schema) }) },
});
const ok = (name: keyof typeof DOCUMENTS, description: string, more?: Json): Json =>
  answer(200, description, ref(name), more);

const KEY_FAULTS = ['invalid_key', 'revoked_key', 'key_expired', 'key_in_query'] as const;
const NO_KEY = ['key_required', ...KEY_FAULTS] as const;
const ALWAYS = ['rate_limited', 'not_ready'] as const;
const KEYED: readonly Json[] = [{ key: [] }, { bearer: [] }];

/** Who may ask: the security of the operation, and how others are refused. */
const WHO = {
  anyone: [[{}], ALWAYS],
  client: [
    [{}, ...KEYED],
    [...KEY_FAULTS, ...ALWAYS],
  ],
  key: [KEYED, [...NO_KEY, ...ALWAYS]],
  uncounted: [KEYED, NO_KEY],
  owner: [KEYED, ['key_required', 'revoked_key', 'key_expired', 'key_in_query']],
  bouncer: [KEYED, ['key_in_query', 'bad_request', 'forbidden', 'professional_required', ...ALWAYS]],
  reporter: [
    [{ abuseIpdb: [] }, ...KEYED],
    [...NO_KEY, ...ALWAYS],
  ],
  file: [
    [...KEYED, { basic: [] }],
    [...NO_KEY, 'professional_required', 'bad_request', ...ALWAYS],
  ],
} as const satisfies Readonly<Record<string, readonly [readonly Json[], readonly ErrorCode[]]>>;

const DAY = ['quota_exceeded', 'key_quota_exceeded'] as const;
const ANYONES_DAY = [...DAY, 'quota_exceeded_anon', 'quota_exceeded_ai_agent'] as const;
const ADDRESS = ['invalid_ip', 'reserved_ip'] as const;
const LOOKED_UP = [...ADDRESS, 'not_found', ...DAY] as const;
const BASIC = [...LOOKED_UP, ...ANYONES_DAY, 'bad_request'] as const;
const WINDOW = [
  'invalid_time',
  'at_out_of_window',
  'history_not_enabled',
  'history_no_ipv6',
  'history_requires_professional',
  'history_unavailable',
] as const;
const PROFESSIONAL = [...LOOKED_UP, ...WINDOW, 'professional_required'] as const;
const TAKEN = ['bad_request', 'payload_too_large', 'unsupported_media_type'] as const;
const PHONE = [
  ...TAKEN,
  'capability_not_eligible',
  'capability_not_enabled',
  'quota_exceeded',
  'upstream_unavailable',
  'phone_disabled',
  'quota_unavailable',
] as const;

const AT = query(
  'at',
  'RFC 3339 date-time, IPv4 only: the verdict as it stood at that moment. Write a plus offset as %2B.',
  MOMENT,
);
const EDITION = oneOf(Object.keys(EDITIONS));
const IN_PATH: Readonly<Record<string, Json>> = {
  ip: parameter('path', 'ip', 'Public IPv4 or IPv6 address; private and reserved ones are refused.', TEXT, {
    example: '8.8.8.8',
  }),
  network: parameter(
    'path',
    'network',
    'A prefix (/8 to /32, IPv6 /16 to /64), its slash encoded or not, or an AS such as AS60729.',
    TEXT,
    { example: 'AS60729' },
  ),
  bits: parameter('path', 'bits', 'Length of the prefix, where its slash is not encoded.', INTEGER, { example: 24 }),
  id: parameter('path', 'id', 'Name of the list: lower-case letters, digits, - and _.', TEXT, { example: 'servers' }),
  delivery: parameter('path', 'delivery', 'Id of the delivery.'),
  name: parameter('path', 'name', 'Name of the list.', { type: 'string', pattern: '^[a-z][a-z0-9_]{0,23}$' }),
  format: parameter(
    'path',
    'format',
    'txt: a prefix a line and nothing else. nft: a script for nft -f.',
    oneOf(LIST_FORMATS),
  ),
  edition: parameter('path', 'edition', 'Name of the edition.', EDITION),
};
const SANDBOX_IP: Json = { ...IN_PATH['ip'], description: 'Address of a documentation range.', example: '192.0.2.5' };

const BEYOND = 'An extension of the published interface';
const BATCH_RULES = `${BEYOND}. The minute counts items, or KiB of the body if those are more; the day items with a verdict, reserved all or nothing. Takes text/plain too, one address a line; answers application/x-ndjson on Accept.`;
const SANDBOX_RULES = `${BEYOND}. A fixed verdict or refusal for a documentation address. Works without a key and costs nothing; headers show counters that never move. GET /sandbox lists the addresses.`;
const BOUNCER_RULES = `${BEYOND}: the read side of CrowdSec's bouncer protocol, for keys made with --bouncer. A key that is missing or not good is 403 here. Uncharged; sixty calls a minute and key.`;
const NETWORK_RULES = `${BEYOND}, for keys on the professional tier: how many addresses have evidence, by state, level and risk type, the riskiest fifty, and the networks around and inside. Costs one lookup.`;
const ALLOW_RULES = `${BEYOND}. Answers to the keys of this account alone score at most 1 for these addresses and carry meta.override: true, from the moment of the entry to its end. Free.`;
const WATCH_RULES = `${BEYOND}, for the professional tier. Costs nothing of the day. Changes of state and level are sent to the webhook by the rules of Standard Webhooks.`;
const LIST_RULES = `${BEYOND}: lists of addresses that firewalls fetch at /lists/{name}.{format}. Free.`;
const UPDATER = `${BEYOND}, as MaxMind's geoipupdate asks for files.`;

const IPS = list(TEXT, {
  description: 'One to 1,000 addresses; one that cannot be looked up gets an error of its own.',
  minItems: 1,
  maxItems: IP_BATCH_MAX,
});
const ipBatch = (name: 'IPBatch' | 'PulseIPBatch', more: Json = {}): readonly [Json, Json] => {
  const { content, ...taken } = body({ ips: IPS, ...more }, ['ips']);
  return [
    {
      200: {
        ...(answer(200, 'Results in input order.', ref(name), VERDICT)[200] as Json),
        // Not in `content`: generators make one type of all media types of an answer.
        'x-ndjson': { description: 'With Accept: application/x-ndjson, one item of results a line.' },
      },
    },
    {
      requestBody: {
        ...taken,
        content: { ...(content as Json), 'text/plain': { schema: described(TEXT, 'One address a line.') } },
      },
    },
  ];
};
const [BATCH, BATCH_BODY] = ipBatch('IPBatch');
const [PULSE_BATCH, PULSE_BATCH_BODY] = ipBatch('PulseIPBatch', {
  at: described(MOMENT, 'Moment asked about, RFC 3339. IPv4 only.'),
});

const ALLOWED_ENTRY: Json = {
  prefix: TEXT,
  reason: { type: 'string', maxLength: 300 },
  from: { ...MOMENT, readOnly: true },
  until: MOMENT,
};
const ALLOW_LIST: Json = {
  entries: list(object(ALLOWED_ENTRY, { required: ['prefix', 'reason'], additionalProperties: false }), {
    description: 'Allowed addresses and prefixes, each with its reason and, where it ends, until when.',
    maxItems: 1000,
  }),
};
const ALLOWED = answer(200, 'Entries in force.', linked(object(ALLOW_LIST, { required: ['entries'] })) as Json);

const LIST_SETTINGS: Json = {
  min_score: {
    ...INTEGER,
    minimum: 0,
    maximum: 100,
    description: 'Scores from this on: 70 unless said, 0 with levels.',
  },
  levels: list(oneOf(LEVELS), { description: 'Levels of the score.' }),
  states: list(oneOf(['active', 'stale']), { description: 'States of the evidence: active unless said.' }),
  signals: list(oneOf(SIGNALS), { description: 'Verdicts with one of these signals.' }),
  max_tier: described(oneOf(SHARE_TIERS), 'Leaves out what more share by its network.'),
  include_shared: described({ type: 'boolean' }, 'Holds what is only challenged, too.'),
  family: described(oneOf(['4', '6', 'both']), 'Address family.'),
  exclude: list(TEXT, { maxItems: 1000, description: 'Addresses and prefixes that are never on it.' }),
  max: { ...INTEGER, minimum: 1, description: 'The most prefixes at a time, the riskiest.' },
};
const LIST = object(
  {
    name: TEXT,
    shared: { type: 'boolean', description: 'True for a list of the installation, which every key may fetch.' },
    ...LIST_SETTINGS,
    changed_at: MOMENT,
    last_fetch: object(
      { at: MOMENT, key_id: TEXT, prefixes: INTEGER, bytes: INTEGER },
      { description: 'The last fetch of a list of this account.' },
    ),
  },
  { required: ['name', 'shared', 'min_score', 'states', 'max_tier', 'family', 'exclude', 'changed_at'] },
);
const WATCHLIST: Json = {
  name: { type: 'string', maxLength: 80, description: 'Name for people.' },
  entries: list(TEXT, {
    description: 'Addresses and prefixes: /16 and longer, /32 in IPv6.',
    minItems: 1,
    maxItems: 1000,
  }),
  on: list(oneOf(WATCHED_CHANGES), { description: 'By default both.' }),
  min_level: described(oneOf(['low', 'medium', 'high']), 'Least level before or after a change.'),
  webhook: object({ url: TEXT }, { description: 'Receiver.', required: ['url'], additionalProperties: false }),
};
const SENT = answer(202, 'It is sent at once.', object({ id: TEXT }));

const FILTERS = ['scope', 'scopes', 'origins', 'scenarios_containing', 'scenarios_not_containing', 'type'].map((name) =>
  query(name, 'Filter of the protocol.'),
);
const DECISIONS: Json = {
  type: ['array', 'null'],
  items: object({
    id: INTEGER,
    uuid: TEXT,
    origin: TEXT,
    scenario: TEXT,
    scope: oneOf(['Ip', 'Range']),
    type: oneOf(['ban', 'captcha']),
    value: TEXT,
    duration: described(TEXT, 'Until the verdict falls below the least score, as Go writes it.'),
  }),
};
const IDEMPOTENCY_KEY = parameter(
  'header',
  'Idempotency-Key',
  'Name of what is sent, unique within the account: sent again (evidence: within seven days), it is taken once.',
  { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
);
const FEEDBACK: Json = {
  ip: described(TEXT, 'The address.'),
  verdict: described(oneOf(FEEDBACK_VERDICTS), 'How the verdict is wrong.'),
  risk_type: described(oneOf(RISK_TYPES), 'Kind of evidence that is wrong or missing.'),
  comment: { type: 'string', maxLength: 1000, description: 'Why, for the operator.' },
};
const REPORT = object(
  {
    ip: FEEDBACK['ip'],
    categories: described(TEXT, 'Numbers of AbuseIPDB, separated by commas; in JSON a number or an array too.'),
    timestamp: described(MOMENT, 'When the address was seen.'),
    comment: described(TEXT, 'Not kept.'),
  },
  { additionalProperties: true, required: ['ip', 'categories'] },
);
const reported = (more?: Json): Json =>
  answer(
    200,
    'The address and its score.',
    object({ data: object({ ipAddress: TEXT, abuseConfidenceScore: INTEGER }) }),
    more,
  );
const LINES = described(TEXT, 'At most 100,000 rows and 8 MiB; Content-Encoding: gzip is taken up to 64 MiB unpacked.');
const DATABASES = object({ databases: list(object({ edition_id: TEXT, date: TEXT, md5: TEXT })) });
const fileAnswer = (description: string, content: Json, unchanged: string, more: Json = {}): Json => ({
  200: { description, headers: { ...more, ...REQUEST_ID }, content },
  304: { description: unchanged },
});
const GZIP = fileAnswer(
  'The file.',
  { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
  'The file at hand is current.',
);

const versioned = (answers: Json): Json => {
  const good = answers['200'] as { readonly headers: Json };
  return {
    200: { ...good, headers: { ...good.headers, ...headers('ETag') } },
    304: { description: 'It is unchanged.' },
  };
};
const IF_SAME = {
  parameters: [parameter('header', 'If-Match', 'Versions that may be changed, or *: 412 for another.')],
};

/** Endpoint, operationId, tag, who may ask, summary, description, answers, refusals besides those of `who`, the rest. */
type Operation = readonly [string, string, string, keyof typeof WHO, string, string, Json, readonly ErrorCode[], Json?];

// biome-ignore format: one block an operation
const OPERATIONS: readonly Operation[] = [
  ['GET /v1/ip/{ip}', 'lookupIp', 'IP', 'client', 'Verdict for one address',
    'Works without a key and from a browser on any site. A verdict holds for the moment it is computed; do not cache it.',
    ok('IPRisk', 'The verdict.', { ...VERDICT, ...ANY_ORIGIN }), BASIC],
  ['GET /pulse/v1/ip/{ip}', 'lookupIpProfessional', 'IP', 'key', 'Verdict with evidence, now or at a past moment',
    'For keys on the professional tier. Refused moments consume no daily allowance, and none falls back to a live verdict.',
    ok('PulseIPRisk', 'The verdict with its evidence.', VERDICT), PROFESSIONAL, { parameters: [AT] }],
  ['POST /v1/ip/batch', 'lookupIps', 'IP', 'client', 'Verdicts for up to 1,000 addresses', `${BATCH_RULES} Works without a key.`,
    BATCH, [...TAKEN, ...ANYONES_DAY, 'forbidden', 'batch_over_rate_limit'], BATCH_BODY],
  ['POST /pulse/v1/ip/batch', 'lookupIpsProfessional', 'IP', 'key', 'Verdicts with evidence for up to 1,000 addresses, now or at a past moment',
    `${BATCH_RULES} Professional tier; history refuses single items.`,
    PULSE_BATCH, [...TAKEN, ...DAY, 'invalid_time', 'professional_required', 'history_requires_professional', 'forbidden', 'batch_over_rate_limit', 'history_unavailable'], PULSE_BATCH_BODY],
  ['GET /pulse/v1/ip/{ip}/explain', 'explainIp', 'IP', 'key', 'How a verdict comes about, now or at a past moment',
    `${BEYOND}, for keys on the professional tier. Rows with every factor of their strength, bounds that hold the score, when it leaves its levels, and how the sharing tier comes about. Costs one lookup.`,
    ok('Explanation', 'The explanation.', VERDICT), PROFESSIONAL, { parameters: [AT] }],
  ['GET /pulse/v1/ip/{ip}/timeline', 'ipTimeline', 'IP', 'key', 'Every change of a verdict in a time',
    `${BEYOND}, for keys on the professional tier, IPv4 only: each moment at which level, state, active risk types or an override changed, and when sources were missing. Costs one lookup.`,
    ok('IPTimeline', 'The changes, ascending.', COUNTED), [...PROFESSIONAL, 'bad_request'],
    { parameters: [query('from', 'Beginning, RFC 3339; by default that of the window.', MOMENT), query('to', 'End, RFC 3339; by default now.', MOMENT)] }],
  ['GET /pulse/v1/network/{network}', 'networkRisk', 'IP', 'key', 'The evidence inside a prefix or an AS', NETWORK_RULES,
    ok('NetworkRisk', 'The evidence inside the network.', COUNTED), [...LOOKED_UP, 'bad_request', 'professional_required']],
  ['GET /pulse/v1/network/{network}/{bits}', 'networkRiskOfPrefix', 'IP', 'key', 'The evidence inside a prefix or an AS', NETWORK_RULES,
    ok('NetworkRisk', 'The evidence inside the network.', COUNTED), [...LOOKED_UP, 'bad_request', 'professional_required']],
  ['GET /v1/score/parameters', 'scoreParameters', 'IP', 'client', 'The table that scores are made with', `${BEYOND}. Works without a key and costs nothing.`,
    ok('ScoreTable', 'The table with its version.'), []],
  ['GET /v1/decide', 'decide', 'IP', 'key', 'Whether a client may go on, for reverse proxies',
    `${BEYOND}. About the client that a trusted proxy names in X-Forwarded-For, or about ip, by the policy of the key. With any path appended, any method. Charged as a lookup. Without a verdict the answer is 204 with X-Pulse-Degraded, unless the policy is closed.`,
    answer(204, 'Allowed, or to be challenged, as X-Pulse-Action says.', undefined, { ...DECISION, ...VERDICT }), [...ADDRESS, ...DAY, 'bad_request', 'denied', 'forbidden'],
    { parameters: [query('ip', 'The address, in place of the client.'), query('challenge', '403: a challenge is answered as a denial.', oneOf(['403']))] }],
  ['POST /v1/feedback', 'sendFeedback', 'IP', 'client', 'Say that a verdict is wrong',
    `${BEYOND}. Works without a key and costs nothing of the day. The operator of the service sees the report with the evidence as it stood.`,
    answer(202, 'The report is kept.', ref('FeedbackReceipt')), [...ADDRESS, ...TAKEN, 'forbidden', 'not_found'],
    { parameters: [IDEMPOTENCY_KEY], requestBody: body(FEEDBACK, ['ip', 'verdict']) }],
  ['GET /v1/allowlist', 'allowList', 'Account', 'key', 'Addresses that the account allows', ALLOW_RULES, versioned(ALLOWED), []],
  ['PUT /v1/allowlist', 'replaceAllowList', 'Account', 'key', 'Replaces the addresses that the account allows', ALLOW_RULES, ALLOWED, [...TAKEN, 'precondition_failed'],
    { ...IF_SAME, requestBody: body(ALLOW_LIST) }],
  ['GET /v1/watchlists', 'watchlists', 'Account', 'key', 'The watch lists of the account', WATCH_RULES, ok('Watchlists', 'The lists.'), ['professional_required']],
  ['GET /v1/watchlists/{id}', 'watchlist', 'Account', 'key', 'One watch list', WATCH_RULES, versioned(ok('Watchlist', 'The list.')), ['professional_required', 'not_found']],
  ['PUT /v1/watchlists/{id}', 'putWatchlist', 'Account', 'key', 'Create or replace a watch list', WATCH_RULES, {
    ...ok('Watchlist', 'It was replaced. Changes of entries that stay are not lost.'),
    ...answer(201, 'It was created; the secret of its webhook is in this answer alone.', ref('Watchlist')),
  }, ['professional_required', 'precondition_failed', ...TAKEN], { ...IF_SAME, requestBody: body(WATCHLIST, ['name', 'entries', 'webhook']) }],
  ['DELETE /v1/watchlists/{id}', 'deleteWatchlist', 'Account', 'key', 'Delete a watch list', WATCH_RULES, answer(204, 'It is gone, with its deliveries.'), ['professional_required', 'precondition_failed', 'not_found'], IF_SAME],
  ['POST /v1/watchlists/{id}/test', 'testWatchlist', 'Account', 'key', 'Send a test to the webhook', WATCH_RULES, SENT, ['professional_required', 'not_found']],
  ['GET /v1/watchlists/{id}/deliveries', 'watchlistDeliveries', 'Account', 'key', 'The last deliveries', WATCH_RULES, ok('WatchDeliveries', 'The deliveries.'), ['professional_required', 'not_found']],
  ['POST /v1/watchlists/{id}/deliveries/{delivery}/replay', 'replayDelivery', 'Account', 'key', 'Send a delivery again', WATCH_RULES, SENT, ['professional_required', 'not_found']],
  ['GET /v1/lists', 'lists', 'Account', 'key', 'Lists that the account may fetch', LIST_RULES,
    answer(200, 'Its own, and those of the installation.', object({ lists: list(LIST) }, { required: ['lists'] })), ['bad_request']],
  ['GET /v1/lists/{name}', 'list', 'Account', 'key', 'A saved list', LIST_RULES, versioned(answer(200, 'What it holds, and its last fetch.', LIST)), ['bad_request', 'not_found']],
  ['PUT /v1/lists/{name}', 'saveList', 'Account', 'key', 'Saves a list', `${LIST_RULES} Replaces the account's list of this name; at most 50 lists.`,
    answer(200, 'The list, with defaults.', LIST), [...TAKEN, 'precondition_failed'], { ...IF_SAME, requestBody: body(LIST_SETTINGS, []) }],
  ['DELETE /v1/lists/{name}', 'removeList', 'Account', 'key', 'Removes a list', LIST_RULES, answer(204, 'It is removed.'), ['bad_request', 'precondition_failed', 'not_found'], IF_SAME],
  ['GET /lists/{name}.{format}', 'listFile', 'Files', 'file', 'A list as a file',
    `${BEYOND}. The addresses whose verdicts a saved list wants, as the fewest prefixes that hold no other. Keys of other than operator accounts get none from sources that may not be passed on. Send If-None-Match or If-Modified-Since. Free.`,
    fileAnswer('The list; csv is text/csv and json is application/json.', { 'text/plain': { schema: TEXT } }, 'The client has it.', headers('ETag', 'X-Pulse-Prefixes', 'X-Pulse-Left-Out', 'X-Pulse-Degraded')), [...WINDOW, 'not_found'], {
      parameters: [
        query('max', 'The most prefixes, the riskiest.', { ...INTEGER, minimum: 1 }),
        query('family', 'Prefixes of this family alone.', oneOf(['4', '6'])),
        query('plain', 'Without comments, in formats that have them.'),
        query('at', 'The list as it stood at this moment, IPv4 alone; professional tier.', MOMENT),
        query('since', 'json: what was added and removed since this moment, by the settings of now; IPv4 alone, professional tier.', MOMENT),
      ],
    }],
  ['GET /v1/decisions', 'decisions', 'IP', 'bouncer', "Decisions of this moment, in CrowdSec's bouncer protocol", BOUNCER_RULES,
    answer(200, 'Decisions, the riskiest first; null for none.', DECISIONS), ['invalid_ip'],
    { parameters: [query('ip', 'The decision on one address.'), query('range', 'Decisions inside a prefix, or around it.'), query('value', 'An address as ip, a prefix as range.'), ...FILTERS] }],
  ['GET /v1/decisions/stream', 'decisionStream', 'IP', 'bouncer', 'What is new and gone for this key', BOUNCER_RULES,
    answer(200, 'Changes for this key; null for none.', object({ new: DECISIONS, deleted: DECISIONS })), [],
    { parameters: [query('startup', 'true: everything, and later calls begin there.', { type: 'boolean' }), ...FILTERS] }],
  ['GET /v1/heartbeat', 'bouncerHeartbeat', 'IP', 'bouncer', 'Whether the key of a bouncer is good', BOUNCER_RULES, answer(200, 'It is.', { type: 'object' }), []],
  ['POST /v1/usage-metrics', 'bouncerMetrics', 'IP', 'bouncer', 'Takes the usage metrics of a bouncer, and keeps none', BOUNCER_RULES,
    answer(201, 'Taken.', { type: 'object' }), ['payload_too_large']],
  ['GET /v1/me', 'me', 'Account', 'owner', 'Plan, allowance and use of the key', 'What the key may do and did today. Costs nothing of the day.',
    ok('Me', 'What the key may do and did today.', COUNTED), []],
  ['POST /v1/phone/lookup', 'lookupPhone', 'Phone', 'key', 'Risk profile of one number',
    'For enterprise accounts with the phone capability. Numbers travel in bodies only; only an answer of 200 is charged.',
    ok('PhoneProfile', 'The profile.', PHONE_COUNTED), [...PHONE, 'bad_number'], { requestBody: body({ number: described(TEXT, 'The number, as people write it.') }) }],
  ['POST /v1/phone/batch', 'lookupPhones', 'Phone', 'key', 'Risk profiles of up to 1,000 numbers',
    'All or nothing: when the allowance cannot hold the batch, nothing is charged. Numbers that cannot be parsed cost nothing.',
    ok('PhoneBatch', 'Results in input order.', PHONE_COUNTED), [...PHONE, 'batch_over_rate_limit'],
    { requestBody: body({ numbers: list(TEXT, { description: 'At most 1,000 numbers.', maxItems: PHONE_BATCH_MAX }) }) }],
  ['POST /v1/evidence', 'sendEvidence', 'Evidence', 'key', 'Captures from your own sensors',
    `${BEYOND}, for keys of operator accounts with the right to write evidence. A send-only key speaks as its own source, of its kinds. Refused rows are counted by reason and do not stop the others. One JSON object a line, or CSV with a header of the same fields.`,
    answer(202, 'Rows accepted are stored; the others are counted by reason.', ref('Intake'), headers('X-Pulse-Time')),
    [...TAKEN, 'forbidden', 'history_unavailable'], {
      parameters: [
        query('source', 'Name of the sensor. A send-only key brings its own, and may leave it out; other keys name one that is not an id of the catalogue. Lower-case letters, digits, dots, dashes and underscores.', { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }),
        IDEMPOTENCY_KEY,
        parameter('header', 'X-Pulse-Sent-At', 'Time of sending by the clock of the sender, milliseconds since 1970: shows that it is alive and how its clock goes. With it the body may be empty.', { type: 'string', pattern: '^[0-9]{1,15}$' }),
      ],
      requestBody: { required: false, content: { 'application/x-ndjson': { schema: LINES }, 'text/csv': { schema: LINES } } },
    }],
  ['POST /v1/beacon', 'reportExit', 'Evidence', 'key', 'The address a beacon is called from, as a capture',
    `${BEYOND}. The token of a beacon stands where keys do. The address is that of the connection, never one that the caller writes. Call it from inside a proxy, VPN, dial-up line or cloud phone that you pay for.`,
    answer(202, 'The exit as it is on record.', ref('BeaconExit')), ['reserved_ip', 'forbidden', 'payload_too_large', 'history_unavailable']],
  ['POST /api/v2/report', 'report', 'Evidence', 'reporter', 'A report in the form of AbuseIPDB',
    `${BEYOND}. A capture of own collection by the source of a send-only key: honeypot_credential for the categories 18 and 22, else honeypot_scan. Fields may stand in the query. Comments are dropped.`,
    reported(), [...ADDRESS, ...TAKEN, 'forbidden', 'history_unavailable'],
    { requestBody: { required: false, content: Object.fromEntries(['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'].map((type) => [type, { schema: REPORT }])) } }],
  ['GET /api/v2/check', 'check', 'IP', 'reporter', 'A verdict in the form of AbuseIPDB',
    `${BEYOND}. abuseConfidenceScore is the score of the verdict; read evidenceState with it. Charged as a lookup.`,
    reported(COUNTED), [...LOOKED_UP, 'bad_request', 'forbidden'], { parameters: [query('ipAddress', 'The address.', TEXT, { required: true })] }],
  ['GET /geoip/updates/metadata', 'databaseVersions', 'Files', 'file', 'Which database files there are now', `${UPDATER} The MD5 is that of the file before it is packed.`,
    answer(200, 'The edition, or an empty list.', DATABASES), ['bad_request', 'forbidden'],
    { parameters: [query('edition_id', 'Name of the edition.', EDITION, { required: true })] }],
  ['GET /geoip/databases/{edition}/download', 'downloadDatabase', 'Files', 'file', 'A database file as tar.gz', UPDATER,
    GZIP, ['bad_request', 'forbidden', 'not_found'],
    { parameters: [query('date', 'Day of the build; another day is not_found.'), query('suffix', 'Form of the file.', oneOf(['tar.gz']))] }],
  ['GET /geoip/databases/{edition}/update', 'updateDatabase', 'Files', 'file', 'A database file as gzip, if it is another one', UPDATER,
    GZIP, ['forbidden', 'not_found'], { parameters: [query('db_md5', 'MD5 of the file at hand: 304 if it is current.')] }],
  ['GET /v1/phone/meta/tags', 'phoneTags', 'Phone', 'uncounted', 'Dictionary of tags, attributes, card types and states', 'Names and descriptions of every slug. Free.',
    ok('PhoneTags', 'The dictionary.', PHONE_COUNTED), []],
  ['GET /v1/phone/meta/coverage', 'phoneCoverage', 'Phone', 'uncounted', 'Coverage and cadence of the libraries', 'How many records, how old, how often refreshed. Free.',
    ok('PhoneCoverage', 'The coverage.', PHONE_COUNTED), []],
  ['GET /sandbox', 'sandbox', 'Sandbox', 'anyone', 'The addresses of the sandbox and what each of them shows', `${BEYOND}. Free.`, ok('Sandbox', 'The table.'), []],
  ['GET /sandbox/v1/ip/{ip}', 'lookupSandbox', 'Sandbox', 'anyone', 'Sandbox: verdict for one address', SANDBOX_RULES,
    ok('IPRisk', 'The verdict.', VERDICT), [...BASIC, ...KEY_FAULTS]],
  ['GET /sandbox/pulse/v1/ip/{ip}', 'lookupSandboxProfessional', 'Sandbox', 'anyone', 'Sandbox: verdict with evidence', SANDBOX_RULES,
    ok('PulseIPRisk', 'The verdict with its evidence.', VERDICT), [...PROFESSIONAL, ...NO_KEY], { parameters: [AT] }],
];

const CODES = Object.keys(ERRORS) as readonly ErrorCode[];

function failures(codes: ReadonlySet<ErrorCode>, tag: string): Json {
  const byStatus = Map.groupBy(
    CODES.filter((code) => codes.has(code)),
    (code) => ERRORS[code].status,
  );
  return Object.assign(
    {},
    ...[...byStatus].map(([status, list]) =>
      answer(status, list.join(', '), ref('Error'), {
        ...REFUSED[status],
        ...(list.includes('quota_exceeded') && DAILY),
        ...(list.includes('denied') && DECISION),
        ...(tag === 'Phone' && PHONE_UNITS),
      }),
    ),
  );
}

function pathsOf(operations: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const [endpoint, operationId, tag, who, summary, description, answers, refusals, rest = {}] of operations) {
    const [method = '', path = ''] = endpoint.split(' ');
    const [security, refused] = WHO[who];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
      name === 'ip' && tag === 'Sandbox' ? SANDBOX_IP : IN_PATH[name!]!,
    );
    const { parameters = [], ...others } = rest as { readonly parameters?: readonly Json[] };
    const all = [...inPath, ...parameters];
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        tags: [tag],
        summary,
        description,
        security,
        ...(description.startsWith(BEYOND) && { 'x-pulse-extension': true }),
        ...(all.length > 0 && { parameters: all }),
        ...others,
        responses: { ...answers, ...failures(new Set<ErrorCode>([...refused, ...refusals]), tag) },
      },
    };
  }
  return paths;
}

/** What an agent asks, for builders that take few operations. */
const AGENTS = [
  'lookupIp',
  'lookupIps',
  'lookupIpProfessional',
  'explainIp',
  'ipTimeline',
  'networkRisk',
  'me',
  'lookupPhone',
];
const TAGS = {
  IP: 'Verdicts on addresses.',
  Account: 'Plan and allowance.',
  Evidence: 'Captures that operators bring; an extension.',
  Files: 'Database files for readers and updaters; an extension.',
  Sandbox: 'Fixed answers to test a client with; an extension.',
  Phone: 'Phone-number risk, for enterprise accounts. Numbers travel in bodies only.',
};

/** Parts that are published by themselves, in `?tag=`. */
export const PARTS: readonly string[] = [...Object.keys(TAGS), 'Agents'];

const SCHEMAS = Object.fromEntries(Object.entries(DOCUMENTS).map(([name, schema]) => [name, linked(schema)]));

/** Returns the components that a text of the document refers to, also through others. */
function usedBy(text: string, components: Json, found: Json = {}): Json {
  const more = Object.entries(components).filter(([name]) => !(name in found) && text.includes(`/${name}"`));
  if (more.length === 0) return found;
  return usedBy(JSON.stringify(more), components, { ...found, ...Object.fromEntries(more) });
}

/**
 * Describes the REST interface in OpenAPI 3.1, from the schemas of the answers and the error table. `baseUrl`
 * has no trailing slash.
 * @param part one of PARTS; undefined for all
 */
export function openApiDocument(baseUrl: string, part?: string): Json {
  const operations = OPERATIONS.filter(
    ([, id, tag]) => part === undefined || tag === part || (part === 'Agents' && AGENTS.includes(id)),
  );
  const paths = pathsOf(operations);
  const needed = (all: Json): Json => (part === undefined ? all : usedBy(JSON.stringify(paths), all));
  const tags = new Set(operations.map(([, , tag]) => tag));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pulse',
      version: '1.0.0',
      summary: 'IP risk, geolocation and phone-number risk.',
      description:
        'The score measures the freshness and strength of verifiable evidence and decays as it ages; it is not a probability. Consumers must ignore unknown keys and tolerate unknown usage codes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (tags.has(name) ? [{ name, description }] : [])),
    paths,
    components: {
      schemas: needed(SCHEMAS),
      headers: needed(HEADERS),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        abuseIpdb: { type: 'apiKey', in: 'header', name: 'Key' },
        basic: { type: 'http', scheme: 'basic', description: 'Any user name, with the key as password.' },
      },
    },
  };
}
