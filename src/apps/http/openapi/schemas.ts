import { type Static, type TEnum, type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../../contract/errors.ts';
import type { IPBatch, PulseIPBatch } from '../../../contract/ip-batch.ts';
import type { Me } from '../../../contract/me.ts';
import type { PhoneBatch, PhoneCoverage, PhoneProfile, PhoneTags } from '../../../contract/phone.ts';
import {
  CONTINENTS,
  EVIDENCE_STATES,
  FRESHNESS,
  type IPRisk,
  LEVELS,
  type PulseIPRisk,
  RISK_TYPES,
  SHARE_TIERS,
  SIGNALS,
} from '../../../contract/risk.ts';
import { SANDBOX_PATHS, type SandboxTable } from '../../../contract/sandbox.ts';
import { BEACON_RISK_TYPES } from '../../../core/collection/beacon.ts';

/**
 * JSON Schema of every published document. Each is held to its type in `contract` by the compiler (`Held` below) and to real answers by
 * test/http/openapi.test.ts, so openapi.json cannot describe another service than this one. Here every document is closed, which is what that test needs to find
 * a key that is not described; openapi.json publishes them open (document.ts). A field has a description here only where the meaning of its name
 * (contract/field-meanings.ts) is not enough.
 */
const object = <Properties extends Record<string, TSchema>>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description === undefined ? {} : { description }) });
const optional = Type.Optional;
const instant = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });
const oneOf = <const Values extends readonly string[]>(values: Values, description?: string): TEnum<[...Values]> =>
  Type.Enum([...values], description === undefined ? {} : { description }) as TSchema as TEnum<[...Values]>;

export const Risk = object(
  {
    score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Freshness and strength of evidence. Not a probability. Read evidence_state first.',
    }),
    level: oneOf(LEVELS, 'none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe.'),
    signals: optional(Type.Array(oneOf(SIGNALS), { description: 'Sorted alphabetically; absent when nothing fires.' })),
  },
  'Score, level and the signals that fire; identical on both look-up endpoints.',
);

export const Network = object(
  { asn: optional(Type.Integer()), usage_type: optional(Type.String()) },
  'Network of the address.',
);

export const Geo = object(
  {
    continent: optional(oneOf(CONTINENTS)),
    country: optional(Type.String()),
    subdivision: optional(Type.String()),
    admin_code: optional(Type.String({ pattern: '^[0-9]{6}$' })),
    region: optional(Type.String()),
    city: optional(Type.String()),
    district: optional(Type.String()),
    tz: optional(Type.String()),
    lat: optional(Type.Number({ minimum: -90, maximum: 90 })),
    lon: optional(Type.Number({ minimum: -180, maximum: 180 })),
  },
  'Place, down to what is known.',
);

const LookupMeta = object({
  data_version: object({
    risk: Type.String({ description: 'Version of the risk data.' }),
    geo: Type.String({ description: 'Version of the geo data.' }),
  }),
});
const ip = Type.String();
const evidenceState = oneOf(
  EVIDENCE_STATES,
  'none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored.',
);

export const IPRiskSchema = object({
  ip,
  risk: Risk,
  evidence_state: evidenceState,
  computed_at: instant('The moment the verdict is for, UTC with milliseconds.'),
  network: optional(Network),
  geo: optional(Geo),
  degraded: optional(Type.Literal(true)),
  meta: LookupMeta,
});

export const EvidenceSchema = object({
  risk_type: oneOf(RISK_TYPES),
  freshness: oneOf(FRESHNESS),
  obs_days: Type.Integer({
    minimum: 0,
    maximum: 14,
    description: 'Distinct UTC dates with a capture, of the 14 ending at the moment asked about.',
  }),
  captured_at: optional(instant()),
  age_min: optional(Type.Number()),
});

export const PulseIPRiskSchema = object({
  ip,
  risk: Risk,
  evidence_state: evidenceState,
  computed_at: instant('The moment the verdict is for: now, or the moment of `at`.'),
  share_tier: oneOf(SHARE_TIERS),
  evidence: Type.Array(EvidenceSchema),
  resource_pools: optional(Type.Array(Type.String())),
  professional_degraded: optional(Type.Literal('dpa_required')),
  network: optional(Network),
  geo: optional(Geo),
  meta: LookupMeta,
});

export const MeSchema = object({
  tier: oneOf(['ip', 'user', 'key']),
  quota_scope: oneOf(['ip', 'account']),
  plan: Type.String(),
  per_min: Type.Integer(),
  per_day: Type.Integer(),
  overage_pct: optional(Type.Integer()),
  quota_day_tz: Type.String(),
  used_today: optional(Type.Integer()),
  remaining: optional(Type.Integer()),
  over_today: optional(Type.Integer()),
  reset_unix: optional(Type.Integer()),
  key_prefix: optional(Type.String()),
  created_at: optional(instant()),
  key_per_day: optional(Type.Integer()),
  capabilities: optional(
    object({
      phone: optional(
        object({ used_today: Type.Integer(), refunded_today: Type.Integer(), remaining: Type.Integer() }),
      ),
    }),
  ),
  sales_contact: optional(Type.String({ format: 'uri' })),
});

const codeSlug = object({ code: Type.Integer(), slug: Type.String() });
const dataVersion = object({
  cn: Type.String(),
  sg: Type.String(),
  cn_minute: optional(Type.String()),
  sg_minute: optional(Type.String()),
});
const phoneMeta = object({ request_id: Type.String(), data_version: dataVersion });
const query = object({
  input: Type.String(),
  e164: Type.String(),
  national_number: Type.String(),
  country_code: Type.Integer(),
  country: object({ iso2: Type.Union([Type.String(), Type.Null()]) }, 'Country of the calling code.'),
  valid_length: Type.Union([Type.Boolean(), Type.Null()]),
});
const phoneLevel = oneOf(['none', 'low', 'medium', 'high']);

const PhoneHit = object({
  query,
  hit: Type.Literal(true),
  evidence_state: oneOf(['active', 'stale'], 'active, or stale: not captured for over 90 days; give it less weight.'),
  risk: object({
    score: optional(
      Type.Integer({
        minimum: 0,
        maximum: 9,
        description: 'Raw score of the data source; absent when it states none.',
      }),
    ),
    level: phoneLevel,
    primary_tag: optional(codeSlug),
    tags: Type.Array(codeSlug),
  }),
  activity: object({
    first_seen: optional(Type.String()),
    last_active: Type.String(),
    last_active_days_ago: Type.Integer(),
    observed_days: optional(Type.Integer()),
  }),
  carrier: optional(
    object({
      province: optional(Type.String()),
      city_code: optional(Type.String()),
      carrier: optional(Type.String({ description: 'Operator code, such as CMCC.' })),
      attribute: optional(codeSlug),
      card_type: optional(codeSlug),
    }),
  ),
  sources: Type.Array(
    object({
      library: oneOf(['cn', 'sg']),
      risk: optional(Type.Integer({ description: 'Raw score in this library; absent when it states none.' })),
      tag: optional(codeSlug),
      first_seen: optional(Type.String()),
      last_active: Type.String(),
    }),
  ),
  meta: phoneMeta,
});

const PhoneMiss = object({
  query,
  hit: Type.Literal(false),
  evidence_state: Type.Literal('none', { description: 'Never captured; does not mean safe.' }),
  risk: object({
    score: Type.Literal(0),
    level: Type.Literal('none'),
    tags: Type.Unsafe<[]>({ type: 'array', items: {}, maxItems: 0 }),
  }),
  miss_reason: oneOf(['not_in_risk_db', 'unqueryable_bad_length']),
  meta: phoneMeta,
});

export const PhoneProfileSchema = Type.Union([PhoneHit, PhoneMiss], { description: 'hit false does not mean safe.' });

const PhoneUnparseable = object({
  query: object({ input: Type.String() }),
  hit: Type.Literal(false),
  error: object({ code: Type.Literal('bad_number'), message: Type.String() }),
});

export const PhoneBatchSchema = object({
  count: Type.Integer(),
  billable: Type.Integer(),
  hit_count: Type.Integer(),
  results: Type.Array(Type.Union([PhoneHit, PhoneMiss, PhoneUnparseable])),
});

const label = { slug: Type.String(), label: Type.String(), description: Type.String() };
const codeLabels = Type.Array(object({ code: Type.Integer(), ...label }));

export const PhoneTagsSchema = object({
  version: Type.String(),
  risk_tags: codeLabels,
  card_attributes: codeLabels,
  card_types: codeLabels,
  evidence_states: Type.Array(object({ ...label, slug: oneOf(['active', 'stale', 'none']) })),
  levels: Type.Array(object({ slug: phoneLevel, min: Type.Integer(), max: Type.Integer() })),
  meta: object({ request_id: Type.String() }),
});

export const PhoneCoverageSchema = object({
  libraries: Type.Array(
    object({
      library: oneOf(['cn', 'sg']),
      records: Type.Integer(),
      data_version: Type.String(),
      last_full_at: Type.String(),
      last_increment_at: optional(Type.String()),
      cadence: optional(
        object(
          { full: optional(Type.String()), increment: optional(Type.String()) },
          'ISO 8601 durations as observed; absent below three loads.',
        ),
      ),
    }),
  ),
  stale_after_days: Type.Integer(),
  segments: object({ version: Type.String(), records: Type.Integer() }),
  meta: phoneMeta,
});

/** Result of a batch of captures; an extension. */
export const IntakeSchema = object({
  lines: Type.Integer(),
  accepted: Type.Integer(),
  added: Type.Integer(),
  refused: Type.Record(
    Type.String(),
    object({
      count: Type.Integer({ description: 'Rows refused for this reason.' }),
      first_lines: optional(Type.Array(Type.Integer())),
    }),
  ),
  replayed: optional(Type.Literal(true)),
});

/** The exit that a beacon was called from; an extension. */
export const BeaconExitSchema = object({
  ip: Type.String(),
  risk_type: oneOf(BEACON_RISK_TYPES),
  pool: optional(Type.String()),
  captured_at: instant('When the exit was captured; for calls within one minute of the clock, the time of the first.'),
});

const sandboxEntry = {
  ip: Type.String({ description: 'What to ask for.' }),
  shows: Type.String({ description: 'In a few words.' }),
  paths: Type.Array(oneOf(SANDBOX_PATHS), {
    description: 'Paths that answer so; on the other one the address is one never seen.',
  }),
  status: Type.Integer({ description: 'HTTP status.' }),
};

/** What the sandbox answers; an extension. */
export const SandboxSchema = object({
  computed_at: instant('The moment of every verdict of the sandbox.'),
  ranges: Type.Array(Type.String(), {
    description: 'Addresses of these ranges that are not in the table are ones never seen.',
  }),
  addresses: Type.Array(
    Type.Union([
      object({
        ...sandboxEntry,
        status: Type.Literal(200, { description: 'HTTP status.' }),
        evidence_state: evidenceState,
        score: Type.Integer({ minimum: 0, maximum: 100, description: 'Score of the verdict.' }),
        level: oneOf(LEVELS),
        share_tier: oneOf(SHARE_TIERS),
        risk_types: Type.Array(oneOf(RISK_TYPES), { description: 'Of the evidence rows, strongest first.' }),
      }),
      object({ ...sandboxEntry, code: oneOf(Object.keys(ERRORS) as ErrorCode[], 'Code of the refusal.') }),
    ]),
    { description: 'In the order of the manual.' },
  ),
});

/** The error body; its optional keys are extensible, so further ones are admitted. */
export const ErrorSchema = object({
  query: optional(
    object({ input: Type.String() }, 'With bad_number of a single phone look-up: the number as received.'),
  ),
  error: Type.Object(
    {
      code: oneOf(Object.keys(ERRORS) as ErrorCode[], 'Stable; branch on it.'),
      message: Type.String(),
      retry_after: optional(Type.Integer()),
      resets_at: optional(Type.String()),
      next_step: optional(Type.String()),
      signup_url: optional(Type.String()),
      pricing_url: optional(Type.String()),
      console_url: optional(Type.String()),
      window_from: optional(instant()),
      signed_in_endpoint: optional(Type.String()),
    },
    { additionalProperties: true },
  ),
});

const IPBatchRefusal = object({
  ip: Type.String({ description: 'The input as it was sent.' }),
  error: ErrorSchema.properties.error,
});
const ipBatch = <Item extends TSchema>(item: Item) =>
  object({
    count: Type.Integer({ description: 'Items sent.' }),
    billable: Type.Integer({ description: 'Items with a verdict; the others cost nothing of the day.' }),
    results: Type.Array(Type.Union([item, IPBatchRefusal]), {
      description: 'In input order: the body of the single look-up, or the input with an error.',
    }),
  });

/** Many look-ups in one request; an extension. */
export const IPBatchSchema = ipBatch(IPRiskSchema);
export const PulseIPBatchSchema = ipBatch(PulseIPRiskSchema);

type Mutable<T> = T extends readonly []
  ? []
  : T extends readonly (infer Item)[]
    ? Mutable<Item>[]
    : T extends object
      ? { -readonly [K in keyof T]: Mutable<T[K]> }
      : T;
/** Fails to compile when a schema and its contract type differ in either direction. */
type Held<Schema extends TSchema, Document> =
  Static<Schema> extends Document
    ? Mutable<Document> extends Static<Schema>
      ? true
      : 'schema is narrower'
    : 'schema is wider';

const held: [
  Held<typeof IPRiskSchema, IPRisk>,
  Held<typeof PulseIPRiskSchema, PulseIPRisk>,
  Held<typeof IPBatchSchema, IPBatch>,
  Held<typeof PulseIPBatchSchema, PulseIPBatch>,
  Held<typeof MeSchema, Me>,
  Held<typeof PhoneProfileSchema, PhoneProfile>,
  Held<typeof PhoneBatchSchema, PhoneBatch>,
  Held<typeof PhoneTagsSchema, PhoneTags>,
  Held<typeof PhoneCoverageSchema, PhoneCoverage>,
  Held<typeof SandboxSchema, SandboxTable>,
  Held<typeof ErrorSchema, ErrorBody>,
] = [true, true, true, true, true, true, true, true, true, true, true];
void held;
