import chinese from '../../data/texts/errors.zh.json' with { type: 'json' };

/** docs/errors.md is checked against these rows. `message` may change, because callers branch on the code. */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSec?: number;
}

// biome-ignore format: a table, one row a code
export const ERRORS = {
  invalid_ip:                    { status: 400, message: 'Not a valid IPv4 or IPv6 address.' },
  reserved_ip:                   { status: 400, message: 'Private or reserved address; it has no public risk profile.' },
  key_in_query:                  { status: 400, message: 'Send the key in the X-API-Key or Authorization header, never in the query string.' },
  invalid_time:                  { status: 400, message: 'at must be an RFC 3339 date-time that is not in the future; write a plus offset as %2B.' },
  at_out_of_window:              { status: 400, message: 'at is earlier than the earliest answerable moment; see window_from.' },
  history_not_enabled:           { status: 400, message: 'This deployment keeps no history.' },
  history_no_ipv6:               { status: 400, message: 'History covers IPv4 only.' },
  bad_request:                   { status: 400, message: 'The request is not of the documented form.' },
  bad_number:                    { status: 400, message: 'The number cannot be parsed.' },
  weak_password:                 { status: 400, message: 'The new password is too short, too long or too easy to guess.' },
  link_invalid:                  { status: 400, message: 'The link has expired, was used already or belongs to another request.' },
  key_required:                  { status: 401, message: 'An API key is required: send it in the X-API-Key header.' },
  invalid_key:                   { status: 401, message: 'The API key is not valid.' },
  revoked_key:                   { status: 401, message: 'The API key has been revoked.' },
  key_expired:                   { status: 401, message: 'The API key has expired.' },
  sign_in_required:              { status: 401, message: 'Sign in on the console first.' },
  invalid_credentials:           { status: 401, message: 'Wrong e-mail or password.' },
  professional_required:         { status: 403, message: 'This endpoint needs a key on the professional data tier.' },
  history_requires_professional: { status: 403, message: 'The at parameter needs a key on the professional data tier.' },
  capability_not_eligible:       { status: 403, message: 'The account\'s plan cannot hold the phone capability.' },
  capability_not_enabled:        { status: 403, message: 'The phone capability is not enabled for this key.' },
  denied:                        { status: 403, message: 'The policy denies this address.' },
  forbidden:                     { status: 403, message: 'The request is not allowed.' },
  not_found:                     { status: 404, message: 'Not found.' },
  method_not_allowed:            { status: 405, message: 'The method is not allowed on this path; see the Allow header.' },
  precondition_failed:           { status: 412, message: 'If-Match or If-None-Match does not hold: the resource has another version. GET it again.' },
  payload_too_large:             { status: 413, message: 'The request is too large.' },
  unsupported_media_type:        { status: 415, message: 'Send application/json (POST /v1/evidence: application/x-ndjson or text/csv).' },
  email_taken:                   { status: 409, message: 'There is an account with this e-mail address already.' },
  rate_limited:                  { status: 429, message: 'Too many requests this minute.' },
  quota_exceeded:                { status: 429, message: 'The daily allowance is used up.' },
  quota_exceeded_anon:           { status: 429, message: 'The anonymous daily allowance of this address is used up.' },
  key_quota_exceeded:            { status: 429, message: 'The daily allowance of this key is used up.' },
  quota_exceeded_ai_agent:       { status: 429, message: 'The daily allowance of this AI-assistant family is used up.' },
  batch_over_rate_limit:         { status: 429, message: 'The batch is larger than the per-minute allowance and can never pass; split it.' },
  internal_error:                { status: 500, message: 'Unexpected fault.' },
  upstream_unavailable:          { status: 502, message: 'The phone profile database is unreachable; nothing was charged.', retryAfterSec: 5 },
  not_ready:                     { status: 503, message: 'The service is starting, or cannot reach its records; retry shortly.', retryAfterSec: 2 },
  history_unavailable:           { status: 503, message: 'The history store cannot be read; retry shortly.', retryAfterSec: 10 },
  phone_disabled:                { status: 503, message: 'The phone capability is switched off in this deployment.' },
  quota_unavailable:             { status: 503, message: 'The billing backend is not ready; retry shortly.' },
  // an argument error of MCP, inside an isError result only
  missing_ip:                    { status: 200, message: 'The argument ip is missing.' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Chinese of the messages; docs/zh-CN/errors.md is checked against them. */
export const ERRORS_ZH: Readonly<Record<ErrorCode, string>> = chinese;
