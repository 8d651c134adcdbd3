/**
 * A browser without a screen, with the cookies of one. It follows redirects while they stay on the service, and
 * reads and submits the forms it is shown.
 */
export interface Connection {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export class BrowserJar {
  readonly #base: URL;
  #cookies: Cookie[] = [];
  readonly seen: string[] = [];

  constructor(base: string) {
    this.#base = new URL(base);
  }

  get cookieNames(): readonly string[] {
    return this.#cookies.map(({ name }) => name);
  }

  cookieFor(path: string): string {
    const matches = (cookie: Cookie): boolean =>
      path === cookie.path || path.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`);
    return this.#cookies
      .filter(matches)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** Sends one request and follows no redirect. */
  async request(to: string | URL, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Connection> {
    const url = new URL(to, this.#base);
    const cookie = this.cookieFor(url.pathname);
    const headers = { ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line, url);
    this.seen.push(`${init.method ?? 'GET'} ${url.pathname} ${response.status}`);
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  post(to: string | URL, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Connection> {
    const json = { 'content-type': 'application/json', ...headers };
    return this.request(to, { method: 'POST', headers: json, body: JSON.stringify(body) });
  }

  /**
   * Goes to an address and on through redirects. It stops at a page, or before it leaves the service; `url`
   * is then where it would go.
   */
  async go(to: string | URL, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Connection> {
    let visit = await this.request(to, init);
    for (let hops = 0; hops < 10; hops += 1) {
      const location = visit.headers.get('location');
      if (visit.status < 300 || visit.status >= 400 || location === null) return visit;
      const next = new URL(location, visit.url);
      if (next.origin !== this.#base.origin) return { ...visit, url: next };
      visit = await this.request(next);
    }
    throw new Error('too many redirects');
  }

  /** Fills in the form of a page and presses the button of this value. */
  async submit(
    page: Connection,
    action: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Record<string, string> = {},
  ): Promise<Connection> {
    const target = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1];
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1];
    if (target === undefined || csrf === undefined)
      throw new Error(`no form on ${page.url.pathname} (${page.status}): ${page.text.slice(0, 400)}`);
    return await this.go(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.#base.origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams({ csrf, action, ...fields }).toString(),
    });
  }

  #keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const attribute = (name: string): string | undefined =>
      attributes.find((part) => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), path: attribute('path') ?? url.pathname };
    this.#cookies = this.#cookies.filter((kept) => kept.name !== cookie.name || kept.path !== cookie.path);
    const expires = attribute('expires');
    const gone =
      attribute('max-age') === '0' ||
      (expires !== undefined && Date.parse(expires) < Date.now()) ||
      cookie.value === '';
    if (!gone) this.#cookies.push(cookie);
  }
}
