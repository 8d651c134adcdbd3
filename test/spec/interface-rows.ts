/**
 * The requirements that hold the service to a sentence of the specification, or why the sentence asks nothing
 * of the service.
 */
export type InterfaceRow = readonly [hash: string, ids: readonly string[] | string];

/**
 * One row a sentence of docs/interface.md, in its order. The hash is of section and sentence
 * (interface-sentences.ts); the words after it are for the reader.
 */
export const INTERFACE_ROWS: readonly InterfaceRow[] = [
  // IP Risk, Geolocation and Phone Risk Service: Interface Specification
  ['e84ba48e', 'says what the document is about'], // This single document covers the whole servic
  ['c9ba4bfa', ['VER-PATH']], // All addresses are relative to {base_url}.
  ['ffbea830', ['ERR-EVERY-PATH', 'IPRISK-KEYS']], // Responses are JSON.
  ['67424e6a', ['GEN-CODES']], // Place names, network types and risk types ar
  // What the service does
  ['3f384a83', ['SIG-TYPES', 'SIG-NETWORK']], // The service answers, for one public IPv4 or
  ['af4ac385', ['EV-FRESHNESS', 'NET-ASN', 'GEO-NAMES']], // It also reports how fresh that evidence is,
  ['7af389aa', 'opens the list that follows'], // General rules:
  ['38660339', ['GEN-SCORE', 'RISK-SCORE']], // risk.score (integer 0 to 100) measures the f
  ['19ba0303', 'says what a reader may conclude, not what the service does'], // It is not a probability that the address is
  ['b9f023df', ['GEN-STATE']], // A score of 0 is ambiguous.
  ['f3bdd1dc', ['GEN-STATE']], // The consumer must read evidence_state first:
  ['0c82c60a', ['GEN-NO-CACHE', 'IPRISK-COMPUTED']], // Verdicts must be obtained at decision time a
  ['b4af161d', ['GEN-SAME-SCORE']], // The same address yields the same score on th
  ['d0a2cb83', ['PULSE-200', 'PULSE-AT']], // The professional endpoint adds evidence deta
  ['07d7effd', ['GEN-ANON', 'LIM-CLIENT']], // Access without a key is allowed on GET /v1/i
  ['b2d1e4dc', ['GEN-SAME-ALLOWANCE']], // Web-page lookups and API calls draw on the s
  ['ce0fe4be', ['CORS-STAR', 'CORS-PREFLIGHT']], // GET /v1/ip/{ip} sends the response header Ac
  ['f69f1cb3', ['GEN-MCP-SAME']], // The same lookup is offered as the MCP tool i
  ['b5839720', ['ERR-capability_not_eligible', 'PHONE-SEPARATE']], // A separate capability, phone-number risk pro
  // IPRisk (body of GET /v1/ip/{ip})
  ['97af85dd', ['IPRISK-IP']], // ip string yes Address looked up, canonical f
  ['76952699', ['IPRISK-KEYS']], // risk Risk object yes See below.
  ['afa9317d', ['GEN-STATE']], // evidence_state string yes One of active, sta
  ['96c4c3ec', ['IPRISK-COMPUTED']], // computed_at string, date-time (UTC) yes When
  ['b6a0e7c4', ['IPRISK-NETWORK']], // network Network object no Omitted when the a
  ['14bc93f8', ['IPRISK-GEO']], // geo Geo object no Omitted when nothing is kn
  ['b2cfd096', ['IPRISK-DEGRADED']], // degraded boolean no Present, and true, only
  ['25f59106', ['IPRISK-NEVER']], // This endpoint never carries evidence[], shar
  // Risk object (same keys on both lookup endpoints, produced identically)
  ['8ffeb0de', ['RISK-SCORE']], // score integer 0 to 100, required.
  ['23091d8e', ['RISK-LEVEL']], // level string Required. Derived from score: n
  ['209005cb', ['RISK-SIGNALS']], // signals array of string Slugs of the signals
  ['b63c46c1', 'opens the table that follows'], // Signal slugs:
  ['d4b3989d', ['SIG-TYPES', 'SIG-EXPIRED']], // proxy Currently seen in proxy supply (open p
  ['d419e3b2', ['SIG-TYPES']], // vpn Observed VPN infrastructure, usually a f
  ['928220d1', ['SIG-TYPES']], // dialup_pool Broadband lines that redial to o
  ['9beb271f', ['SIG-TYPES']], // hijacked_proxy A subscriber's device relayin
  ['73622869', ['SIG-TYPES']], // osint Listed in public threat-intelligence s
  ['273a99df', ['SIG-NETWORK']], // crawler Search-engine or known crawler infra
  ['39d25636', ['SIG-TYPES']], // cloud_service Cloud function or serverless e
  ['e68250a1', ['SIG-TYPES']], // cloud_phone Cloud-phone (virtual device farm
  ['17fb9847', ['SIG-NETWORK']], // hosting Datacenter or cloud address space; d
  ['0d74c2fe', ['SIG-NETWORK']], // mobile Mobile carrier address space; describ
  // Network object
  ['21322348', ['NET-OMIT', 'IPRISK-NETWORK']], // Each key is omitted when unknown (0 or empty
  ['0dc484d1', ['IPRISK-KEYS']], // Operator names are not published; the ASN is
  ['0c682b37', ['NET-ASN']], // asn integer Autonomous system number.
  ['03b561d1', ['NET-USAGE']], // usage_type string Segment usage code passed
  // Geo object
  ['c3a470b7', ['GEO-OMIT', 'IPRISK-GEO']], // Every key is omitted when unknown; the whole
  ['ccc33ab2', ['GEO-OMIT']], // A missing value is never sent as 0, empty st
  ['bcdc31e8', ['GEO-CONTINENT']], // continent string Closed set: AS, EU, NA, SA,
  ['79621a8d', ['GEO-COUNTRY']], // country string ISO 3166-1 alpha-2.
  ['7f363ec5', ['GEO-SUBDIVISION']], // subdivision string ISO 3166-2 first-level co
  ['075cd1c7', ['GEO-ADMIN']], // admin_code string Six-digit administrative d
  ['c26c295b', ['GEO-NAMES']], // region string Latin name of first-level area
  ['d44412c2', ['GEO-NAMES']], // city string Latin name of city, every countr
  ['a200109d', ['GEO-NAMES']], // district string Latin name of district or co
  ['5400c60b', ['GEO-TZ']], // tz string IANA time zone.
  ['7623c2fb', ['GEO-LATLON']], // lat, lon number Decimal degrees, always sent
  // PulseIPRisk (body of GET /pulse/v1/ip/{ip}, professional tier)
  ['05377e61', ['PULSE-200']], // Required: ip, risk, evidence_state, computed
  ['171c10c8', ['PULSE-200', 'PULSE-SAME-SHAPE']], // Optional: network, geo, resource_pools. ip,
  ['ae07cb43', ['PULSE-NO-DEGRADED']], // There is no degraded field in the body.
  ['74774886', ['EV-SORTED']], // evidence array of Evidence Sorted strongest
  ['eb5c290d', ['EV-TIER', 'EV-TIER-RAISED']], // share_tier string Address sharing tier, T0 t
  ['58f9b292', ['EV-POOLS', 'EV-POOLS-ABSENT']], // resource_pools array of string Opaque pool h
  // Evidence row
  ['b512f027', ['EV-KEYS']], // Every row has exactly five possible keys; no
  ['32b7920e', ['EV-ALWAYS', 'EV-TYPE', 'SIG-NONE']], // risk_type string Required, always present. O
  ['db1b7246', ['EV-ALWAYS', 'EV-FRESHNESS']], // freshness string Required, always present. O
  ['55317a46', ['EV-ALWAYS', 'EV-OBS-DAYS']], // obs_days integer Always present on professio
  ['d85a25d8', ['EV-EXACT', 'PULSE-DPA', 'PULSE-AT-CAPTURES']], // captured_at string, RFC 3339 Exact capture t
  ['e1131b20', ['EV-EXACT', 'PULSE-DPA']], // age_min number Minutes between the evidence
  // Me (body of GET /v1/me)
  ['42714470', ['ME-KEYS']], // tier string yes One of ip, user, key.
  ['e59ed6a1', ['ME-KEYS']], // quota_scope string yes
  ['61985a08', ['ME-KEYS']], // plan string yes Allowed values of plan: not
  ['f86e2de0', ['ME-KEYS', 'LIM-PLAN']], // per_min integer yes Per-minute allowance.
  ['dff9f0ea', ['ME-KEYS', 'LIM-PLAN']], // per_day integer yes Daily allowance.
  ['f280077e', ['ME-KEYS', 'ME-OVERAGE']], // overage_pct integer no
  ['3947f830', ['ME-TZ']], // quota_day_tz string yes Time zone that defin
  ['2413ff76', ['ME-KEYS']], // used_today integer no
  ['507195be', ['ME-KEYS']], // remaining integer no
  ['098c256d', ['ME-OVERAGE']], // over_today integer no
  ['7320f83a', ['ME-TZ']], // reset_unix integer no Unix seconds of the ne
  ['564424aa', ['ME-KEYS']], // key_prefix string no Leading characters of t
  ['1dd3ea6e', ['ME-KEYS']], // created_at string no Key creation time.
  ['59f985e8', ['ME-KEYS']], // key_per_day integer no
  ['80247a0b', ['ME-CAPABILITIES', 'ME-PHONE']], // capabilities object no Free-form; capabiliti
  ['ad207f27', ['ME-KEYS']], // sales_contact string, uri no
  // Error (every error body)
  ['d8819135', ['ERR-MESSAGE']], // Object with a required error object: code (s
  ['3c1d99fa', ['ERR-EXTRAS', 'ERR-at_out_of_window', 'MCP-NEXT-STEPS']], // Optional keys, all extensible: retry_after (
  // Phone risk profile (single lookup body)
  ['339e7314', ['PHONE-Q-INPUT']], // query.input string Input as received.
  ['edcdea40', ['PHONE-Q-E164']], // query.e164 string Normalised international f
  ['9b91c2bd', ['PHONE-Q-NATIONAL']], // query.national_number string National part.
  ['ad14b7a2', ['PHONE-Q-CODE']], // query.country_code integer Calling code.
  ['63a10d14', ['PHONE-Q-ISO2']], // query.country.iso2 string or null ISO 3166-1
  ['63f8fcae', ['PHONE-Q-LENGTH']], // query.valid_length boolean or null Whether l
  ['69a23be7', ['PHONE-HIT']], // hit boolean Whether the number is in the ris
  ['222f753f', ['PHONE-STATE']], // evidence_state string active, stale or none
  ['8ede81b1', ['PHONE-SCORE']], // risk.score integer 0 to 9 Raw data-source sc
  ['1ceb8d79', ['PHONE-LEVEL']], // risk.level string high, medium, low or none;
  ['44cdecf1', ['PHONE-TAGS']], // risk.primary_tag, risk.tags[] object {code i
  ['49933534', ['PHONE-ACTIVITY']], // activity.first_seen, activity.last_active st
  ['f7a7f329', ['PHONE-ACTIVITY']], // activity.last_active_days_ago, activity.obse
  ['d6a361b2', ['PHONE-CARRIER', 'PHONE-CARRIER-ABSENT']], // carrier.province string ISO 3166-2, mainland
  ['b8d697ea', ['PHONE-CARRIER', 'PHONE-CARRIER-ABSENT']], // carrier.city_code string GB/T 2260 code, mai
  ['18d718e6', ['PHONE-CARRIER', 'PHONE-CARRIER-ABSENT']], // carrier.carrier string Operator code such as
  ['6ba34a24', ['PHONE-CARRIER', 'PHONE-CARRIER-ABSENT']], // carrier.attribute, carrier.card_type object
  ['422c7b97', ['PHONE-SOURCES']], // sources[] array Items: library (cn or sg), r
  ['f8be76f3', ['PHONE-MISS', 'PHONE-NORM-5']], // miss_reason string Only when hit is false: n
  ['84767a38', ['PHONE-META-ID']], // meta.request_id string Quote when reporting
  ['3c21cfb3', ['PHONE-META-VERSION']], // meta.data_version object Data versions per l
  ['374c1593', ['PHONE-MISS']], // When hit is false the body holds only query,
  // Phone batch body
  ['70ffe21a', ['PHONE-B-COUNTS', 'PHONE-B-ORDER', 'PHONE-B-SHAPE', 'PHONE-B-INLINE']], // count (integer, inputs), billable (integer,
  // Fields described outside the formal schema
  ['c56ae360', 'reports another description; it leaves open which of these keys are sent'], // A longer description mentions fields beyond
  ['e95770f3', ['PULSE-DPA']], // On the professional response it mentions evi
  ['cac0dbe3', 'names what the document leaves open'], // Which of these the current responses emit, a
  ['e700fe02', 'asks something of the consumer'], // Consumers must ignore unknown keys.
  // evidence_state (both lookup endpoints)
  ['da7476bc', ['GEN-STATE', 'RISK-SCORE']], // active Fresh evidence is being scored. 1 to
  ['cd09dd4f', ['STATE-STALE']], // stale Evidence existed and expired; a weak p
  ['b4ae1952', ['GEN-STATE']], // none Never seen; no information. 0
  // risk.level bands
  ['575fc4ac', ['RISK-LEVEL']], // none (score 0), low (1 to 29), medium (30 to
  // Phone evidence_state
  ['409c9dea', ['PHONE-STATE']], // active Fresh evidence; may be acted on.
  ['72363cba', ['PHONE-STALE-90']], // stale Seen, but not captured for over 90 day
  ['b34e686b', ['PHONE-STATE']], // none Never captured.
  // Transitions
  ['ea969480', ['STATE-STALE']], // active (IP) Passage of time Evidence ages be
  ['1bda7b64', ['PHONE-STALE-90']], // active (phone) Passage of time No capture fo
  ['84a81afe', 'names what the document leaves open'], // Other transitions, and the length of the IP
  // Endpoints
  ['1063b753', ['ERR-EVERY-PATH']], // All endpoints return JSON.
  ['aba2549e', ['ERR-EVERY-PATH']], // Errors use the Error body.
  ['d80057e5', 'says how the part is to be read'], // Shapes only are given; field types are in th
  // GET /v1/ip/{ip}
  ['2eeac004', ['IP-400']], // Path parameter ip: string, required, public
  ['6fc00ae8', ['GEN-ANON', 'AUTH-JUDGED']], // Auth: optional (no key, or key in header).
  ['b882dc16', ['IP-200']], // 200: IPRisk body.
  ['80aaac55', ['IP-200', 'LIM-HEADERS']], // Also sends the daily-quota and rate-limit he
  ['e0ff39c4', ['IP-400', 'IP-404', 'IP-503']], // Errors: 400, 404 no record for this address,
  // GET /pulse/v1/ip/{ip}
  ['e37f90e5', ['PULSE-AT-FREE', 'ERR-invalid_ip', 'ERR-reserved_ip']], // Path parameter ip: as above.
  ['1433b38e', ['PULSE-AT-RFC3339']], // Query parameter at: optional, RFC 3339 date-
  ['9e93189a', ['PULSE-AT', 'PULSE-AT-LIVE']], // Returns the verdict as it stood at that mome
  ['45f0b6fd', ['PULSE-AUTH']], // Auth: key required, on the professional data
  ['8085e8f3', ['PULSE-200', 'PULSE-DEGRADED-HEADER']], // 200: PulseIPRisk body; header X-Pulse-Degrad
  ['c9a3110d', 'opens the list that follows'], // Rules for at:
  ['e1476e18', ['PULSE-AT']], // The response has the same fields and shape a
  ['a16eb8f5', ['PULSE-AT-COMPUTED']], // computed_at is the moment asked about, norma
  ['e605c3b1', ['PULSE-AT-RELATIVE', 'PULSE-AT-CAPTURES']], // risk.score, risk.level, share_tier, evidence
  ['7c81411e', ['PULSE-AT-PLUS']], // A numeric UTC offset is accepted only with t
  [
    '5fcd3d10',
    [
      'ERR-invalid_time',
      'ERR-at_out_of_window',
      'ERR-history_not_enabled',
      'ERR-history_no_ipv6',
      'ERR-history_requires_professional',
      'ERR-history_unavailable',
      'PULSE-AT-ORDER',
    ],
  ], // A malformed or future value gives invalid_ti
  ['f63465fe', ['PULSE-AT-NO-FALLBACK']], // No rejected request falls back to a live ver
  ['73630d9a', ['PULSE-AT-WINDOW', 'LIM-HISTORY']], // The history window is stated as 30 days in o
  // GET /v1/me
  ['f4566268', ['ME-401']], // Auth: key required (header).
  ['9bf4f857', ['ME-200', 'ME-401']], // 200: Me body. 401 key_required when the key
  // POST /v1/phone/lookup
  ['b03e42e7', ['PHONE-AUTH']], // Auth: key required, with the phone capabilit
  ['e68dcf30', ['PHONE-LOOKUP', 'ERR-bad_request']], // Request body (JSON): number (string, require
  ['cfbf8a29', ['PHONE-LOOKUP']], // 200: phone profile body.
  ['bc6abf17', ['PHONE-BODY-ONLY']], // Numbers travel only in the body; there is no
  // POST /v1/phone/batch
  ['dd4c3ec4', ['PHONE-AUTH']], // Auth as above.
  ['2ab6610e', ['PHONE-BATCH-MAX', 'ERR-bad_request']], // Request body (JSON): numbers (array of strin
  ['c3636f82', ['PHONE-B-COUNTS']], // 200: phone batch body.
  ['f55815f9', ['PHONE-ALL-OR-NOTHING']], // Billing is all-or-nothing (see Limits).
  // Phone input normalisation (both POST endpoints)
  ['2cbbf2a9', ['PHONE-NORM-1']], // Spaces, dashes, brackets, dots, full-width d
  ['20c8557d', ['PHONE-NORM-2']], // A leading + or 00 marks an international for
  ['9b1902e5', ['PHONE-NORM-3A', 'PHONE-NORM-3B', 'PHONE-NORM-3C']], // A bare digit string is read in this order: (
  ['5e5e0b85', ['PHONE-NORM-4']], // Letters, quotes, emoji or other foreign char
  ['ff55f316', ['PHONE-NORM-4', 'ERR-bad_number', 'PHONE-B-INLINE']], // A single lookup gives 400 bad_number (body s
  ['816aa462', ['PHONE-BILL-UNPARSEABLE']], // Neither is billed.
  ['5350edcc', ['PHONE-NORM-5']], // A parseable number with a wrong length (for
  // GET /v1/phone/meta/tags
  ['a2e478ae', ['PHONE-TAGS-FREE']], // Free.
  ['1fd5d546', ['PHONE-TAGS-DICTIONARY']], // Dictionary of label and description (English
  ['30858f28', 'names what the document leaves open'], // Exact body shape: not shown.
  // GET /v1/phone/meta/coverage
  ['b37a951a', ['PHONE-COVERAGE-FREE']], // Free.
  ['7185593c', ['PHONE-COVERAGE-FREE']], // Data coverage and update cadence.
  ['8c37e700', 'names what the document leaves open'], // Exact body shape: not shown.
  // MCP endpoints
  ['81c61ba3', ['MCP-STATELESS', 'MCP-GET-405', 'MCP-TOOL', 'MCP-OPEN']], // {base_url}/mcp POST Streamable HTTP, statele
  ['0b1cb38f', ['MCP-ACCOUNT-COUNT', 'MCP-ACCOUNT-401', 'MCP-ACCOUNT-KEY', 'OAUTH-LANGUAGES']], // {base_url}/mcp/account and {base_url}/en/mcp
  ['4c0aada6', ['OAUTH-METADATA']], // {base_url}/.well-known/oauth-authorization-s
  ['252615fe', ['SITE-LLMS']], // {base_url}/llms.txt GET Machine-readable sit
  ['9b76dbac', 'opens the list that follows'], // MCP result rules:
  ['b72144bc', ['MCP-IS-ERROR']], // A failed tool call is HTTP 200 with isError
  ['6d35539c', ['MCP-IS-ERROR', 'GEN-MCP-SAME', 'MCP-ERROR-BODY', 'MCP-NEXT-STEPS']], // Every content[0].text is a JSON string: on s
  ['5b2efe49', ['MCP-ARGUMENTS']], // Argument errors use missing_ip, invalid_ip,
  ['80f2c30c', ['MCP-LIMIT-ERRORS']], // Limit and credential errors use the REST cod
  ['95c1d707', ['MCP-HEADERS']], // The Retry-After and X-Daily-* headers are st
  ['255033a6', ['MCP-QUOTA-LOW']], // When less than 20 percent of the daily quota
  ['92f0e257', ['MCP-HANDSHAKE']], // Handshake methods (initialize, tools/list) r
  ['8fbb64d3', ['MCP-PARSE']], // Malformed JSON: HTTP 400 with -32700.
  ['4ea8a238', ['MCP-UNKNOWN-TOOL']], // Unknown tool: -32601.
  ['70a3f785', ['MCP-PARAMS']], // Wrong argument type or argument outside the
  // Authentication
  ['1d4e66a5', ['AUTH-HEADERS']], // A key is sent in header X-API-Key: <API_KEY>
  ['c2b1628d', ['AUTH-HEADERS', 'AUTH-DIFFER']], // The two are equivalent.
  ['06809c68', ['CONSOLE-KEYS']], // Keys are created self-service in the console
  ['dc85ed89', ['AUTH-QUERY', 'ERR-key_in_query']], // A key in the query string is refused with HT
  ['fcc51bda', ['GEN-ANON', 'LIM-CLIENT']], // GET /v1/ip/{ip} works without a key (anonymo
  ['6ed61449', ['AUTH-ELSEWHERE']], // Every other REST endpoint requires a key.
  ['7151d99f', ['PULSE-AUTH', 'ERR-professional_required']], // GET /pulse/v1/ip/{ip} requires a key on the
  ['a27a470a', ['ERR-history_requires_professional']], // The at parameter additionally requires the p
  ['0571d87b', ['PULSE-DPA', 'EV-EXACT']], // Exact per-evidence time fields additionally
  ['dee71f77', ['AUTH-ASSISTANT-NONE']], // There is no exception for AI assistants.
  ['3f861eb1', ['PHONE-AUTH', 'ERR-capability_not_eligible', 'ERR-capability_not_enabled']], // Phone endpoints require a key with the phone
  ['a0ec7b84', ['PHONE-AUTH']], // Nothing is charged in these cases.
  ['89cc427e', ['AUTH-FAILURES']], // Key failure codes: key_required (missing), i
  ['fe9d45e9', ['OAUTH-METADATA', 'OAUTH-PUBLIC', 'OAUTH-PKCE', 'OAUTH-REGISTER']], // MCP sign-in: the account endpoint follows th
  ['0750e296', ['OAUTH-ACCESS-HOUR', 'OAUTH-REFRESH']], // Access tokens last one hour and refresh sile
  ['012d36e8', ['OAUTH-APPS', 'OAUTH-DISCONNECT']], // Authorised apps are listed in the console ke
  ['d4121a19', ['OAUTH-QUOTA', 'MCP-ACCOUNT-COUNT']], // The quota is the account's, the same counter
  ['e51f180f', ['AUTH-ASSISTANT', 'MCP-ASSISTANT', 'ERR-quota_exceeded_ai_agent']], // Verified AI-assistant traffic (checked by us
  ['261c3dfb', ['CORS-ONLY', 'MCP-NO-CORS']], // Access-Control-Allow-Origin: * applies to GE
  // Events
  ['055b4b6b', 'names what the document leaves open'], // Outbound events, webhooks and subscriptions:
  // Errors
  ['77d61fa1', ['ERR-EVERY-PATH']], // Every path, 4xx and 5xx included, returns th
  ['d3e56bb2', ['ERR-MESSAGE']], // Branch on error.code.
  ['2bad4401', ['ERR-invalid_ip']], // 400 invalid_ip Not a valid IPv4 or IPv6 addr
  ['ea2f317b', ['ERR-reserved_ip']], // 400 reserved_ip Private or reserved address;
  ['a8c008b3', ['ERR-key_in_query']], // 400 key_in_query Key sent in the query strin
  ['d37b98ba', ['ERR-invalid_time', 'PULSE-AT-PLUS']], // 400 invalid_time at is not RFC 3339 (includi
  ['a95474db', ['ERR-at_out_of_window']], // 400 at_out_of_window at earlier than the ear
  ['38465dac', ['ERR-history_not_enabled']], // 400 history_not_enabled Deployment has no hi
  ['5189cbaa', ['ERR-history_no_ipv6']], // 400 history_no_ipv6 History covers IPv4 only
  ['d082055f', ['ERR-bad_request']], // 400 bad_request Phone: body not valid JSON,
  ['06dca70d', ['ERR-bad_number']], // 400 bad_number Phone single lookup: number c
  ['a36d569b', ['ERR-key_required']], // 401 key_required Key missing (body message a
  ['35feb9cd', ['ERR-invalid_key']], // 401 invalid_key Key invalid.
  ['9657f21a', ['ERR-revoked_key']], // 401 revoked_key Key revoked.
  ['ed3ff487', ['ERR-key_expired']], // 401 key_expired Key expired.
  ['9d349623', ['ERR-professional_required']], // 403 professional_required Key not on the pro
  ['6090c268', ['ERR-history_requires_professional']], // 403 history_requires_professional at used be
  ['5cd2e48c', ['ERR-capability_not_eligible']], // 403 capability_not_eligible Phone: plan cann
  ['48c8ee6d', ['ERR-capability_not_enabled']], // 403 capability_not_enabled Phone: key lacks
  ['19aff24d', ['ERR-not_found', 'IP-404']], // 404 not_found No record for the address; als
  ['c234cccf', ['ERR-payload_too_large']], // 413 payload_too_large Phone: more than 1000
  ['8661e661', ['ERR-rate_limited', 'LIM-RATE-HEADERS']], // 429 rate_limited Per-minute limit. Carries R
  ['f792eb4c', ['ERR-quota_exceeded']], // 429 quota_exceeded Daily allowance used up (
  ['f8d7fd7d', ['ERR-quota_exceeded_anon', 'ERR-EXTRAS']], // 429 quota_exceeded_anon Anonymous daily allo
  ['6bd780a4', ['ERR-key_quota_exceeded']], // 429 key_quota_exceeded Key daily allowance u
  ['b49d1f3c', ['ERR-quota_exceeded_ai_agent']], // 429 quota_exceeded_ai_agent Verified AI-assi
  ['a868050a', ['ERR-batch_over_rate_limit']], // 429 batch_over_rate_limit Phone: batch large
  ['0a38f88c', ['ERR-upstream_unavailable']], // 502 upstream_unavailable Phone profile datab
  ['75bb33be', ['ERR-not_ready']], // 503 not_ready Data still loading after a res
  ['82e0e85e', ['ERR-history_unavailable']], // 503 history_unavailable History store unread
  ['c2a54f2f', ['ERR-phone_disabled']], // 503 phone_disabled Phone capability switched
  ['9d41a79b', ['ERR-quota_unavailable']], // 503 quota_unavailable Phone billing backend
  ['4db03cdf', ['ERR-missing_ip']], // 200 (MCP) missing_ip MCP argument ip missing
  ['21576b1c', 'opens the list that follows'], // Rules:
  ['f4613cad', ['PULSE-AT-FREE']], // On the professional endpoint, the 400 cases
  ['0415730a', ['PHONE-NON-200']], // Phone: no charge on any non-200 response.
  ['d5bfe7f7', ['IP-AT']], // The error code returned when at is sent to G
  // Limits
  ['68de3736', ['LIM-ANON-DAY', 'MCP-OPEN']], // Anonymous daily allowance 1000 lookups per c
  ['b160ee09', ['LIM-ANON-MIN']], // Anonymous per-minute rate 60 same
  ['4db299b3', ['LIM-FREE-DAY']], // Signed-in free account daily allowance 5000
  ['245d223b', ['LIM-PLAN']], // Plan allowances per_min and per_day returned
  ['d7db849c', ['MCP-QUOTA-LOW']], // Low-quota notice remaining below 20 percent
  ['66a60d0f', ['LIM-HISTORY', 'PULSE-AT-WINDOW']], // Pulse history window 30 days in one descript
  ['299c00a2', ['PHONE-BATCH-MAX']], // Phone batch size at most 1000 numbers POST /
  ['e2a2ff7d', ['PHONE-BODY-MAX']], // Phone request body at most 1 MiB phone POST
  ['fe37dbc5', ['LIM-RETRY-AFTER', 'LIM-RETRY-503', 'ERR-upstream_unavailable']], // Retry-After 5 s (upstream_unavailable), 10 s
  ['c12ceb58', ['OAUTH-ACCESS-HOUR', 'OAUTH-REFRESH']], // MCP access token life 1 hour; refresh valid
  ['68f9b0d9', ['PHONE-STALE-90']], // Phone stale threshold over 90 days without c
  ['a058c149', ['EV-OBS-DAYS']], // Evidence observation window 14 days ending a
  ['b488598f', ['LIM-HEADERS', 'LIM-RESET', 'LIM-BINDING']], // Quota headers on successful responses and qu
  ['28f90d2f', ['LIM-RATE-HEADERS', 'LIM-HEADERS-WHERE']], // A per-minute rate_limited 429 carries only X
  ['85a9c01c', ['LIM-RETRY-ONLY']], // Retry-After appears only on 429 and history_
  ['4e5fda9e', ['PHONE-SEPARATE']], // Phone quota: counted per number, separate fr
  ['20c24a51', ['PHONE-UNIT', 'PHONE-UNITS-COST', 'REQ-ID']], // X-Quota-Unit is phone_number; X-Billable-Uni
  ['55b5b2ba', ['PHONE-HEADERS-NUMBERS']], // X-Daily-* and X-RateLimit-* are in phone num
  [
    '05006abf',
    ['PHONE-BILL-LOOKUP', 'PHONE-BILL-BATCH', 'PHONE-BILL-UNPARSEABLE', 'PHONE-TAGS-FREE', 'PHONE-COVERAGE-FREE'],
  ], // Billing: lookup costs 1 number; batch costs
  ['b76ba2c0', ['PHONE-ALL-OR-NOTHING', 'PHONE-OVER-MINUTE']], // A batch is all-or-nothing: if the remaining
  ['56938d53', 'names what the document leaves open'], // Numeric per-minute and daily limits of paid
  // Versioning
  ['2e7aa3c3', 'numbers the document itself'], // The interface description version is 1.0.0.
  ['85efa7d7', ['VER-PATH']], // Paths carry the major version: /v1/... and /
  ['09a1fec3', ['VER-SCORE']], // The professional response contract moved the
  ['dee2c1ea', ['EV-POOLS', 'EV-KEYS']], // Pool handles moved to the top-level resource
  ['f0307b67', ['RISK-SIGNALS']], // In the base response, the signals array insi
  ['d8653ec0', ['VER-DATA', 'PHONE-META-VERSION']], // Data versions: meta.data_version stamps the
  ['274631b9', ['VER-DATA']], // Contract version and scoring-curve version s
  ['f3eb7bee', 'asks something of the consumer'], // Unrecognised values in open sets (usage_type
  ['37725eef', 'names what the document leaves open'], // Deprecation policy and compatibility guarant
];
