import { MCP_ROWS } from './requirements-mcp.ts';
import { PHONE_ROWS } from './requirements-phone.ts';

/**
 * The interface specification (docs/interface.md) as a list of requirements, part by part. A test cites the ones it holds the service to with
 * `covers('ID', …)`; a run of the whole suite fails on one that no passed test cites (check-coverage.ts). interface-rows.ts ties each sentence of the
 * interface to its requirements: these are in our words, and the sentence is the authority.
 */
export type Area =
  | 'lookup'
  | 'limits'
  | 'errors-http'
  | 'evidence'
  | 'place'
  | 'pulse'
  | 'me'
  | 'phone'
  | 'mcp'
  | 'oauth'
  | 'site'
  | 'cli';

export interface Requirement {
  readonly id: string;
  readonly area: Area;
  readonly text: string;
}

/** Area, id, text. */
export type RequirementRow = readonly [Area, string, string];

// biome-ignore format: a table, one row a requirement
const ROWS: readonly RequirementRow[] = [
  // The service
  ['evidence', 'GEN-SCORE', 'risk.score measures freshness and strength of evidence and decays with its age'],
  ['evidence', 'GEN-STATE', 'none: never seen; stale: existed and expired; active: being scored'],
  ['evidence', 'GEN-CODES', 'names, network types and risk types are codes or slugs, never localised text'],
  ['lookup', 'GEN-NO-CACHE', 'verdicts are obtained at decision time and not cached; computed_at states the moment'],
  ['pulse', 'GEN-SAME-SCORE', 'an address has one score on both look-up endpoints'],
  ['limits', 'GEN-ANON', 'without a key only GET /v1/ip/{ip} answers, with an allowance per client address'],
  ['limits', 'GEN-SAME-ALLOWANCE', 'web and API look-ups draw on one daily allowance: per address when anonymous, per account when signed in'],
  ['lookup', 'CORS-STAR', 'GET /v1/ip/{ip} sends Access-Control-Allow-Origin: *'],
  ['lookup', 'CORS-PREFLIGHT', 'GET /v1/ip/{ip} answers OPTIONS preflight requests'],
  ['lookup', 'CORS-ONLY', 'Access-Control-Allow-Origin applies to GET /v1/ip/{ip} only'],
  // IPRisk, Risk, Network, Geo
  ['lookup', 'IPRISK-IP', 'ip is the address in canonical form'],
  ['lookup', 'IPRISK-COMPUTED', 'computed_at is the UTC date-time of the verdict'],
  ['lookup', 'IPRISK-KEYS', 'the body has the documented keys and no other'],
  ['lookup', 'IPRISK-NETWORK', 'network is left out when neither key is known'],
  ['lookup', 'IPRISK-GEO', 'geo is left out when nothing is known'],
  ['evidence', 'IPRISK-DEGRADED', 'degraded is present, and true, only when a source was unavailable and the verdict was computed without it; X-Pulse-Degraded: 1 goes with it'],
  ['lookup', 'IPRISK-NEVER', 'the basic endpoint never carries evidence, share_tier or resource_pools'],
  ['evidence', 'RISK-SCORE', 'score is an integer from 0 to 100'],
  ['evidence', 'SIG-NONE', 'honeypot_scan, honeypot_credential and ipv6_range have no signal slug'],
  ['evidence', 'STATE-STALE', 'at the end of the validity window evidence is stale and the score 0; before it the score decays continuously'],
  ['evidence', 'EV-AHEAD', 'beyond the interface: a capture up to five minutes ahead counts as now, further ahead it is refused and counted'],
  ['errors-http', 'NO-ECHO', 'beyond the interface: every path that is not there answers with the Error body, and nothing of its URL comes back; an item of a batch repeats at most 64 characters of its input'],
  ['evidence', 'EV-RIGHT', 'beyond the interface: a key writes evidence only when it was made so, and about /24, /48 and wider only with a further right; else 403 forbidden'],
  ['evidence', 'EV-BY-KEY', 'beyond the interface: captures that came by one key can be taken back by it; earlier answers stay, and captures of other keys'],
  ['evidence', 'EV-DURABLE', 'beyond the interface: evidence survives a restart and a SIGKILL'],
  ['pulse', 'PULSE-DPA', 'without an agreement exact times are withheld and professional_degraded says dpa_required'],
  ['evidence', 'RISK-LEVEL', 'level: none 0, low 1 to 29, medium 30 to 69, high 70 to 100'],
  ['lookup', 'RISK-SIGNALS', 'signals are the firing slugs, sorted; the key is left out when none fires'],
  ['evidence', 'SIG-TYPES', 'proxy, vpn, dialup_pool, hijacked_proxy, osint, cloud_service and cloud_phone fire from active evidence of their type'],
  ['evidence', 'SIG-NETWORK', 'hosting, mobile and crawler describe the network: they add nothing to the score and leave the state alone'],
  ['evidence', 'SIG-EXPIRED', 'a signal stops firing when its evidence has expired'],
  ['lookup', 'NET-ASN', 'asn is the autonomous system number'],
  ['lookup', 'NET-OMIT', 'each network key is left out when unknown, never 0 or empty'],
  ['place', 'NET-USAGE', 'usage_type is the segment’s usage code, passed through unchanged; the set is open'],
  ['place', 'GEO-CONTINENT', 'continent is one of AS, EU, NA, SA, AF, OC, AN'],
  ['place', 'GEO-COUNTRY', 'country is ISO 3166-1 alpha-2'],
  ['place', 'GEO-SUBDIVISION', 'subdivision is ISO 3166-2 and only for China'],
  ['place', 'GEO-ADMIN', 'admin_code is a six-digit GB/T 2260 code, precise to district or county where that is known, in China next to subdivision'],
  ['place', 'GEO-NAMES', 'region, city and district are Latin names'],
  ['place', 'GEO-TZ', 'tz is an IANA zone'],
  ['place', 'GEO-SPECIAL', 'beyond the interface: special-purpose space of the registries that is public has no place and is not hosting'],
  ['place', 'LIST-EMPTY', 'beyond the interface: an error page, an archive or an empty body is never an empty list'],
  ['place', 'LIST-ADDRESSES', 'beyond the interface: every address of a list that people bring is taken, or counted with the reason'],
  ['place', 'READERS', 'beyond the interface: every reader of what people bring keeps the four rules of decisions 12'],
  ['place', 'LIST-TIMES', 'beyond the interface: a time that people bring and that cannot be understood refuses the row, in a header the file'],
  ['place', 'LAYER-MEANING', 'beyond the interface: columns of a layer count by their meaning, in every format alike'],
  ['place', 'LAYER-LEFT-OUT', 'beyond the interface: up to one bad row in a thousand of a layer is left out and counted, more refuse the file'],
  ['place', 'LAYER-USED', 'beyond the interface: a layer that is refused or gives nothing is not in data_version, is named by data list, doctor and metrics, and fails data build'],
  ['place', 'FEED-BOUNDS', 'beyond the interface: each bound that a source of the catalogue states is enforced, for evidence and network lists alike'],
  ['lookup', 'GEO-LATLON', 'lat and lon come as a pair or not at all; 0,0 is a real point'],
  ['lookup', 'GEO-OMIT', 'a missing geo value is never 0, empty or null'],
  // PulseIPRisk and evidence rows
  ['pulse', 'PULSE-200', 'the professional body has ip, risk, evidence_state, computed_at, share_tier, evidence'],
  ['pulse', 'PULSE-SAME-SHAPE', 'ip, risk, evidence_state, computed_at, network and geo are as in the basic body'],
  ['pulse', 'PULSE-NO-DEGRADED', 'the professional body has no degraded field; the header says it'],
  ['pulse', 'PULSE-DEGRADED-HEADER', 'X-Pulse-Degraded: 1 when a source was unavailable and the verdict was computed without it'],
  ['pulse', 'EV-SORTED', 'evidence is sorted strongest first; empty without evidence'],
  ['pulse', 'EV-TIER', 'share_tier is T0 to T3'],
  ['pulse', 'EV-TIER-RAISED', 'active evidence raises the tier, expired evidence does not'],
  ['pulse', 'EV-POOLS', 'resource_pools are opaque, only when a pool is hit, stable in an account, not comparable across accounts'],
  ['pulse', 'EV-POOLS-ABSENT', 'resource_pools is absent when no pool is hit'],
  ['pulse', 'EV-KEYS', 'a row has five possible keys and no other'],
  ['pulse', 'EV-ALWAYS', 'risk_type, freshness and obs_days are in every row'],
  ['pulse', 'EV-TYPE', 'risk_type is one of ten'],
  ['pulse', 'EV-FRESHNESS', 'freshness is within_2h, within_4h, within_12h or older'],
  ['pulse', 'EV-OBS-DAYS', 'obs_days counts the days reported in the 14 days ending at the query moment'],
  ['pulse', 'EV-EXACT', 'captured_at and age_min are there only when a value exists and the agreement allows'],
  // Endpoints
  ['lookup', 'IP-200', '200 answers with the IPRisk body and the allowance headers'],
  ['lookup', 'IP-400', 'private, reserved and malformed addresses are refused with 400'],
  ['lookup', 'IP-404', '404 when there is no record for the address'],
  ['lookup', 'IP-AT', 'at sent to GET /v1/ip/{ip} answers 400'],
  ['lookup', 'IP-503', '503 while data is loading'],
  ['pulse', 'PULSE-AUTH', 'a key on the professional tier is required'],
  ['pulse', 'PULSE-AT', 'at answers as it stood, in the same shape'],
  ['pulse', 'PULSE-AT-LIVE', 'the live verdict at an instant is what at= that instant answers later'],
  ['pulse', 'PULSE-AT-CAPTURES', 'evidence rows are reconstructed for the moment: captures after it do not exist'],
  ['pulse', 'PULSE-AT-COMPUTED', 'computed_at is the moment asked about, in UTC'],
  ['pulse', 'PULSE-AT-RFC3339', 'at is an RFC 3339 date-time'],
  ['pulse', 'PULSE-AT-RELATIVE', 'score, level, tier, state, evidence and pools are of the moment; signals, network and geo are current'],
  ['pulse', 'PULSE-AT-PLUS', 'a bare plus is read as a space and refused'],
  ['pulse', 'PULSE-AT-NO-FALLBACK', 'no refused request falls back to a live verdict'],
  ['pulse', 'PULSE-AT-WINDOW', 'window_from is the earliest answerable moment: at it an answer is given, before it at_out_of_window with window_from in the body'],
  ['pulse', 'PULSE-AT-FREE', 'the 400 cases of the professional endpoint cost no day'],
  ['pulse', 'PULSE-AT-ORDER', 'address, then moment, then history are judged'],
  ['pulse', 'PULSE-FREE-FAILED', 'beyond the interface: look-ups that fail give their charge back'],
  ['me', 'ME-200', 'GET /v1/me answers with the Me body'],
  ['me', 'ME-FREE', 'beyond the interface: GET /v1/me costs no daily allowance'],
  ['me', 'ME-401', 'a missing or invalid key is 401 key_required'],
  ['me', 'ME-KEYS', 'the body has the documented keys with their types and no other'],
  ['me', 'ME-OVERAGE', 'overage_pct lets a day run past per_day by its share; over_today counts it'],
  ['me', 'ME-TZ', 'quota_day_tz is the zone of the quota day; reset_unix its next midnight'],
  ['me', 'ME-CAPABILITIES', 'capabilities.phone holds used_today, refunded_today and remaining, for those who have it'],
  // Authentication
  ['limits', 'AUTH-HEADERS', 'X-API-Key and Authorization: Bearer are equal'],
  ['errors-http', 'AUTH-QUERY', 'a key in the query string is refused, not processed'],
  ['errors-http', 'AUTH-FAILURES', 'key failures are key_required, invalid_key, revoked_key, key_expired'],
  ['errors-http', 'AUTH-DIFFER', 'two key headers that differ are an invalid key'],
  ['errors-http', 'AUTH-JUDGED', 'a key that is sent is judged, also where none is needed'],
  ['limits', 'LIM-CLIENT', 'anonymous callers are counted per client address'],
  ['me', 'AUTH-ASSISTANT', 'verified assistants have an allowance per family'],
  ['me', 'AUTH-ASSISTANT-NONE', 'assistants are not an exception on the professional endpoint'],
  ['limits', 'AUTH-ELSEWHERE', 'every REST endpoint but GET /v1/ip/{ip} requires a key'],
  // Errors
  ['errors-http', 'ERR-EVERY-PATH', 'every path answers errors with the error body'],
  ['errors-http', 'ERR-CODING', 'beyond the interface: a transfer coding other than chunked is answered 501, and its connection ends'],
  ['errors-http', 'ERR-METHOD', 'beyond the interface: an unknown method on a known path is 405 with Allow'],
  ['errors-http', 'ERR-ORDER', 'beyond the interface: unknown path or method, key in query, key, tier or capability, minute, input, history rules, day, look-up'],
  ['errors-http', 'ERR-INTERNAL', 'beyond the interface: an unexpected fault is 500 internal_error with nothing of the inside'],
  ['errors-http', 'ERR-EXTRAS', 'retry_after, resets_at, next_step and links stand where they apply'],
  ['lookup', 'SANDBOX', 'beyond the interface: the sandbox has an address for every state, level, risk type, sharing tier and refusal, without a key and without a charge'],
  ['errors-http', 'ERR-MESSAGE', 'every error has a code and a message'],
  ['errors-http', 'ERR-invalid_ip', 'not an address'],
  ['errors-http', 'ERR-reserved_ip', 'private or reserved address'],
  ['errors-http', 'ERR-key_in_query', 'key in the query'],
  ['errors-http', 'ERR-not_found', 'no record, or unknown path'],
  ['errors-http', 'ERR-not_ready', 'data is loading, with Retry-After'],
  ['errors-http', 'ERR-key_required', 'key missing'],
  ['errors-http', 'ERR-invalid_key', 'key invalid'],
  ['me', 'ERR-revoked_key', 'key revoked'],
  ['me', 'ERR-key_expired', 'key expired'],
  ['errors-http', 'ERR-professional_required', 'key below the professional tier'],
  ['errors-http', 'ERR-history_requires_professional', 'at below the professional tier'],
  ['errors-http', 'ERR-invalid_time', 'at is not a date-time, or in the future'],
  ['pulse', 'ERR-at_out_of_window', 'at before the earliest moment, with window_from'],
  ['pulse', 'ERR-history_not_enabled', 'no history source'],
  ['pulse', 'ERR-history_no_ipv6', 'history covers IPv4'],
  ['pulse', 'ERR-history_unavailable', 'history cannot be read, Retry-After 10'],
  ['errors-http', 'ERR-rate_limited', 'per-minute limit'],
  ['me', 'ERR-quota_exceeded', 'daily allowance of an account used up'],
  ['errors-http', 'ERR-quota_exceeded_anon', 'anonymous daily allowance used up'],
  ['errors-http', 'ERR-key_quota_exceeded', 'daily allowance of a key used up'],
  ['me', 'ERR-quota_exceeded_ai_agent', 'allowance of an assistant family used up'],
  // Limits
  ['limits', 'LIM-ANON-DAY', 'the anonymous daily allowance, exactly'],
  ['pulse', 'LIM-HISTORY', 'the history window is thirty days or the contract'],
  ['limits', 'LIM-ANON-MIN', 'the anonymous rate: 60 a minute'],
  ['limits', 'LIM-FREE-DAY', 'a free account may look up more than an anonymous client: 5000 a day'],
  ['limits', 'LIM-BINDING', 'the headers show the allowance that binds'],
  ['limits', 'LIM-MINUTE-ALL', 'beyond the interface: the minute counts refused requests too'],
  ['limits', 'LIM-RESET', 'X-Daily-Reset is the unix second of the reset, midnight in quota_day_tz'],
  ['limits', 'LIM-PLAN', 'plans set per_min and per_day of keys, counted for the account'],
  ['limits', 'LIM-HEADERS', 'X-Daily-Limit, -Remaining, -Reset and X-RateLimit-Limit, -Remaining on success and quota-type 429'],
  ['limits', 'LIM-HEADERS-WHERE', 'other refusals carry no allowance headers'],
  ['limits', 'LIM-RATE-HEADERS', 'rate_limited carries only X-RateLimit-* and Retry-After'],
  ['limits', 'LIM-RETRY-AFTER', 'seconds to wait in every 429'],
  ['limits', 'LIM-RETRY-503', 'Retry-After: 10 on history_unavailable'],
  ['limits', 'LIM-RETRY-ONLY', 'Retry-After appears only on 429 and history_unavailable, and on upstream_unavailable and not_ready, of which other sentences ask it'],
  ['limits', 'LIM-EXACT', 'beyond the interface: allowances are exact when everything comes at once on all threads'],
  ['limits', 'LIM-IPV6', 'beyond the interface: IPv6 clients are counted per /64, and without a key sixteen of them per /48'],
  ['lookup', 'IPV4-CARRIED', 'beyond the interface: an address behind the well-known NAT64 prefix is looked up and counted as its IPv4 address'],
  ['limits', 'CONN-PIPELINED', 'beyond the interface: requests pipelined by the thousand take few descriptors, and look-ups of others are answered meanwhile'],
  ['limits', 'LIM-PROXY', 'beyond the interface: behind a configured proxy the client is the right-most untrusted hop; otherwise the peer'],
  ['limits', 'LIM-FREE-400', 'beyond the interface: refused input and unknown addresses cost no day'],
  ['limits', 'LIM-DURABLE', 'beyond the interface: counters survive a restart and a SIGKILL without losing an answered charge'],
  ['errors-http', 'REQ-ID', 'X-Request-Id is on every response'],
  // Command line and environment
  ['cli', 'RUN-CONFIG', 'beyond the interface: a wrong value in the environment stops the start, and every fault is named at once'],
  ['site', 'AUDIT-EVENTS', 'beyond the interface: sign-ins, refusals, sign-outs and deliveries are counted in the audit log, one row an actor, subject, kind and hour'],
  ['site', 'AUDIT-MAIL', 'beyond the interface: an account holder hears by mail of a new password, key, factor, app, first sign-in from a new country, and locked codes'],
  ['site', 'AUDIT-COPY', 'beyond the interface: rows of the audit log are copied to a file or a syslog collector as they come; requests never wait for it'],
  ['site', 'SESSIONS-OWN', 'beyond the interface: a holder sees the signed-in browsers, ends one or all, and an idle one ends by itself'],
  ['cli', 'CLI-PASSWORD', 'beyond the interface: an addition: pulse account password gives an account a new password and ends its sessions and apps'],
  ['site', 'CONSOLE-KEYS', 'keys are created self-service in the console'],
  ['cli', 'CLI-SEEN', 'beyond the interface: what a command writes is seen by a running server within two seconds, without a restart'],
  ['cli', 'CLI-LOOKUP', 'beyond the interface: pulse lookup prints the answer of the server from the local data'],
  ['cli', 'CLI-CLIENT', 'beyond the interface: the address of a line of a log is the client\'s by its format or by names; else what was read and what else was there is reported, and two equally good ones are refused'],
  ['cli', 'CLI-PHONE', 'beyond the interface: pulse phone lookup prints the answers of the server from the local libraries, about numbers or a list, or adds them to a table'],
  ['cli', 'CLI-COMMANDS', 'beyond the interface: every command is there with its options'],
  ['cli', 'CLI-HELP', 'beyond the interface: every command has --help, with status 0'],
  ['cli', 'CLI-STATUS', 'beyond the interface: exit status 0 done, 1 failed, 2 wrong usage'],
  ['cli', 'CLI-JSON', 'beyond the interface: every command that prints has --json'],
  ['cli', 'SUMMARY-RISKY-PATHS', 'beyond the interface: a summary says which paths risky addresses requested, how many they are, with which statuses and when'],
  ['site', 'BULK-ANY-TEXT', 'beyond the interface: pasted text is read with all its addresses, also carried through signing in, and what is left out is counted by reason'],
  ['cli', 'DEPLOY-ROLE', 'beyond the interface: nodes of deploy/compose.yaml are not superusers of their database'],
  ['cli', 'STORE-QUEUE', 'beyond the interface: a database that answers no connection is waited for over one connection of a thread'],
  ['evidence', 'FEEDS-PINNED', 'beyond the interface: a redirect of a list leads to the address that was judged, whatever its name resolves to later'],
  ['place', 'LAYERS-PINNED', 'beyond the interface: a layer that was fetched is used only with the bytes that were verified'],
  ['site', 'SITE-OBJECTION', 'beyond the interface: a public page says what a verdict means, how long evidence counts, and where to object; the verdict about the visitor\'s own address links to it'],
  ['site', 'SITE-PAST', 'beyond the interface: a past verdict is headed by its moment, marks what is of today, and a moment too early is answered with the earliest date'],
  ['cli', 'SUMMARY-RISKIEST-ALL', 'beyond the interface: --riskiest writes every address of at least medium risk, and counts those it leaves out'],
  ['evidence', 'ONE-MISSING', 'beyond the interface: `pulse feeds list`, `pulse doctor`, /status, its page, the metrics and degraded name the same missing sources, by how PULSE_FEEDS has them come now'],
  ['cli', 'CLI-READS', 'beyond the interface: a command that reads makes no data folder; without evidence it names the folder and the next step, with status 1'],
  ['pulse', 'EXPLAIN', 'beyond the interface: an explanation has the rows, factors and bounds that make the score to the digit, when it leaves each level, and what made the sharing tier; the command line prints the document of the endpoint'],
  ['cli', 'RUN-SWAP', 'beyond the interface: new data is swapped in with no failed request'],
  ['cli', 'RUN-THREAD', 'beyond the interface: a thread that dies is replaced'],
  ['cli', 'RUN-STOP', 'beyond the interface: a stop finishes what is in flight and ends with status 0'],
  ['lookup', 'POLICY-JUDGE', 'beyond the interface: a policy gives an address allow, challenge or deny by score, signals, sharing tier and its allow list, with type and age as the reason'],
  // Versioning
  ['lookup', 'VER-DATA', 'meta.data_version stamps the risk and geo data used'],
  ['lookup', 'VER-PATH', 'paths carry the major version'],
  ['pulse', 'VER-SCORE', 'the score is in the risk object; there is no top-level score'],
];

export const REQUIREMENTS: readonly Requirement[] = [...ROWS, ...PHONE_ROWS, ...MCP_ROWS].map(([area, id, text]) => ({
  id,
  area,
  text,
}));
