import { DOCUMENTS } from '../../../contract/documents.ts';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { IP_BATCH_MAX } from '../../../contract/ip-batch.ts';
import { LIST_FORMATS } from '../../../contract/lists.ts';
import { PHONE_BATCH_MAX } from '../../../contract/phone.ts';
import { LEVELS, RISK_TYPES, SHARE_TIERS, SIGNALS } from '../../../contract/risk.ts';
import { WATCHED_CHANGES } from '../../../contract/watched-changes.ts';
import { EDITIONS } from '../../../core/export/mmdb-schema.ts';
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

const json = (schema: Json): Json => ({ 'application/json': { schema } });

const DAILY: Json = {
  'X-Daily-Limit': { description: 'Daily allowance that binds now.', schema: { type: 'integer' } },
  'X-Daily-Remaining': { description: 'What is left of it.', schema: { type: 'integer' } },
  'X-Daily-Reset': { description: 'Unix seconds at which it starts again.', schema: { type: 'integer' } },
};
const MINUTE: Json = {
  'X-RateLimit-Limit': { description: 'Allowance of this clock minute.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'What is left of the minute.', schema: { type: 'integer' } },
};
const REQUEST_ID: Json = {
  'X-Request-Id': { description: 'Quote it when reporting a problem.', schema: { type: 'string' } },
};
const DEGRADED: Json = {
  'X-Pulse-Degraded': { description: '1 when one evidence source was unavailable.', schema: { type: 'string' } },
};
const CLOCK: Json = {
  'X-Pulse-Time': {
    description: 'Our clock as the answer leaves, milliseconds since 1970.',
    schema: { type: 'integer' },
  },
};
const LINES: Json = {
  type: 'string',
  description: 'At most 100,000 rows and 8 MiB; Content-Encoding: gzip is taken up to 64 MiB unpacked.',
};
const DECISION: Json = {
  'X-Pulse-Action': {
    description: 'Action of the policy.',
    schema: { type: 'string', enum: ['allow', 'challenge', 'deny'] },
  },
  'X-Pulse-Reason': {
    description: 'Type and age of the strongest evidence, in English words.',
    schema: { type: 'string' },
  },
  'X-Pulse-Score': { description: 'Score of the address.', schema: { type: 'integer' } },
  'X-Pulse-State': {
    description: 'Evidence state of the address.',
    schema: { type: 'string', enum: ['active', 'stale', 'none'] },
  },
  'X-Pulse-Observe': { description: '1 while the policy only observes.', schema: { type: 'string' } },
};
const EDITION: Json = { type: 'string', enum: Object.values(EDITIONS) };
const EDITION_IN_PATH: Json = {
  name: 'edition',
  in: 'path',
  required: true,
  description: 'Name of the edition.',
  schema: EDITION,
};
const UPDATER = "An extension of the published interface, as MaxMind's geoipupdate asks for files.";
const DATABASES: Json = {
  type: 'object',
  properties: {
    databases: {
      type: 'array',
      items: {
        type: 'object',
        properties: { edition_id: { type: 'string' }, date: { type: 'string' }, md5: { type: 'string' } },
      },
    },
  },
};
const GZIP: Json = {
  '200': {
    description: 'The file.',
    headers: REQUEST_ID,
    content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
  },
  '304': { description: 'The file at hand is current.' },
};
const BOUNCER_RULES =
  "An extension of the published interface: the read side of CrowdSec's bouncer protocol, for keys made with --bouncer. A key that is missing or not good is 403 here. Uncharged; sixty calls a minute and key.";
const DECISION_FILTERS: readonly Json[] = [
  'scopes',
  'origins',
  'scenarios_containing',
  'scenarios_not_containing',
  'type',
].map((name) => ({
  name,
  in: 'query',
  required: false,
  description: 'Filter of the protocol.',
  schema: { type: 'string' },
}));
const DECISION_ITEM: Json = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    uuid: { type: 'string' },
    origin: { type: 'string' },
    scenario: { type: 'string' },
    scope: { type: 'string', enum: ['Ip', 'Range'] },
    type: { type: 'string', enum: ['ban', 'captcha'] },
    value: { type: 'string' },
    duration: { type: 'string', description: 'Until the verdict falls below the least score, as Go writes it.' },
  },
};
const ALLOW_RULES =
  'An extension of the published interface. Answers to the keys of this account alone score at most 1 for these addresses and carry meta.override: true, from the moment of the entry to its end. Free.';
const allowList = (more: Json): Json => ({
  type: 'object',
  required: ['entries'],
  properties: {
    entries: {
      type: 'array',
      description: 'Allowed addresses and prefixes, each with its reason and, where it ends, until when.',
      maxItems: 1000,
      items: {
        type: 'object',
        required: ['prefix', 'reason'],
        properties: {
          prefix: { type: 'string' },
          reason: { type: 'string', maxLength: 300 },
          from: { type: 'string', format: 'date-time', readOnly: true },
          until: { type: 'string', format: 'date-time' },
        },
        ...more,
      },
    },
  },
  ...more,
});
const ALLOW_LIST = allowList({});
const LIST_RULES =
  'An extension of the published interface: lists of addresses that firewalls fetch at /lists/{name}.{format}. Free.';
const LIST_PARAMETERS = [
  {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the list.',
    schema: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,23}$' },
  },
];
const LIST_SETTINGS: Json = {
  min_score: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Scores from this on: 70 unless said, 0 with levels.',
  },
  levels: { type: 'array', items: { type: 'string', enum: LEVELS }, description: 'Levels of the score.' },
  states: {
    type: 'array',
    items: { type: 'string', enum: ['active', 'stale'] },
    description: 'States of the evidence: active unless said.',
  },
  signals: {
    type: 'array',
    items: { type: 'string', enum: SIGNALS },
    description: 'Verdicts with one of these signals.',
  },
  max_tier: { type: 'string', enum: SHARE_TIERS, description: 'Leaves out what more share: T2 unless said.' },
  family: { type: 'string', enum: ['4', '6', 'both'], description: 'Address family.' },
  exclude: {
    type: 'array',
    maxItems: 1000,
    items: { type: 'string' },
    description: 'Addresses and prefixes that are never on it.',
  },
  max: { type: 'integer', minimum: 1, description: 'The most prefixes at a time, the riskiest.' },
};
const LIST: Json = {
  type: 'object',
  required: ['name', 'shared', 'min_score', 'states', 'max_tier', 'family', 'exclude', 'changed_at'],
  properties: {
    name: { type: 'string' },
    shared: { type: 'boolean', description: 'True for a list of the installation, which every key may fetch.' },
    ...LIST_SETTINGS,
    changed_at: { type: 'string', format: 'date-time' },
    last_fetch: {
      type: 'object',
      description: 'The last fetch of a list of this account.',
      properties: {
        at: { type: 'string', format: 'date-time' },
        key_id: { type: 'string' },
        prefixes: { type: 'integer' },
        bytes: { type: 'integer' },
      },
    },
  },
};
const PHONE_UNITS: Json = {
  'X-Quota-Unit': { description: 'phone_number', schema: { type: 'string' } },
  'X-Billable-Units': { description: 'Numbers this answer cost.', schema: { type: 'integer' } },
};

const ok = (name: keyof typeof DOCUMENTS, description: string, headers: Json): Json => ({
  '200': { description, headers: { ...headers, ...REQUEST_ID }, content: json(ref(name)) },
});

function failures(...codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [
        String(status),
        {
          description: list.map((code) => `${code}: ${ERRORS[code].message}`).join(' '),
          headers: REQUEST_ID,
          content: json(ref('Error')),
        },
      ]),
  );
}

const KEY_CODES = ['key_required', 'invalid_key', 'revoked_key', 'key_expired'] as const satisfies readonly ErrorCode[];
// biome-ignore format: a list of codes
const BASIC_CODES = ['invalid_ip', 'reserved_ip', 'key_in_query', 'bad_request', 'invalid_key', 'revoked_key', 'key_expired', 'not_found', 'rate_limited', 'quota_exceeded', 'quota_exceeded_anon', 'key_quota_exceeded', 'quota_exceeded_ai_agent', 'not_ready'] as const satisfies readonly ErrorCode[];
// biome-ignore format: a list of codes
const PROFESSIONAL_CODES = ['invalid_ip', 'reserved_ip', 'key_in_query', 'invalid_time', 'at_out_of_window', 'history_not_enabled', 'history_no_ipv6', ...KEY_CODES, 'professional_required', 'history_requires_professional', 'not_found', 'rate_limited', 'quota_exceeded', 'key_quota_exceeded', 'not_ready', 'history_unavailable'] as const satisfies readonly ErrorCode[];
const IP_PARAMETER: Json = {
  name: 'ip',
  in: 'path',
  required: true,
  description: 'Public IPv4 or IPv6 address; private and reserved ones are refused.',
  schema: { type: 'string' },
  example: '8.8.8.8',
};
const AT_PARAMETER: Json = {
  name: 'at',
  in: 'query',
  required: false,
  description: 'RFC 3339 date-time, IPv4 only: the verdict as it stood at that moment. Write a plus offset as %2B.',
  schema: { type: 'string', format: 'date-time' },
};
const FROM_PARAMETER: Json = {
  name: 'from',
  in: 'query',
  required: false,
  description: 'Beginning, RFC 3339; by default that of the window.',
  schema: { type: 'string', format: 'date-time' },
};
const TO_PARAMETER: Json = { ...FROM_PARAMETER, name: 'to', description: 'End, RFC 3339; by default now.' };
const KEYED: readonly Json[] = [{ key: [] }, { bearer: [] }];
const REPORT_KEYED: readonly Json[] = [{ abuseIpdb: [] }, ...KEYED];
const REPORT: Json = {
  type: 'object',
  additionalProperties: true,
  required: ['ip', 'categories'],
  properties: {
    ip: { type: 'string' },
    categories: { type: 'string', description: 'Numbers of AbuseIPDB, separated by commas.' },
    timestamp: { type: 'string', format: 'date-time' },
    comment: { type: 'string' },
  },
};
const REPORT_ANSWER: Json = {
  '200': {
    description: 'The address and its score.',
    headers: REQUEST_ID,
    content: json({
      type: 'object',
      properties: {
        data: {
          type: 'object',
          properties: { ipAddress: { type: 'string' }, abuseConfidenceScore: { type: 'integer' } },
        },
      },
    }),
  },
};
const FILE_KEYED: readonly Json[] = [...KEYED, { basic: [] }];

/** Bodies that we take are closed: an unlisted key is a mistake of the sender. */
const body = (required: string, schema: Json): Json => ({
  required: true,
  content: json({
    type: 'object',
    required: [required],
    properties: { [required]: schema },
    additionalProperties: false,
  }),
});

const IPS: Json = {
  type: 'array',
  description: 'One to 1,000 addresses; one that cannot be looked up gets an error of its own.',
  items: { type: 'string' },
  minItems: 1,
  maxItems: IP_BATCH_MAX,
};
const AT: Json = { type: 'string', format: 'date-time', description: 'Moment asked about, RFC 3339. IPv4 only.' };

const ipBatchBody = (more: Json = {}): Json => ({
  required: true,
  content: {
    ...json({ type: 'object', required: ['ips'], properties: { ips: IPS, ...more }, additionalProperties: false }),
    'text/plain': { schema: { type: 'string', description: 'One address a line.' } },
  },
});

const ipBatchOk = (name: 'IPBatch' | 'PulseIPBatch'): Json => ({
  '200': {
    description: 'Results in input order.',
    headers: { ...DAILY, ...MINUTE, ...DEGRADED, ...REQUEST_ID },
    content: json(ref(name)),
    // Not in `content`: generators make one type of all media types of an answer.
    'x-ndjson': { description: 'With Accept: application/x-ndjson, one item of results a line.' },
  },
});

const BATCH_RULES =
  'An extension of the published interface. The minute counts every item, or every KiB of the body where those are more; the day is charged for items with a verdict, which are reserved all or nothing. Every item is for the same instant. Also takes text/plain, one address a line, and answers application/x-ndjson to those who accept it.';

const SANDBOX_RULES =
  'An extension of the published interface. A fixed verdict or refusal for a documentation address. Works without a key and costs nothing; headers show counters that never move. GET /sandbox lists the addresses.';
const SANDBOX_PARAMETER: Json = {
  ...IP_PARAMETER,
  description: 'Address of a documentation range.',
  example: '192.0.2.5',
};

const PHONE_CODES = [
  'key_in_query', 'bad_request', ...KEY_CODES, 'capability_not_eligible', 'capability_not_enabled', 'payload_too_large', 'unsupported_media_type',
  'rate_limited', 'quota_exceeded', 'upstream_unavailable', 'phone_disabled', 'quota_unavailable',
] as const satisfies readonly ErrorCode[]; // biome-ignore format: a list of codes

const FEEDBACK: Json = {
  ip: { type: 'string', description: 'The address.' },
  verdict: { type: 'string', enum: FEEDBACK_VERDICTS, description: 'How the verdict is wrong.' },
  risk_type: { type: 'string', enum: RISK_TYPES, description: 'Kind of evidence that is wrong or missing.' },
  comment: { type: 'string', maxLength: 1000, description: 'Why, for the operator.' },
};
const NETWORK_PARAMETER: Json = {
  name: 'network',
  in: 'path',
  required: true,
  description: 'A prefix (/8 to /32, IPv6 /16 to /64), its slash encoded or not, or an AS such as AS60729.',
  schema: { type: 'string' },
  example: 'AS60729',
};
const BITS_PARAMETER: Json = {
  name: 'bits',
  in: 'path',
  required: true,
  description: 'Length of the prefix, where its slash is not encoded.',
  schema: { type: 'integer' },
  example: 24,
};
const WATCHLIST: Json = {
  name: { type: 'string', maxLength: 80, description: 'Name for people.' },
  entries: {
    type: 'array',
    description: 'Addresses and prefixes: /16 and longer, /32 in IPv6.',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 1000,
  },
  on: { type: 'array', description: 'By default both.', items: { type: 'string', enum: WATCHED_CHANGES } },
  min_level: { type: 'string', enum: ['low', 'medium', 'high'], description: 'Least level before or after a change.' },
  webhook: {
    type: 'object',
    description: 'Receiver.',
    required: ['url'],
    additionalProperties: false,
    properties: { url: { type: 'string' } },
  },
};
const WATCHLIST_ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Name of the list: lower-case letters, digits, - and _.',
  schema: { type: 'string' },
  example: 'servers',
};
const WATCHLIST_SENT: Json = {
  '202': {
    description: 'It is sent at once.',
    headers: REQUEST_ID,
    content: json({ type: 'object', properties: { id: { type: 'string' } } }),
  },
};
const WATCHLIST_OPERATION = (
  operationId: string,
  summary: string,
  responses: Json,
  parameters: readonly Json[] = [],
  more: readonly ErrorCode[] = [],
): Json => ({
  operationId,
  tags: ['Account'],
  summary,
  description:
    'An extension of the published interface, for the professional tier. Costs nothing of the day. Changes of state and level are sent to the webhook by the rules of Standard Webhooks.',
  'x-pulse-extension': true,
  security: KEYED,
  parameters,
  responses: {
    ...responses,
    ...failures('key_in_query', ...KEY_CODES, 'professional_required', 'rate_limited', 'not_ready', ...more),
  },
});
const NETWORK_OPERATION = (operationId: string, parameters: readonly Json[]): Json => ({
  operationId,
  tags: ['IP'],
  summary: 'The evidence inside a prefix or an AS',
  description:
    'An extension of the published interface, for keys on the professional tier: how many addresses have evidence, by state, level and risk type, the riskiest fifty, and the networks around and inside. Costs one lookup.',
  'x-pulse-extension': true,
  security: KEYED,
  parameters,
  responses: {
    ...ok('NetworkRisk', 'The evidence inside the network.', { ...DAILY, ...MINUTE }),
    ...failures(
      'invalid_ip',
      'reserved_ip',
      'key_in_query',
      ...KEY_CODES,
      'professional_required',
      'bad_request',
      'not_found',
      'rate_limited',
      'quota_exceeded',
      'key_quota_exceeded',
      'not_ready',
    ),
  },
});

// biome-ignore format: one block an operation
const PATHS: Json = {
  '/v1/ip/{ip}': {
    get: {
      operationId: 'lookupIp', tags: ['IP'], summary: 'Verdict for one address',
      description: 'Works without a key and from a browser on any site. A verdict holds for the moment it is computed; do not cache it.',
      security: [{}, ...KEYED], parameters: [IP_PARAMETER],
      responses: {
        ...ok('IPRisk', 'The verdict.', { ...DAILY, ...MINUTE, ...DEGRADED }),
        ...failures(...BASIC_CODES),
      },
    },
  },
  '/pulse/v1/ip/{ip}': {
    get: {
      operationId: 'lookupIpProfessional', tags: ['IP'], summary: 'Verdict with evidence, now or at a past moment',
      description: 'For keys on the professional tier. Refused moments consume no daily allowance, and none falls back to a live verdict.',
      security: KEYED,
      parameters: [IP_PARAMETER, AT_PARAMETER],
      responses: {
        ...ok('PulseIPRisk', 'The verdict with its evidence.', { ...DAILY, ...MINUTE, ...DEGRADED }),
        ...failures(...PROFESSIONAL_CODES),
      },
    },
  },
  '/v1/ip/batch': {
    post: {
      operationId: 'lookupIps', tags: ['IP'], summary: 'Verdicts for up to 1,000 addresses', description: `${BATCH_RULES} Works without a key.`, 'x-pulse-extension': true,
      security: [{}, ...KEYED], requestBody: ipBatchBody(),
      responses: {
        ...ipBatchOk('IPBatch'),
        ...failures('key_in_query', 'bad_request', 'invalid_key', 'revoked_key', 'key_expired', 'forbidden', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'quota_exceeded', 'quota_exceeded_anon', 'key_quota_exceeded', 'quota_exceeded_ai_agent', 'batch_over_rate_limit', 'not_ready'),
      },
    },
  },
  '/pulse/v1/ip/batch': {
    post: {
      operationId: 'lookupIpsProfessional', tags: ['IP'], summary: 'Verdicts with evidence for up to 1,000 addresses, now or at a past moment',
      description: `${BATCH_RULES} For keys on the professional tier. What history refuses about an address is the error of its item.`, 'x-pulse-extension': true,
      security: KEYED, requestBody: ipBatchBody({ at: AT }),
      responses: {
        ...ipBatchOk('PulseIPBatch'),
        ...failures('key_in_query', 'bad_request', 'invalid_time', ...KEY_CODES, 'professional_required', 'history_requires_professional', 'forbidden', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'quota_exceeded', 'key_quota_exceeded', 'batch_over_rate_limit', 'not_ready', 'history_unavailable'),
      },
    },
  },
  '/pulse/v1/ip/{ip}/explain': {
    get: {
      operationId: 'explainIp', tags: ['IP'], summary: 'How a verdict comes about, now or at a past moment',
      description: 'An extension of the published interface, for keys on the professional tier. Rows with every factor of their strength, bounds that hold the score, when it leaves its levels, and how the sharing tier comes about. Costs one lookup.', 'x-pulse-extension': true,
      security: KEYED, parameters: [IP_PARAMETER, AT_PARAMETER],
      responses: { ...ok('Explanation', 'The explanation.', { ...DAILY, ...MINUTE, ...DEGRADED }), ...failures(...PROFESSIONAL_CODES) },
    },
  },
  '/pulse/v1/ip/{ip}/timeline': {
    get: {
      operationId: 'ipTimeline', tags: ['IP'], summary: 'Every change of a verdict in a time',
      description: 'An extension of the published interface, for keys on the professional tier, IPv4 only: each moment at which level, state, active risk types or an override changed, and when sources were missing. Costs one lookup.', 'x-pulse-extension': true,
      security: KEYED, parameters: [IP_PARAMETER, FROM_PARAMETER, TO_PARAMETER],
      responses: { ...ok('IPTimeline', 'The changes, ascending.', { ...DAILY, ...MINUTE }), ...failures(...PROFESSIONAL_CODES, 'bad_request') },
    },
  },
  '/pulse/v1/network/{network}': { get: NETWORK_OPERATION('networkRisk', [NETWORK_PARAMETER]) },
  '/pulse/v1/network/{network}/{bits}': { get: NETWORK_OPERATION('networkRiskOfPrefix', [NETWORK_PARAMETER, BITS_PARAMETER]) },
  '/v1/score/parameters': {
    get: {
      operationId: 'scoreParameters', tags: ['IP'], summary: 'The table that scores are made with', description: 'An extension of the published interface. Works without a key and costs nothing.', 'x-pulse-extension': true,
      security: [{}, ...KEYED],
      responses: { ...ok('ScoreTable', 'The table with its version.', {}), ...failures('key_in_query', 'invalid_key', 'revoked_key', 'key_expired', 'rate_limited') },
    },
  },
  '/v1/decide': {
    get: {
      operationId: 'decide', tags: ['IP'], summary: 'Whether a client may go on, for reverse proxies',
      description: 'An extension of the published interface. Answers about the client that a trusted proxy names in X-Forwarded-For, or about ip, by the policy of the key. A path that is appended is not read, and then any method is taken. Charged as a lookup. While no verdict can be given the answer is 204 with X-Pulse-Degraded, unless the policy is closed.',
      'x-pulse-extension': true, security: KEYED,
      parameters: [
        { name: 'ip', in: 'query', required: false, description: 'The address, in place of the client.', schema: { type: 'string' } },
        { name: 'challenge', in: 'query', required: false, description: '403: a challenge is answered as a denial.', schema: { type: 'string', enum: ['403'] } },
      ],
      responses: {
        '204': { description: 'Allowed, or to be challenged, as X-Pulse-Action says.', headers: { ...DECISION, ...DAILY, ...MINUTE, ...DEGRADED, ...REQUEST_ID } },
        ...failures('invalid_ip', 'reserved_ip', 'key_in_query', 'bad_request', ...KEY_CODES, 'denied', 'forbidden', 'rate_limited', 'quota_exceeded', 'key_quota_exceeded', 'not_ready'),
      },
    },
  },
  '/v1/feedback': {
    post: {
      operationId: 'sendFeedback', tags: ['IP'], summary: 'Say that a verdict is wrong',
      description: 'An extension of the published interface. Works without a key and costs nothing of the day. The operator of the service sees the report with the evidence as it stood.', 'x-pulse-extension': true,
      security: [{}, ...KEYED],
      requestBody: { required: true, content: json({ type: 'object', required: ['ip', 'verdict'], additionalProperties: false, properties: FEEDBACK }) },
      responses: {
        '202': { description: 'The report is kept.', headers: REQUEST_ID, content: json(ref('FeedbackReceipt')) },
        ...failures('bad_request', 'invalid_ip', 'reserved_ip', 'key_in_query', 'invalid_key', 'revoked_key', 'key_expired', 'forbidden', 'not_found', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'not_ready'),
      },
    },
  },
  '/v1/allowlist': {
    get: {
      operationId: 'allowList', tags: ['Account'], summary: 'Addresses that the account allows', description: ALLOW_RULES, 'x-pulse-extension': true, security: KEYED,
      responses: { '200': { description: 'Entries in force.', headers: REQUEST_ID, content: json(ALLOW_LIST) }, ...failures('key_in_query', ...KEY_CODES, 'rate_limited', 'not_ready') },
    },
    put: {
      operationId: 'replaceAllowList', tags: ['Account'], summary: 'Replaces the addresses that the account allows', description: ALLOW_RULES, 'x-pulse-extension': true, security: KEYED,
      requestBody: { required: true, content: json(allowList({ additionalProperties: false })) },
      responses: { '200': { description: 'Entries in force.', headers: REQUEST_ID, content: json(ALLOW_LIST) }, ...failures('key_in_query', 'bad_request', ...KEY_CODES, 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'not_ready') },
    },
  },
  '/v1/watchlists': { get: WATCHLIST_OPERATION('watchlists', 'The watch lists of the account', ok('Watchlists', 'The lists.', {})) },
  '/v1/watchlists/{id}': {
    get: WATCHLIST_OPERATION('watchlist', 'One watch list', ok('Watchlist', 'The list.', {}), [WATCHLIST_ID], ['not_found']),
    put: {
      ...WATCHLIST_OPERATION('putWatchlist', 'Create or replace a watch list', {
        ...ok('Watchlist', 'It was replaced. Changes of entries that stay are not lost.', {}),
        '201': { description: 'It was created; the secret of its webhook is in this answer alone.', headers: REQUEST_ID, content: json(ref('Watchlist')) },
      }, [WATCHLIST_ID], ['bad_request', 'payload_too_large', 'unsupported_media_type']),
      requestBody: { required: true, content: json({ type: 'object', required: ['name', 'entries', 'webhook'], additionalProperties: false, properties: WATCHLIST }) },
    },
    delete: WATCHLIST_OPERATION('deleteWatchlist', 'Delete a watch list', { '204': { description: 'It is gone, with its deliveries.', headers: REQUEST_ID } }, [WATCHLIST_ID], ['not_found']),
  },
  '/v1/watchlists/{id}/test': { post: WATCHLIST_OPERATION('testWatchlist', 'Send a test to the webhook', WATCHLIST_SENT, [WATCHLIST_ID], ['not_found']) },
  '/v1/watchlists/{id}/deliveries': { get: WATCHLIST_OPERATION('watchlistDeliveries', 'The last deliveries', ok('WatchDeliveries', 'The deliveries.', {}), [WATCHLIST_ID], ['not_found']) },
  '/v1/watchlists/{id}/deliveries/{delivery}/replay': {
    post: WATCHLIST_OPERATION('replayDelivery', 'Send a delivery again', WATCHLIST_SENT, [WATCHLIST_ID, { name: 'delivery', in: 'path', required: true, description: 'Id of the delivery.', schema: { type: 'string' } }], ['not_found']),
  },
  '/v1/lists': {
    get: {
      operationId: 'lists', tags: ['Account'], summary: 'Lists that the account may fetch', description: LIST_RULES, 'x-pulse-extension': true, security: KEYED,
      responses: { '200': { description: 'Its own, and those of the installation.', headers: REQUEST_ID, content: json({ type: 'object', required: ['lists'], properties: { lists: { type: 'array', items: LIST } } }) }, ...failures('key_in_query', ...KEY_CODES, 'rate_limited', 'not_ready') },
    },
  },
  '/v1/lists/{name}': {
    get: {
      operationId: 'list', tags: ['Account'], summary: 'A saved list', description: LIST_RULES, 'x-pulse-extension': true, security: KEYED, parameters: LIST_PARAMETERS,
      responses: { '200': { description: 'What it holds, and its last fetch.', headers: REQUEST_ID, content: json(LIST) }, ...failures('key_in_query', ...KEY_CODES, 'not_found', 'rate_limited', 'not_ready') },
    },
    put: {
      operationId: 'saveList', tags: ['Account'], summary: 'Saves a list', description: `${LIST_RULES} Replaces the account's list of this name; at most 50 lists.`, 'x-pulse-extension': true, security: KEYED, parameters: LIST_PARAMETERS,
      requestBody: { required: true, content: json({ type: 'object', properties: LIST_SETTINGS, additionalProperties: false }) },
      responses: { '200': { description: 'The list, with defaults.', headers: REQUEST_ID, content: json(LIST) }, ...failures('key_in_query', 'bad_request', ...KEY_CODES, 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'not_ready') },
    },
    delete: {
      operationId: 'removeList', tags: ['Account'], summary: 'Removes a list', description: LIST_RULES, 'x-pulse-extension': true, security: KEYED, parameters: LIST_PARAMETERS,
      responses: { '204': { description: 'It is removed.', headers: REQUEST_ID }, ...failures('key_in_query', ...KEY_CODES, 'not_found', 'rate_limited', 'not_ready') },
    },
  },
  '/lists/{name}.{format}': {
    get: {
      operationId: 'listFile', tags: ['Files'], summary: 'A list as a file', 'x-pulse-extension': true, security: FILE_KEYED,
      description: 'An extension of the published interface. The addresses whose verdicts a saved list wants, as the fewest prefixes that hold no other. Keys of other than operator accounts get none from sources that may not be passed on. Send If-None-Match or If-Modified-Since. Free.',
      parameters: [
        ...LIST_PARAMETERS,
        { name: 'format', in: 'path', required: true, description: 'txt: a prefix a line and nothing else. nft: a script for nft -f.', schema: { type: 'string', enum: LIST_FORMATS } },
        { name: 'max', in: 'query', required: false, description: 'The most prefixes, the riskiest.', schema: { type: 'integer', minimum: 1 } },
        { name: 'plain', in: 'query', required: false, description: 'Without comments, in formats that have them.', schema: { type: 'string' } },
        { name: 'at', in: 'query', required: false, description: 'The list as it stood at this moment, IPv4 alone; professional tier.', schema: { type: 'string', format: 'date-time' } },
        { name: 'since', in: 'query', required: false, description: 'json: what was added and removed since this moment, by the settings of now; IPv4 alone, professional tier.', schema: { type: 'string', format: 'date-time' } },
      ],
      responses: {
        '200': {
          description: 'The list; csv is text/csv and json is application/json.',
          headers: { ...REQUEST_ID, ETag: { description: 'Changes with what the list says.', schema: { type: 'string' } }, 'X-Pulse-Left-Out': { description: 'Prefixes left out because their sources may not be passed on.', schema: { type: 'integer' } } },
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        '304': { description: 'The client has it.' },
        ...failures('key_in_query', 'bad_request', 'invalid_time', 'at_out_of_window', 'history_not_enabled', 'history_no_ipv6', ...KEY_CODES, 'history_requires_professional', 'not_found', 'rate_limited', 'history_unavailable', 'not_ready'),
      },
    },
  },
  '/v1/decisions': {
    get: {
      operationId: 'decisions', tags: ['IP'], summary: 'Decisions of this moment, in CrowdSec\'s bouncer protocol', description: BOUNCER_RULES, 'x-pulse-extension': true, security: KEYED,
      parameters: [
        { name: 'ip', in: 'query', required: false, description: 'The decision on one address.', schema: { type: 'string' } },
        { name: 'range', in: 'query', required: false, description: 'Decisions inside a prefix, or around it.', schema: { type: 'string' } },
        ...DECISION_FILTERS,
      ],
      responses: {
        '200': { description: 'Decisions, the riskiest first; null for none.', headers: REQUEST_ID, content: json({ type: ['array', 'null'], items: DECISION_ITEM }) },
        ...failures('invalid_ip', 'key_in_query', 'bad_request', 'forbidden', 'rate_limited', 'not_ready'),
      },
    },
  },
  '/v1/decisions/stream': {
    get: {
      operationId: 'decisionStream', tags: ['IP'], summary: 'What is new and gone for this key', description: BOUNCER_RULES, 'x-pulse-extension': true, security: KEYED,
      parameters: [
        { name: 'startup', in: 'query', required: false, description: 'true: everything, and later calls begin there.', schema: { type: 'boolean' } },
        ...DECISION_FILTERS,
      ],
      responses: {
        '200': {
          description: 'Changes for this key; null for none.', headers: REQUEST_ID,
          content: json({ type: 'object', properties: { new: { type: ['array', 'null'], items: DECISION_ITEM }, deleted: { type: ['array', 'null'], items: DECISION_ITEM } } }),
        },
        ...failures('key_in_query', 'forbidden', 'rate_limited', 'not_ready'),
      },
    },
  },
  '/v1/heartbeat': {
    get: {
      operationId: 'bouncerHeartbeat', tags: ['IP'], summary: 'Whether the key of a bouncer is good', description: BOUNCER_RULES, 'x-pulse-extension': true, security: KEYED,
      responses: { '200': { description: 'It is.', headers: REQUEST_ID, content: json({ type: 'object' }) }, ...failures('key_in_query', 'forbidden', 'rate_limited') },
    },
  },
  '/v1/usage-metrics': {
    post: {
      operationId: 'bouncerMetrics', tags: ['IP'], summary: 'Takes the usage metrics of a bouncer, and keeps none', description: BOUNCER_RULES, 'x-pulse-extension': true, security: KEYED,
      responses: { '201': { description: 'Taken.', headers: REQUEST_ID, content: json({ type: 'object' }) }, ...failures('key_in_query', 'forbidden', 'payload_too_large', 'rate_limited') },
    },
  },
  '/v1/me': {
    get: {
      operationId: 'me', tags: ['Account'], summary: 'Plan, allowance and use of the key', description: 'What the key may do and did today. Costs nothing of the day.', security: KEYED,
      responses: { ...ok('Me', 'What the key may do and did today.', { ...DAILY, ...MINUTE }), ...failures('key_in_query', 'key_required', 'revoked_key', 'key_expired') },
    },
  },
  '/v1/phone/lookup': {
    post: {
      operationId: 'lookupPhone', tags: ['Phone'], summary: 'Risk profile of one number', security: KEYED,
      description: 'For enterprise accounts with the phone capability. Numbers travel in bodies only; only an answer of 200 is charged.',
      requestBody: body('number', { type: 'string', description: 'The number, as people write it.' }),
      responses: { ...ok('PhoneProfile', 'The profile.', { ...DAILY, ...MINUTE, ...PHONE_UNITS }), ...failures(...PHONE_CODES, 'bad_number') },
    },
  },
  '/v1/phone/batch': {
    post: {
      operationId: 'lookupPhones', tags: ['Phone'], summary: 'Risk profiles of up to 1,000 numbers', description: 'All or nothing: when the allowance cannot hold the batch, nothing is charged. Numbers that cannot be parsed cost nothing.',
      security: KEYED,
      requestBody: body('numbers', { type: 'array', description: 'At most 1,000 numbers.', items: { type: 'string' }, maxItems: PHONE_BATCH_MAX }),
      responses: { ...ok('PhoneBatch', 'Results in input order.', { ...DAILY, ...MINUTE, ...PHONE_UNITS }), ...failures(...PHONE_CODES, 'batch_over_rate_limit') },
    },
  },
  '/v1/evidence': {
    post: {
      operationId: 'sendEvidence', tags: ['Evidence'], summary: 'Captures from your own sensors',
      description: 'An extension of the published interface, for keys of operator accounts that were given the right to write evidence; rows about /24, /48 and wider need a further right. A send-only key speaks as its own source, of its kinds, about single addresses unless it may send prefixes. Rows that are refused are counted by reason and do not stop the others. One JSON object a line, or CSV with a header that names the same fields; gzip; at most 100,000 rows and 8 MiB.',
      'x-pulse-extension': true,
      security: KEYED,
      parameters: [
        { name: 'source', in: 'query', required: false, description: 'Name of the sensor. A send-only key brings its own, and may leave it out; other keys name one that is not an id of the catalogue. Lower-case letters, digits, dots, dashes and underscores.', schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' } },
        { name: 'Idempotency-Key', in: 'header', required: false, description: 'Name of the batch, unique within the account: sent again within seven days, it is taken in once.', schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } },
        { name: 'X-Pulse-Sent-At', in: 'header', required: false, description: 'Time of sending by the clock of the sender, milliseconds since 1970: shows that it is alive and how its clock goes. With it the body may be empty.', schema: { type: 'string', pattern: '^[0-9]{1,15}$' } },
      ],
      requestBody: { required: false, content: { 'application/x-ndjson': { schema: LINES }, 'text/csv': { schema: LINES } } },
      responses: {
        '202': { description: 'Rows accepted are stored; the others are counted by reason.', headers: { ...CLOCK, ...REQUEST_ID }, content: json(ref('Intake')) },
        ...failures('key_in_query', 'bad_request', ...KEY_CODES, 'forbidden', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'history_unavailable'),
      },
    },
  },
  '/v1/beacon': {
    post: {
      operationId: 'reportExit', tags: ['Evidence'], summary: 'The address a beacon is called from, as a capture',
      description: 'An extension of the published interface. The token of a beacon stands where keys do. The address is that of the connection, never one that the caller writes. Call it from inside a proxy, VPN, dial-up line or cloud phone that you pay for.',
      'x-pulse-extension': true,
      security: KEYED,
      responses: {
        '202': { description: 'The exit as it is on record.', headers: REQUEST_ID, content: json(ref('BeaconExit')) },
        ...failures('reserved_ip', 'key_in_query', ...KEY_CODES, 'forbidden', 'payload_too_large', 'rate_limited', 'history_unavailable'),
      },
    },
  },
  '/api/v2/report': {
    post: {
      operationId: 'report', tags: ['Evidence'], summary: 'A report in the form of AbuseIPDB', 'x-pulse-extension': true, security: REPORT_KEYED,
      description: 'An extension of the published interface. A capture of own collection by the source of a send-only key: honeypot_credential for the categories 18 and 22, else honeypot_scan. Fields may stand in the query. Comments are dropped.',
      requestBody: { required: false, content: { 'application/x-www-form-urlencoded': { schema: REPORT } } },
      responses: { ...REPORT_ANSWER, ...failures('invalid_ip', 'reserved_ip', 'key_in_query', 'bad_request', ...KEY_CODES, 'forbidden', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'history_unavailable') },
    },
  },
  '/api/v2/check': {
    get: {
      operationId: 'check', tags: ['IP'], summary: 'A verdict in the form of AbuseIPDB', 'x-pulse-extension': true, security: REPORT_KEYED,
      description: 'An extension of the published interface. abuseConfidenceScore is the score of the verdict; read evidenceState with it. Charged as a lookup.',
      parameters: [{ name: 'ipAddress', in: 'query', required: true, description: 'The address.', schema: { type: 'string' } }],
      responses: { ...REPORT_ANSWER, ...failures('invalid_ip', 'reserved_ip', 'key_in_query', 'bad_request', ...KEY_CODES, 'forbidden', 'not_found', 'rate_limited', 'quota_exceeded', 'key_quota_exceeded', 'not_ready') },
    },
  },
  '/geoip/updates/metadata': {
    get: {
      operationId: 'databaseVersions', tags: ['Files'], summary: 'Which database files there are now', description: `${UPDATER} The MD5 is that of the file before it is packed.`, 'x-pulse-extension': true, security: FILE_KEYED,
      parameters: [{ name: 'edition_id', in: 'query', required: true, description: 'Name of the edition.', schema: EDITION }],
      responses: { '200': { description: 'The edition, or an empty list.', headers: REQUEST_ID, content: json(DATABASES) }, ...failures('key_in_query', 'bad_request', ...KEY_CODES, 'forbidden', 'rate_limited', 'not_ready') },
    },
  },
  '/geoip/databases/{edition}/download': {
    get: {
      operationId: 'downloadDatabase', tags: ['Files'], summary: 'A database file as tar.gz', description: UPDATER, 'x-pulse-extension': true, security: FILE_KEYED,
      parameters: [
        EDITION_IN_PATH,
        { name: 'date', in: 'query', required: false, description: 'Day of the build; another day is not_found.', schema: { type: 'string' } },
        { name: 'suffix', in: 'query', required: false, description: 'Form of the file.', schema: { type: 'string', enum: ['tar.gz'] } },
      ],
      responses: { ...GZIP, ...failures('key_in_query', 'bad_request', ...KEY_CODES, 'forbidden', 'not_found', 'rate_limited', 'not_ready') },
    },
  },
  '/geoip/databases/{edition}/update': {
    get: {
      operationId: 'updateDatabase', tags: ['Files'], summary: 'A database file as gzip, if it is another one', description: UPDATER, 'x-pulse-extension': true, security: FILE_KEYED,
      parameters: [EDITION_IN_PATH, { name: 'db_md5', in: 'query', required: false, description: 'MD5 of the file at hand: 304 if it is current.', schema: { type: 'string' } }],
      responses: { ...GZIP, ...failures('key_in_query', ...KEY_CODES, 'forbidden', 'not_found', 'rate_limited', 'not_ready') },
    },
  },
  '/v1/phone/meta/tags': {
    get: {
      operationId: 'phoneTags', tags: ['Phone'], summary: 'Dictionary of tags, attributes, card types and states', description: 'Names and descriptions of every slug. Free.', security: KEYED,
      responses: { ...ok('PhoneTags', 'The dictionary.', {}), ...failures('key_in_query', ...KEY_CODES) },
    },
  },
  '/v1/phone/meta/coverage': {
    get: {
      operationId: 'phoneCoverage', tags: ['Phone'], summary: 'Coverage and cadence of the libraries', description: 'How many records, how old, how often refreshed. Free.', security: KEYED,
      responses: { ...ok('PhoneCoverage', 'The coverage.', {}), ...failures('key_in_query', ...KEY_CODES) },
    },
  },
  '/sandbox': {
    get: {
      operationId: 'sandbox', tags: ['Sandbox'], summary: 'The addresses of the sandbox and what each of them shows', description: 'An extension of the published interface. Free.', 'x-pulse-extension': true, security: [{}],
      responses: { ...ok('Sandbox', 'The table.', {}), ...failures('rate_limited') },
    },
  },
  '/sandbox/v1/ip/{ip}': {
    get: {
      operationId: 'lookupSandbox', tags: ['Sandbox'], summary: 'Sandbox: verdict for one address', description: SANDBOX_RULES, 'x-pulse-extension': true,
      security: [{}], parameters: [SANDBOX_PARAMETER],
      responses: { ...ok('IPRisk', 'The verdict.', { ...DAILY, ...MINUTE, ...DEGRADED }), ...failures(...BASIC_CODES) },
    },
  },
  '/sandbox/pulse/v1/ip/{ip}': {
    get: {
      operationId: 'lookupSandboxProfessional', tags: ['Sandbox'], summary: 'Sandbox: verdict with evidence', description: SANDBOX_RULES, 'x-pulse-extension': true,
      security: [{}], parameters: [SANDBOX_PARAMETER, AT_PARAMETER],
      responses: { ...ok('PulseIPRisk', 'The verdict with its evidence.', { ...DAILY, ...MINUTE, ...DEGRADED }), ...failures(...PROFESSIONAL_CODES) },
    },
  },
};

/**
 * Describes the REST interface in OpenAPI 3.1, from the schemas of the answers and the error table. `baseUrl`
 * has no trailing slash.
 */
export const openApiDocument = (baseUrl: string): Json => ({
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
  tags: [
    { name: 'IP', description: 'Verdicts on addresses.' },
    { name: 'Account', description: 'Plan and allowance.' },
    { name: 'Evidence', description: 'Captures that operators bring; an extension.' },
    { name: 'Files', description: 'Database files for readers and updaters; an extension.' },
    { name: 'Sandbox', description: 'Fixed answers to test a client with; an extension.' },
    { name: 'Phone', description: 'Phone-number risk, for enterprise accounts. Numbers travel in bodies only.' },
  ],
  paths: PATHS,
  components: {
    schemas: Object.fromEntries(Object.entries(DOCUMENTS).map(([name, schema]) => [name, linked(schema)])),
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
      abuseIpdb: { type: 'apiKey', in: 'header', name: 'Key' },
      basic: { type: 'http', scheme: 'basic', description: 'Any user name, with the key as password.' },
    },
  },
});
