const KEY = /\b(p[kb]_)[A-Za-z0-9_-]{6,}/g;
const BEARER = /\b(bearer\s+)[^\s"',;]+/gi;
/**
 * Runs of 7 to 17 digits, with usual separators, that begin with a plus, two zeros or a mainland mobile
 * prefix; and any bare run of 9 to 17 digits. Times in milliseconds have 13 digits and are masked too; the
 * log's own times are ISO text.
 */
const PHONE = /(?<![\w.:-])(?:(?:\+|00)[\d][\d ()-]{5,20}\d|\d{9,17}|1[3-9]\d(?:[ -]?\d{4}){2})(?![\w.:])/g;

/**
 * Mail addresses: up to 64 characters before the @, and a domain with a dot. `name@1.2.3` of a package does
 * not match.
 */
const EMAIL = /[^\s"'`<>()[\]{},;:=/\\@]{1,64}@(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]*/gu;

/** Masks API keys, tokens, mail addresses and phone numbers in log text. IP addresses and ISO times stay. */
export function redact(text: string): string {
  return text.replace(KEY, '$1***').replace(BEARER, '$1***').replace(EMAIL, '***@***').replace(PHONE, '***');
}
