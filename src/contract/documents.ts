import { type Static, type TEnum, type TSchema, type TSchemaOptions, Type } from 'typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { PHONE_EVIDENCE_STATES, PHONE_LEVELS, PHONE_LIBRARIES, PHONE_MISS_REASONS } from './phone.ts';
import {
  BEACON_RISK_TYPES,
  CONTINENTS,
  EVIDENCE_STATES,
  FRESHNESS,
  LEVELS,
  RISK_TYPES,
  SHARE_TIERS,
  SIGNALS,
} from './risk.ts';
import { SANDBOX_PATHS } from './sandbox.ts';
import { DELIVERY_STATES, WATCHED_CHANGES } from './watched-changes.ts';

/**
 * The published documents (interface, "Resources and their fields"), described once: a schema, and the type of the same name made from it. The description of a
 * field is its meaning in openapi.json and on the site's reference page; the Chinese one is in the console. Only the app thread and commands load the schemas:
 * other code takes the types with `import type`. Every document is closed here, so that tests find a key that is not described; openapi.json publishes them open.
 */
type Frozen<T> = { readonly [K in keyof T]: Frozen<T[K]> };
type Document<Schema extends TSchema> = Frozen<Static<Schema>>;

const object = <Properties extends Record<string, TSchema>>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description !== undefined && { description }) });
const list = <Item extends TSchema>(item: Item, description?: string) =>
  Type.Array(item, description === undefined ? {} : { description });
const text = (description: string, more: TSchemaOptions = {}) => Type.String({ ...more, description });
const instant = (description: string) => text(description, { format: 'date-time' });
const integer = (description: string, more: TSchemaOptions = {}) => Type.Integer({ ...more, description });
const number = (description: string, more: TSchemaOptions = {}) => Type.Number({ ...more, description });
const oneOf = <const Values extends readonly string[]>(values: Values, description?: string): TEnum<[...Values]> =>
  Type.Enum([...values], description === undefined ? {} : { description }) as TSchema as TEnum<[...Values]>;
const optional = Type.Optional;

const ip = text('The address in canonical form (RFC 5952).');
const riskType = oneOf(RISK_TYPES, 'Kind of evidence.');
const shareTier = oneOf(SHARE_TIERS, 'How many share the address: T0 one fixed party to T3 carrier NAT.');
const evidenceState = oneOf(
  EVIDENCE_STATES,
  'none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored.',
);

const score = integer('Freshness and strength of evidence. Not a probability. Read evidence_state first.', {
  minimum: 0,
  maximum: 100,
});
const level = oneOf(LEVELS, 'none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe.');

const Risk = object(
  {
    score,
    level,
    signals: optional(list(oneOf(SIGNALS), 'Sorted alphabetically; absent when nothing fires.')),
  },
  'Score, level and the signals that fire; identical on both lookup endpoints.',
);
export type Risk = Document<typeof Risk>;

const Network = object(
  {
    asn: optional(integer('Autonomous system number.')),
    usage_type: optional(text('Usage code; open set, treat an unknown code as unknown.')),
  },
  'Network of the address.',
);
export type Network = Document<typeof Network>;

const Geo = object(
  {
    continent: optional(oneOf(CONTINENTS, 'Continent.')),
    country: optional(text('Country, ISO 3166-1 alpha-2.')),
    subdivision: optional(text('ISO 3166-2 code, China only.')),
    admin_code: optional(text('GB/T 2260 division code, China only.', { pattern: '^[0-9]{6}$' })),
    region: optional(text('First-level area, Latin name.')),
    city: optional(text('City, Latin name.')),
    district: optional(text('District or county, Latin name.')),
    tz: optional(text('IANA time zone.')),
    lat: optional(number('Latitude; sent with lon or not at all.', { minimum: -90, maximum: 90 })),
    lon: optional(number('Longitude.', { minimum: -180, maximum: 180 })),
  },
  'Place, down to what is known.',
);
export type Geo = Document<typeof Geo>;

const meta = object(
  {
    data_version: object(
      { risk: text('Version of the risk data.'), geo: text('Version of the geo data.') },
      'Versions of the data used.',
    ),
    override: optional(
      Type.Literal(true, {
        description: 'An operator of this service has corrected the verdict of this address (extension).',
      }),
    ),
  },
  'About the answer.',
);

const IPRisk = object({
  ip,
  risk: Risk,
  evidence_state: evidenceState,
  computed_at: instant('The moment the verdict is for, UTC with milliseconds.'),
  network: optional(Network),
  geo: optional(Geo),
  degraded: optional(Type.Literal(true, { description: 'true when one source was unavailable.' })),
  meta,
});
export type IPRisk = Document<typeof IPRisk>;

const professionalDegraded = optional(
  Type.Literal('dpa_required', { description: 'dpa_required: exact times are withheld.' }),
);

/** One evidence row: these five keys and no other. */
const Evidence = object({
  risk_type: riskType,
  freshness: oneOf(FRESHNESS, 'How old, in bands.'),
  obs_days: integer('Distinct UTC dates with a capture, of the 14 ending at the moment asked about.', {
    minimum: 0,
    maximum: 14,
  }),
  captured_at: optional(instant('Exact capture time; needs a data-processing agreement.')),
  age_min: optional(number('Minutes between capture and computed_at.')),
});
export type Evidence = Document<typeof Evidence>;

const PulseIPRisk = object({
  ip,
  risk: Risk,
  evidence_state: evidenceState,
  computed_at: instant('The moment the verdict is for: now, or the moment of `at`.'),
  share_tier: shareTier,
  evidence: list(Evidence, 'Rows, strongest first.'),
  resource_pools: optional(list(Type.String(), 'Opaque pool handles, stable within one account.')),
  professional_degraded: professionalDegraded,
  network: optional(Network),
  geo: optional(Geo),
  meta,
});
export type PulseIPRisk = Document<typeof PulseIPRisk>;

const ExplainedRow = object({
  risk_type: riskType,
  captured_at: optional(instant('Exact capture time; needs a data-processing agreement.')),
  age_ms: optional(number('Age of the capture that is strongest; needs a data-processing agreement.')),
  obs_days: integer('Distinct UTC dates with a capture, of the 14 ending at the newest capture: d of the formula.'),
  base: number('B of the risk type.'),
  prefix_bits: integer('Length of the captured prefix.'),
  weight: number('Share of the base that the width of the captured prefix leaves.'),
  strength_max: number(
    'Greatest strength of this source; less than 1 where it claims networks, or caught a proxy once at a gateway.',
  ),
  window_ms: number('Validity window W; the strength is 0 from this age on.'),
  delta: number('Shape of the decay.'),
  remaining: number('1 − (age/W)^(1/δ), or 0 past the window. Without an agreement the age is in whole hours.'),
  strength: number('The lesser of strength_max and base · weight · remaining. 1 − Π(1 − strength) makes the score.'),
  expires_at: optional(instant('When this row counts no longer; needs a data-processing agreement.')),
  seen_by: optional(list(Type.String(), 'Sources of its captures; for accounts of operators.')),
});
export type ExplainedRow = Document<typeof ExplainedRow>;

const Explanation = object({
  ip,
  computed_at: instant('The moment the verdict is for: now, or the moment of `at`.'),
  score,
  level,
  evidence_state: evidenceState,
  parameters_version: text('Version of the table of GET /v1/score/parameters.'),
  rows: list(ExplainedRow, 'Rows that count or did count, strongest first.'),
  caps: list(
    object({
      by: oneOf(
        ['osint', 'gateway', 'known_service', 'research_scanner', 'override'],
        'The rule that holds the score.',
      ),
      max: integer('Highest score.'),
    }),
    'Bounds that hold the score, its osint rows together, or a proxy row (gateway) below what the rows add up to.',
  ),
  leaves: list(
    object({
      level: oneOf(['low', 'medium', 'high'], 'The level that ends.'),
      at: instant('When the score leaves the level if nothing more is captured; in whole hours without an agreement.'),
    }),
    'The level of now and those below it, with their ends.',
  ),
  share_tier: object(
    {
      tier: shareTier,
      base: oneOf(SHARE_TIERS, 'Tier by the usage code of the network, T1 where that is unknown.'),
      raised_by: list(Type.String(), 'Risk types that raise it; tor or relay for T3; empty where the base stands.'),
    },
    'How the sharing tier comes about.',
  ),
  shared_by: optional(oneOf(['tor', 'relay'], 'The kind of service through which many people share the address.')),
  known_as: optional(
    object(
      {
        id: text('Id of the list.'),
        what: text('The service or scanner.'),
        source: text('Where the list was read.'),
        seen: text('Day of its content.'),
        scanner: optional(Type.Literal(true, { description: 'A research scanner.' })),
      },
      'The list of known services or research scanners that holds the score at 29 while lists alone name the address.',
    ),
  ),
  overridden: optional(
    object(
      {
        id: optional(text('Its id; for accounts of operators.')),
        prefix: text('Prefix it is about.'),
        allow: optional(Type.Literal(true, { description: 'It holds the score at 1 while evidence is active.' })),
        deny: optional(oneOf(RISK_TYPES, 'Risk type that its addresses count as.')),
        reason: optional(text('Its reason; for accounts of operators.')),
        from: instant('Its beginning.'),
        until: instant('Its end.'),
      },
      'The override of the operator that is in force.',
    ),
  ),
  derived: optional(
    list(
      object({
        risk_type: riskType,
        prefix: text('Prefix it is about.'),
        at: optional(instant('When it was derived; needs a data-processing agreement.')),
        reason: text('The rule; for accounts of operators with the sources by name.'),
        seen_by: optional(list(Type.String(), 'Sources of its captures; for accounts of operators.')),
      }),
      'Evidence that follows from several captures together, with the rule.',
    ),
  ),
  professional_degraded: professionalDegraded,
  meta,
});
export type Explanation = Document<typeof Explanation>;

const atState = {
  score,
  level,
  evidence_state: evidenceState,
  types: list(oneOf(RISK_TYPES), 'Risk types that count, sorted.'),
  override: optional(Type.Literal(true, { description: 'An override of the operator is in force (extension).' })),
};

const IPTimeline = object({
  ip,
  from: instant('Beginning of the time asked about.'),
  to: instant('Its end.'),
  window_from: instant('Earliest answerable moment.'),
  start: object(atState, 'The verdict at from.'),
  changes: list(
    object({
      at: instant('First moment of the new state; the next whole hour without an agreement.'),
      ...atState,
    }),
    'Every moment in (from, to] at which level, state, types or override changed, ascending.',
  ),
  gaps: list(
    object({
      from: instant('Beginning.'),
      to: instant('Its end.'),
      missing: optional(integer('Sources missing; absent while that was not known.')),
    }),
    'When verdicts lacked sources of evidence.',
  ),
  professional_degraded: professionalDegraded,
});
export type IPTimeline = Document<typeof IPTimeline>;

const networkCounts = {
  addresses: integer('Addresses with evidence; a captured prefix counts with all its IPv4 addresses, or once in IPv6.'),
  active: integer('Of these, addresses with active evidence.'),
};

const NetworkRisk = object({
  network: text('The prefix in canonical form, or AS and its number.'),
  ...networkCounts,
  by_state: object(
    { active: integer('With active evidence.'), stale: integer('With expired evidence alone.') },
    'Addresses by state.',
  ),
  by_level: object(
    {
      none: integer('Score 0.'),
      low: integer('Score 1 to 29.'),
      medium: integer('30 to 69.'),
      high: integer('70 or more.'),
    },
    'Addresses by level.',
  ),
  by_type: Type.Record(Type.String(), Type.Integer(), { description: 'Addresses by risk type that counts.' }),
  riskiest: list(
    object({ ip, score, level, signals: list(oneOf(SIGNALS), 'Signals that fire.') }),
    'The addresses of their own with the highest scores, at most 50.',
  ),
  around: list(Type.String(), 'Wider networks that hold it, the nearest first: prefixes, then the AS.'),
  inside: list(
    object({ network: text('Part of the network.'), ...networkCounts, score: integer('Highest score in it.') }),
    'Its parts with the most active addresses, at most 50.',
  ),
  computed_at: instant('The moment the verdicts are for.'),
  meta,
});
export type NetworkRisk = Document<typeof NetworkRisk>;

const Watchlist = object({
  id: text('Name of the list in its path.'),
  name: text('Name for people.'),
  entries: list(Type.String(), 'Addresses and prefixes.'),
  on: list(oneOf(WATCHED_CHANGES), 'Changes that are told.'),
  min_level: optional(oneOf(LEVELS, 'Changes are told that reach this level before or after.')),
  webhook: object(
    {
      url: text('Address that deliveries are sent to.'),
      secret: optional(text('Key of the signatures; only in the answer that creates the list.')),
      gone_at: optional(instant('It answered 410 then; nothing more is sent until the list is set again.')),
    },
    'Receiver of deliveries.',
  ),
  created_at: instant('When it was created.'),
  checked_at: instant('Changes until then have been taken in.'),
});
export type Watchlist = Document<typeof Watchlist>;
const Watchlists = object({ watchlists: list(Watchlist, 'The lists of the account, at most 10.') });
export type Watchlists = Document<typeof Watchlists>;

const WatchDelivery = object({
  id: text('Sent as webhook-id; the same at every attempt.'),
  ip: optional(text('Address or network that it is about; absent in a test.')),
  at: instant('Moment of the change.'),
  state: oneOf(
    DELIVERY_STATES,
    'waiting: attempted again at next_at. failed: given up after 24 hours, at 410, or after the one attempt of a test.',
  ),
  attempts: integer('Attempts so far.'),
  next_at: optional(instant('Next attempt.')),
  result: optional(text('Status of the last answer, or the reason why there was none.')),
  body: text('The JSON that is sent.'),
});
export type WatchDelivery = Document<typeof WatchDelivery>;
const WatchDeliveries = object({ deliveries: list(WatchDelivery, 'The newest first, at most 100.') });
export type WatchDeliveries = Document<typeof WatchDeliveries>;

const FeedbackReceipt = object({ id: text('Id of the report; quote it when asking the operator.') });

const weights = (description: string) =>
  list(
    object({
      min_bits: integer('From this length of the prefix on.'),
      weight: number('Share of the base that the width of the captured prefix leaves.'),
    }),
    description,
  );

const ScoreTable = object({
  version: text('Version.'),
  types: Type.Record(
    Type.String(),
    object({
      base: number('B of the risk type.'),
      window_ms: number('Validity window W at one observed day.'),
      delta: number('Shape of the decay.'),
      persistence: number('c: with 1, fourteen observed days double the window.'),
    }),
    { description: 'One row a risk type.' },
  ),
  osint_cap: number('Greatest joint strength of all osint rows.'),
  prefix_weights: object(
    { ipv4: weights('Of IPv4 prefixes.'), ipv6: weights('Of IPv6 prefixes.') },
    'Weights of captured prefixes, the longest first.',
  ),
  ipv6_range_weights: weights('Weights of ipv6_range, in place of prefix_weights.'),
  claim_max: number('Greatest strength of a source that claims networks.'),
  known_good_max: integer('Highest score of a known service or scanner that lists alone name.'),
});
export type ScoreTable = Document<typeof ScoreTable>;

const Me = object({
  tier: oneOf(['ip', 'user', 'key'], 'Kind of caller.'),
  quota_scope: oneOf(['ip', 'account'], 'Whose allowance it is.'),
  plan: text('Plan of the account.'),
  per_min: integer('Lookups per minute.'),
  per_day: integer('Lookups per day.'),
  overage_pct: optional(integer('Percent the day may run past the allowance.')),
  quota_day_tz: text('Time zone of the quota day.'),
  used_today: optional(integer('Used today.')),
  remaining: optional(integer('Left today.')),
  over_today: optional(integer('Used beyond the allowance today.')),
  reset_unix: optional(integer('Unix seconds of the next reset.')),
  key_prefix: optional(text('First characters of the key.')),
  created_at: optional(instant('When the key was made.')),
  key_per_day: optional(integer('Daily cap of this key.')),
  capabilities: optional(
    object(
      {
        phone: optional(
          object(
            {
              used_today: integer('Used today.'),
              refunded_today: integer('Given back today.'),
              remaining: integer('Left today.'),
            },
            'Phone numbers, counted apart.',
          ),
        ),
      },
      'What else the account may do.',
    ),
  ),
  sales_contact: optional(text('Where to ask for more.', { format: 'uri' })),
});
export type Me = Document<typeof Me>;

/** A code with its stable slug; labels are in the dictionary of GET /v1/phone/meta/tags. */
const codeSlug = (description?: string) =>
  object({ code: integer('Stable code.'), slug: text('Stable name.') }, description);
const dataVersion = object(
  {
    cn: text('Version of library cn.'),
    sg: text('Version of library sg.'),
    cn_minute: optional(text('Newest increment of cn.')),
    sg_minute: optional(text('Newest increment of sg.')),
  },
  'Versions of the data used.',
);
const requestId = text('Quote it when reporting a problem.');
const phoneMeta = object({ request_id: requestId, data_version: dataVersion }, 'About the answer.');
const input = text('As received.');
const query = object(
  {
    input,
    e164: text('International form.'),
    national_number: text('National part.'),
    country_code: integer('Calling code.'),
    country: object(
      {
        iso2: Type.Union([Type.String(), Type.Null()], { description: 'Country; null for +1 and shared codes.' }),
      },
      'Country of the calling code.',
    ),
    valid_length: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the length fits the plan; null when no plan is known.',
    }),
  },
  'The number as it was read.',
);
const hit = { description: 'Whether the number is in a library; false does not mean safe.' };
const firstSeen = optional(text('First seen.'));
const lastActive = text('Last seen.');
const library = oneOf(PHONE_LIBRARIES, 'cn or sg.');

const PhoneHit = object({
  query,
  hit: Type.Literal(true, hit),
  evidence_state: oneOf(['active', 'stale'], 'active, or stale: not captured for over 90 days; give it less weight.'),
  risk: object(
    {
      score: optional(integer('Raw score of the data source; absent when it states none.', { minimum: 0, maximum: 9 })),
      level: oneOf(PHONE_LEVELS, 'Band of the score; one lower when stale.'),
      primary_tag: optional(codeSlug('Main tag.')),
      tags: list(codeSlug(), 'All tags.'),
    },
    'Score, level and tags.',
  ),
  activity: object(
    {
      first_seen: firstSeen,
      last_active: lastActive,
      last_active_days_ago: integer('Days since.'),
      observed_days: optional(integer('Days it was seen on.')),
    },
    'When it was seen.',
  ),
  carrier: optional(
    object(
      {
        province: optional(text('ISO 3166-2.')),
        city_code: optional(text('GB/T 2260.')),
        carrier: optional(text('Operator code, such as CMCC.')),
        attribute: optional(codeSlug('Kind of line.')),
        card_type: optional(codeSlug('Kind of card.')),
      },
      'Carrier, mainland China only.',
    ),
  ),
  sources: list(
    object({
      library,
      risk: optional(integer('Raw score in this library; absent when it states none.')),
      tag: optional(codeSlug('Its tag.')),
      first_seen: firstSeen,
      last_active: lastActive,
    }),
    'What each library holds.',
  ),
  meta: phoneMeta,
});

export type PhoneHit = Document<typeof PhoneHit>;
export type CodeSlug = PhoneHit['risk']['tags'][number];
export type PhoneMeta = PhoneHit['meta'];
export type PhoneDataVersion = PhoneMeta['data_version'];

const PhoneMiss = object({
  query,
  hit: Type.Literal(false, hit),
  evidence_state: Type.Literal('none', { description: 'Never captured; does not mean safe.' }),
  risk: object(
    {
      score: Type.Literal(0),
      level: Type.Literal('none', { description: 'Band of the score.' }),
      tags: Type.Unsafe<[]>({ type: 'array', items: {}, maxItems: 0, description: 'All tags.' }),
    },
    'Score, level and tags.',
  ),
  miss_reason: oneOf(PHONE_MISS_REASONS, 'Why nothing was found.'),
  meta: phoneMeta,
});
export type PhoneMiss = Document<typeof PhoneMiss>;

const PhoneProfile = Type.Union([PhoneHit, PhoneMiss], { description: 'hit false does not mean safe.' });
export type PhoneProfile = Document<typeof PhoneProfile>;

/** A batch item that could not be parsed: nothing is guessed, nothing is charged. The message never repeats the input. */
const PhoneUnparseable = object({
  query: object({ input }, 'The number as it was read.'),
  hit: Type.Literal(false, hit),
  error: object(
    {
      code: Type.Literal('bad_number', { description: 'Stable code.' }),
      message: text('English prose; may change.'),
    },
    'The problem.',
  ),
});
export type PhoneUnparseable = Document<typeof PhoneUnparseable>;

const PhoneBatch = object({
  count: integer('Numbers sent.'),
  billable: integer('Numbers charged.'),
  hit_count: integer('Numbers found.'),
  results: list(
    Type.Union([PhoneHit, PhoneMiss, PhoneUnparseable]),
    'In input order, each as for a single lookup; an unparseable one holds an error.',
  ),
});
export type PhoneBatch = Document<typeof PhoneBatch>;

const label = { slug: text('Stable name.'), label: text('Label.'), description: text('Description.') };
const codeLabels = (description: string) => list(object({ code: integer('Stable code.'), ...label }), description);

const PhoneTags = object({
  version: text('Version.'),
  risk_tags: codeLabels('Risk tags.'),
  card_attributes: codeLabels('Kinds of line.'),
  card_types: codeLabels('Kinds of card.'),
  evidence_states: list(object({ ...label, slug: oneOf(PHONE_EVIDENCE_STATES, 'Stable name.') }), 'Evidence states.'),
  levels: list(
    object({
      slug: oneOf(PHONE_LEVELS, 'Stable name.'),
      min: integer('Lowest score.'),
      max: integer('Highest score.'),
    }),
    'Levels and their bounds.',
  ),
  meta: object({ request_id: requestId }, 'About the answer.'),
});
export type PhoneTags = Document<typeof PhoneTags>;
export type PhoneCodeLabel = PhoneTags['risk_tags'][number];

const PhoneCoverage = object({
  libraries: list(
    object({
      library,
      records: integer('Records.'),
      data_version: text('Versions of the data used.'),
      last_full_at: text('Last full load.'),
      last_increment_at: optional(text('Last increment.')),
      cadence: optional(
        object(
          { full: optional(text('Full load.')), increment: optional(text('Increment.')) },
          'ISO 8601 durations as observed; absent below three loads.',
        ),
      ),
    }),
    'The libraries.',
  ),
  stale_after_days: integer('Days until a number is stale.'),
  segments: object({ version: text('Version.'), records: integer('Records.') }, 'Number segments.'),
  meta: phoneMeta,
});
export type PhoneCoverage = Document<typeof PhoneCoverage>;
export type PhoneLibraryCoverage = PhoneCoverage['libraries'][number];

const Intake = object({
  lines: integer('Lines read.'),
  accepted: integer('Captures taken in, those known before included.'),
  added: integer('Captures that were new.'),
  refused: Type.Record(
    Type.String(),
    object({
      count: integer('Rows refused for this reason.'),
      first_lines: optional(list(Type.Integer(), 'Numbers of the first such lines.')),
    }),
    { description: 'Rows not taken in, by reason, each with its first line numbers.' },
  ),
  replayed: optional(
    Type.Literal(true, {
      description: 'true: this batch was taken in before, and the answer is that of the first time.',
    }),
  ),
});

const BeaconExit = object({
  ip,
  risk_type: oneOf(BEACON_RISK_TYPES, 'Kind of evidence.'),
  pool: optional(text('Internal name of the group the exit belongs to, for the holder of the token.')),
  captured_at: instant('When the exit was captured; for calls within one minute of the clock, the time of the first.'),
});

const sandboxEntry = {
  ip: text('What to ask for.'),
  shows: text('In a few words.'),
  paths: list(oneOf(SANDBOX_PATHS), 'Paths that answer so; on the other one the address is one never seen.'),
};
const SandboxVerdict = object({
  ...sandboxEntry,
  status: Type.Literal(200, { description: 'HTTP status.' }),
  evidence_state: evidenceState,
  score: integer('Score of the verdict.', { minimum: 0, maximum: 100 }),
  level: oneOf(LEVELS, 'Band of the score.'),
  share_tier: shareTier,
  risk_types: list(oneOf(RISK_TYPES), 'Of the evidence rows, strongest first.'),
});
export type SandboxVerdict = Document<typeof SandboxVerdict>;
const SandboxRefusal = object({
  ...sandboxEntry,
  status: integer('HTTP status.'),
  code: oneOf(Object.keys(ERRORS) as ErrorCode[], 'Code of the refusal.'),
});
export type SandboxRefusal = Document<typeof SandboxRefusal>;

const Sandbox = object({
  computed_at: instant('The moment of every verdict of the sandbox.'),
  ranges: list(Type.String(), 'Addresses of these ranges that are not in the table are ones never seen.'),
  addresses: list(Type.Union([SandboxVerdict, SandboxRefusal]), 'In the order of the manual.'),
});
export type Sandbox = Document<typeof Sandbox>;

const problem = Type.Object(
  {
    code: oneOf(Object.keys(ERRORS) as ErrorCode[], 'Stable; branch on it.'),
    message: text('English prose; may change.'),
    retry_after: optional(integer('Seconds to wait.')),
    resets_at: optional(text('When the allowance is reset.')),
    next_step: optional(text('What to do.')),
    signup_url: optional(text('Where to sign up.')),
    pricing_url: optional(text('Plans.')),
    console_url: optional(text('The console.')),
    window_from: optional(instant('Earliest answerable moment.')),
    signed_in_endpoint: optional(text('MCP endpoint with a larger allowance.')),
  },
  { additionalProperties: true, description: 'The problem.' },
);

/** The error body; its optional keys are extensible, so further ones are admitted. */
const ErrorBody = object({
  query: optional(object({ input }, 'With bad_number of a single phone lookup: the number as received.')),
  error: problem,
});
export type ErrorBody = Document<typeof ErrorBody>;
export type ErrorDetail = Omit<ErrorBody['error'], 'code' | 'message'>;

const IPBatchRefusal = object({
  ip: text('The input as it was sent; of more than 64 characters the first 64 and “…”.'),
  error: problem,
});
const ipBatch = <Item extends TSchema>(item: Item) =>
  object({
    count: integer('Items sent.'),
    billable: integer('Items with a verdict; the others cost nothing of the day.'),
    results: list(
      Type.Union([item, IPBatchRefusal]),
      'In input order: the body of the single lookup, or the input with an error.',
    ),
  });

const IPBatch = ipBatch(IPRisk);
export type IPBatch = Document<typeof IPBatch>;
const PulseIPBatch = ipBatch(PulseIPRisk);
export type PulseIPBatch = Document<typeof PulseIPBatch>;

/** Every published document, and the parts that have a name of their own in openapi.json. */
export const DOCUMENTS = {
  IPRisk,
  PulseIPRisk,
  Risk,
  Network,
  Geo,
  Evidence,
  Explanation,
  FeedbackReceipt,
  IPTimeline,
  NetworkRisk,
  ScoreTable,
  Watchlist,
  Watchlists,
  WatchDelivery,
  WatchDeliveries,
  Me,
  PhoneProfile,
  PhoneBatch,
  PhoneTags,
  PhoneCoverage,
  Intake,
  BeaconExit,
  IPBatch,
  PulseIPBatch,
  Sandbox,
  Error: ErrorBody,
} as const satisfies Readonly<Record<string, TSchema>>;
