/** The request headers that steps read. Lines of one name are joined with a comma, as HTTP has it. */
export interface RequestHeaders {
  apiKey: string | undefined;
  authorization: string | undefined;
  forwardedFor: string | undefined;
  userAgent: string | undefined;
  cookie: string | undefined;
  host: string | undefined;
}

/** Reads the raw list in one pass. Names are compared by length first, so most lines cost one comparison. */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = {
    apiKey: undefined,
    authorization: undefined,
    forwardedFor: undefined,
    userAgent: undefined,
    cookie: undefined,
    host: undefined,
  };
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    switch (name.length) {
      case 4:
        if (is(name, 'host')) headers.host = hosts++ === 0 ? raw[i + 1] : undefined;
        break;
      case 6:
        if (is(name, 'cookie')) headers.cookie = join(headers.cookie, raw[i + 1]!, '; ');
        break;
      case 9:
        if (is(name, 'x-api-key')) headers.apiKey = join(headers.apiKey, raw[i + 1]!, ',');
        break;
      case 10:
        if (is(name, 'user-agent')) headers.userAgent = raw[i + 1];
        break;
      case 13:
        if (is(name, 'authorization')) headers.authorization = join(headers.authorization, raw[i + 1]!, ',');
        break;
      case 15:
        if (is(name, 'x-forwarded-for')) headers.forwardedFor = join(headers.forwardedFor, raw[i + 1]!, ',');
        break;
    }
  }
  return headers;
}

const is = (name: string, lower: string): boolean => name === lower || name.toLowerCase() === lower;
const join = (known: string | undefined, value: string, by: string): string =>
  known === undefined || known === value ? value : `${known}${by}${value}`;
