/**
 * The interface specification as a list of requirements, part by part. A test cites the ones it holds the service to with `covers('ID', …)`; the gate
 * (requirements.test.ts) fails on an uncited one of every area in GATED. Add an area to GATED when its last requirement has a test.
 * Each row says in our words what the specification asks; its text is the authority.
 */
export type Area = 'lookup' | 'limits' | 'errors-http' | 'evidence' | 'place' | 'pulse' | 'me' | 'phone' | 'mcp' | 'oauth' | 'site' | 'cli';

export interface Requirement {
  readonly id: string;
  readonly area: Area;
  readonly text: string;
}

/** Areas whose every requirement must be cited. */
export const GATED: readonly Area[] = ['lookup', 'limits', 'errors-http'];

// biome-ignore format: a table, one row a requirement
const ROWS: readonly (readonly [Area, string, string])[] = [
  // What the service does
  ['evidence', 'GEN-SCORE', 'risk.score measures freshness and strength of evidence and decays with its age'],
  ['evidence', 'GEN-STATE', 'none: never seen; stale: existed and expired; active: being scored'],
  ['lookup', 'GEN-NO-CACHE', 'verdicts are obtained at decision time and not cached; computed_at states the moment'],
  ['pulse', 'GEN-SAME-SCORE', 'an address has one score on both look-up endpoints'],
  ['limits', 'GEN-ANON', 'without a key only GET /v1/ip/{ip} answers, with an allowance per client address'],
  ['limits', 'GEN-SAME-ALLOWANCE', 'web and API look-ups draw on one daily allowance: per address when anonymous, per account when signed in'],
  ['lookup', 'CORS-STAR', 'GET /v1/ip/{ip} sends Access-Control-Allow-Origin: *'],
  ['lookup', 'CORS-PREFLIGHT', 'GET /v1/ip/{ip} answers OPTIONS preflight requests'],
  ['lookup', 'CORS-ONLY', 'Access-Control-Allow-Origin applies to GET /v1/ip/{ip} only'],
  ['mcp', 'GEN-MCP-SAME', 'the tool returns exactly the document of GET /v1/ip/{ip}'],
  // IPRisk, Risk, Network, Geo
  ['lookup', 'IPRISK-IP', 'ip is the address in canonical form'],
  ['lookup', 'IPRISK-COMPUTED', 'computed_at is the UTC date-time of the verdict'],
  ['lookup', 'IPRISK-NETWORK', 'network is left out when neither key is known'],
  ['lookup', 'IPRISK-GEO', 'geo is left out when nothing is known'],
  ['evidence', 'IPRISK-DEGRADED', 'degraded is present, and true, only when a source was out; X-Pulse-Degraded: 1 goes with it'],
  ['lookup', 'IPRISK-NEVER', 'the basic endpoint never carries evidence, share_tier or resource_pools'],
  ['evidence', 'RISK-SCORE', 'score is an integer from 0 to 100'],
  ['evidence', 'SIG-NONE', 'honeypot_scan, honeypot_credential and ipv6_range have no signal slug'],
  ['evidence', 'STATE-STALE', 'at the end of the validity window evidence is stale and the score 0; before it the score decays continuously'],
  ['evidence', 'EV-AHEAD', 'a capture up to five minutes ahead counts as now, further ahead it is refused and counted'],
  ['evidence', 'EV-DURABLE', 'evidence survives a restart and a SIGKILL'],
  ['pulse', 'PULSE-DPA', 'without an agreement exact times are withheld and professional_degraded says dpa_required'],
  ['evidence', 'RISK-LEVEL', 'level: none 0, low 1 to 29, medium 30 to 69, high 70 to 100'],
  ['lookup', 'RISK-SIGNALS', 'signals are the firing slugs, sorted; the key is left out when none fires'],
  ['lookup', 'NET-ASN', 'asn is the autonomous system number'],
  ['lookup', 'NET-OMIT', 'each network key is left out when unknown, never 0 or empty'],
  ['place', 'NET-USAGE', 'usage_type is passed through; the set is open'],
  ['place', 'GEO-CONTINENT', 'continent is one of AS, EU, NA, SA, AF, OC, AN'],
  ['place', 'GEO-COUNTRY', 'country is ISO 3166-1 alpha-2'],
  ['place', 'GEO-SUBDIVISION', 'subdivision is ISO 3166-2 and only for China'],
  ['place', 'GEO-ADMIN', 'admin_code is a six-digit GB/T 2260 code, in China beside subdivision'],
  ['place', 'GEO-NAMES', 'region, city and district are Latin names'],
  ['place', 'GEO-TZ', 'tz is an IANA zone'],
  ['lookup', 'GEO-LATLON', 'lat and lon come as a pair or not at all; 0,0 is a real point'],
  ['lookup', 'GEO-OMIT', 'a missing geo value is never 0, empty or null'],
  // PulseIPRisk and evidence rows
  ['pulse', 'PULSE-200', 'the professional body has ip, risk, evidence_state, computed_at, share_tier, evidence'],
  ['pulse', 'PULSE-NO-DEGRADED', 'the professional body has no degraded field; the header says it'],
  ['pulse', 'EV-SORTED', 'evidence is sorted strongest first; empty without evidence'],
  ['pulse', 'EV-TIER', 'share_tier is T0 to T3'],
  ['pulse', 'EV-POOLS', 'resource_pools are opaque, only when a pool is hit, stable in an account, not comparable across accounts'],
  ['pulse', 'EV-KEYS', 'a row has five possible keys and no other'],
  ['pulse', 'EV-TYPE', 'risk_type is one of ten'],
  ['pulse', 'EV-FRESHNESS', 'freshness is within_2h, within_4h, within_12h or older'],
  ['pulse', 'EV-OBS-DAYS', 'obs_days counts the days reported in the 14 days ending at the query moment'],
  ['pulse', 'EV-EXACT', 'captured_at and age_min are there only when a value exists and the agreement allows'],
  // Endpoints
  ['lookup', 'IP-200', '200 answers with the IPRisk body and the allowance headers'],
  ['lookup', 'IP-400', 'private, reserved and malformed addresses are refused with 400'],
  ['lookup', 'IP-404', '404 when there is no record for the address'],
  ['lookup', 'IP-503', '503 while data is loading'],
  ['pulse', 'PULSE-AUTH', 'a key on the professional tier is required'],
  ['pulse', 'PULSE-AT', 'at answers as it stood, in the same shape'],
  ['pulse', 'PULSE-AT-COMPUTED', 'computed_at is the moment asked about, in UTC'],
  ['pulse', 'PULSE-AT-RELATIVE', 'score, level, tier, state, evidence and pools are of the moment; signals, network and geo are current'],
  ['pulse', 'PULSE-AT-PLUS', 'a bare plus is read as a space and refused'],
  ['pulse', 'PULSE-AT-NO-FALLBACK', 'no refused request falls back to a live verdict'],
  ['pulse', 'PULSE-AT-WINDOW', 'window_from is authoritative for the earliest moment'],
  ['pulse', 'PULSE-AT-FREE', 'the 400 cases of the professional endpoint cost no day'],
  ['me', 'ME-200', 'GET /v1/me answers with the Me body'],
  ['me', 'ME-401', 'a missing or invalid key is 401 key_required'],
  ['phone', 'PHONE-LOOKUP', 'POST /v1/phone/lookup answers with the profile'],
  ['phone', 'PHONE-BATCH', 'POST /v1/phone/batch: at most 1000 numbers, in input order, all or nothing'],
  ['phone', 'PHONE-NORMALISE', 'the five normalisation rules'],
  ['phone', 'PHONE-META', 'tags and coverage are free'],
  ['phone', 'PHONE-BANDS', 'levels of the raw score and the state over 90 days'],
  ['phone', 'PHONE-MISS', 'a miss holds only its five parts'],
  ['phone', 'PHONE-HEADERS', 'X-Quota-Unit and X-Billable-Units; allowance headers in numbers'],
  ['phone', 'PHONE-BILLING', 'what is billed and what is not'],
  ['mcp', 'MCP-METHODS', 'POST without a session; GET is 405'],
  ['mcp', 'MCP-RESULTS', 'failed calls are HTTP 200 with isError; texts are JSON'],
  ['mcp', 'MCP-QUOTA-LOW', 'under 20 percent left a second block says so'],
  ['mcp', 'MCP-RPC-ERRORS', 'the JSON-RPC codes of refusals'],
  ['mcp', 'MCP-HEADERS', 'Retry-After and X-Daily-* are on the HTTP answer'],
  ['oauth', 'OAUTH-DISCOVERY', 'the account endpoint answers 401 with discovery metadata'],
  ['oauth', 'OAUTH-PKCE', 'public clients with PKCE S256 only, self-registered'],
  ['oauth', 'OAUTH-LIFETIMES', 'access one hour, refresh 30 days'],
  ['oauth', 'OAUTH-DISCONNECT', 'authorised apps are listed and can be disconnected'],
  ['site', 'SITE-LLMS', 'GET /llms.txt'],
  // Authentication
  ['limits', 'AUTH-HEADERS', 'X-API-Key and Authorization: Bearer are equal'],
  ['errors-http', 'AUTH-QUERY', 'a key in the query string is refused, not processed'],
  ['errors-http', 'AUTH-FAILURES', 'key failures are key_required, invalid_key, revoked_key, key_expired'],
  ['limits', 'LIM-CLIENT', 'anonymous callers are counted per client address'],
  ['me', 'AUTH-ASSISTANT', 'verified assistants have an allowance per family'],
  // Errors
  ['errors-http', 'ERR-EVERY-PATH', 'every path answers errors with the error body'],
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
  ['errors-http', 'ERR-invalid_time', 'at is no date-time or in the future'],
  ['pulse', 'ERR-at_out_of_window', 'at before the earliest moment, with window_from'],
  ['pulse', 'ERR-history_not_enabled', 'no history source'],
  ['pulse', 'ERR-history_no_ipv6', 'history covers IPv4'],
  ['pulse', 'ERR-history_unavailable', 'history cannot be read, Retry-After 10'],
  ['errors-http', 'ERR-rate_limited', 'per-minute limit'],
  ['me', 'ERR-quota_exceeded', 'daily allowance of an account used up'],
  ['errors-http', 'ERR-quota_exceeded_anon', 'anonymous daily allowance used up'],
  ['errors-http', 'ERR-key_quota_exceeded', 'daily allowance of a key used up'],
  ['me', 'ERR-quota_exceeded_ai_agent', 'allowance of an assistant family used up'],
  ['phone', 'ERR-phone', 'bad_request, bad_number, capability_*, payload_too_large, batch_over_rate_limit, upstream_unavailable, phone_disabled, quota_unavailable'],
  ['mcp', 'ERR-missing_ip', 'the MCP argument is missing'],
  // Limits
  ['limits', 'LIM-ANON-DAY', 'the anonymous daily allowance, exactly'],
  ['limits', 'LIM-PLAN', 'plans set per_min and per_day of keys, counted for the account'],
  ['limits', 'LIM-HEADERS', 'X-Daily-Limit, -Remaining, -Reset and X-RateLimit-Limit, -Remaining on success and quota-type 429'],
  ['limits', 'LIM-HEADERS-WHERE', 'other refusals carry no allowance headers'],
  ['limits', 'LIM-RATE-HEADERS', 'rate_limited carries only X-RateLimit-* and Retry-After'],
  ['limits', 'LIM-RETRY-AFTER', 'seconds to wait in every 429'],
  ['limits', 'LIM-FREE-400', 'refused input and unknown addresses cost no day'],
  ['limits', 'LIM-DURABLE', 'counters survive a restart and a SIGKILL without losing an answered charge'],
  ['errors-http', 'REQ-ID', 'X-Request-Id is on every response'],
  // Command line and environment
  ['cli', 'RUN-CONFIG', 'a wrong value in the environment stops the start, and every fault is named at once'],
  // Versioning
  ['lookup', 'VER-DATA', 'meta.data_version stamps the risk and geo data used'],
];

export const REQUIREMENTS: readonly Requirement[] = ROWS.map(([area, id, text]) => ({ id, area, text }));
