/** Query strings, read leniently: an escape that cannot be decoded is kept. Enough for the parameters of the API; never throws. */

/** Names under which people put keys (decisions 5.1), in lower case. */
const KEY_NAMES: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'apikey',
  'api-key',
  'x-api-key',
  'token',
  'access_token',
]);
/** The form of our own keys: refused under any name. */
const LOOKS_LIKE_KEY = /(?:^|[^A-Za-z0-9])pk_[A-Za-z0-9_-]{16,}/;

/** Pairs of a query string without its question mark, in order, decoded once; a plus sign is a space. */
export function queryPairs(query: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    pairs.push(equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))]);
  }
  return pairs;
}

/** Whether a key was put into the query, by name or by its look. A name counts in any case and with PHP-style brackets behind it. */
export function hasKeyInQuery(query: string): boolean {
  return queryPairs(query).some(
    ([name, value]) =>
      KEY_NAMES.has(withoutBrackets(name.toLowerCase()).trim()) ||
      LOOKS_LIKE_KEY.test(value) ||
      LOOKS_LIKE_KEY.test(name),
  );
}

/** A name without the last pair of brackets behind it. No regular expression: a head of brackets alone would take one a tenth of a second. */
function withoutBrackets(name: string): string {
  if (!name.endsWith(']')) return name;
  const open = name.indexOf('[', name.lastIndexOf(']', name.length - 2) + 1);
  return open < 0 ? name : name.slice(0, open);
}

/** First value of a parameter; undefined when it is absent. */
export function queryValue(query: string, name: string): string | undefined {
  return queryPairs(query).find((pair) => pair[0] === name)?.[1];
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
