/** Keys are sent under these lower-case parameter names (decisions 5.1). */
const KEY_NAMES: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'apikey',
  'api-key',
  'x-api-key',
  'token',
  'access_token',
]);
const LOOKS_LIKE_KEY = /(?:^|[^A-Za-z0-9])pk_[A-Za-z0-9_-]{16,}/;

/** A plus sign is a space. An escape that cannot be decoded is kept, and nothing throws. */
export function queryFields(query: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [name, ...value] = part.split('=');
    pairs.push([decode(name!), decode(value.join('='))]);
  }
  return pairs;
}

/** Recognises a key by its name or its form. Names match in any case, also with PHP-style brackets. */
export function hasKeyInQuery(query: string): boolean {
  return queryFields(query).some(
    ([name, value]) =>
      KEY_NAMES.has(withoutBrackets(name.toLowerCase()).trim()) || LOOKS_LIKE_KEY.test(`${name} ${value}`),
  );
}

/** A regular expression would take a tenth of a second on a query full of brackets. */
function withoutBrackets(name: string): string {
  if (!name.endsWith(']')) return name;
  const open = name.indexOf('[', name.lastIndexOf(']', name.length - 2) + 1);
  return open < 0 ? name : name.slice(0, open);
}

export function queryValue(query: string, name: string): string | undefined {
  return queryFields(query).find((pair) => pair[0] === name)?.[1];
}

function decode(text: string): string {
  if (!/[+%]/.test(text)) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
