/** The client's side of OAuth goes step by step, so that attacks can leave the path anywhere. */
import { createHash, randomBytes } from 'node:crypto';
import { BrowserJar, type Connection } from './browser-jar.ts';
import { PASSWORD } from './mcp-service.ts';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly scope: string;
}

type Changes = Readonly<Record<string, string | undefined>>;

export function codeIn(back: URL): string {
  const code = back.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${back.href}`);
  return code;
}

/** @throws Error unless tokens were given */
export async function tokensOf(answer: Response | Promise<Response>): Promise<Tokens> {
  const response = await answer;
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Tokens;
}

export async function consentAt(browser: BrowserJar, url: URL | string, email: string): Promise<Connection> {
  const page = await browser.go(url);
  if (!page.text.includes('value="sign-in"')) return page;
  return await browser.submit(page, 'sign-in', { email, password: PASSWORD });
}

export const REDIRECT = 'http://127.0.0.1:3999/callback';

export class OAuthClient {
  readonly issuer: string;
  readonly resource: string;
  readonly verifier: string = randomBytes(32).toString('base64url');
  readonly state: string = randomBytes(8).toString('base64url');
  readonly redirect: string;
  clientId = '';

  constructor(baseUrl: string, options: { readonly prefix?: '' | '/en'; readonly redirect?: string } = {}) {
    this.issuer = `${baseUrl}${options.prefix ?? ''}`;
    this.resource = `${this.issuer}/mcp/account`;
    this.redirect = options.redirect ?? REDIRECT;
  }

  async register(metadata: object = {}): Promise<Response> {
    const response = await fetch(`${this.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Test app', redirect_uris: [this.redirect], ...metadata }),
    });
    if (response.status === 201) this.clientId = ((await response.clone().json()) as { client_id: string }).client_id;
    return response;
  }

  authorizeUrl(changes: Changes = {}): string {
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirect,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: this.state,
      resource: this.resource,
      ...changes,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    return `${this.issuer}/oauth/authorize?${query}`;
  }

  /** Registers and signs in where asked. @returns the page that asks for consent, or for a second factor */
  async consent(browser: BrowserJar, email: string, changes: Changes = {}): Promise<Connection> {
    if (this.clientId === '') await this.register();
    return consentAt(browser, this.authorizeUrl(changes), email);
  }

  /** Agrees too. @returns where the browser is sent */
  async approve(browser: BrowserJar, email: string, changes?: Changes): Promise<URL> {
    return (await browser.submit(await this.consent(browser, email, changes), 'approve')).url;
  }

  /** The code that an account's consent leads to. */
  async codeOf(email: string, changes?: Changes): Promise<string> {
    return codeIn(await this.approve(this.#browser(), email, changes));
  }

  #browser(): BrowserJar {
    return new BrowserJar(new URL(this.issuer).origin);
  }

  async token(fields: Readonly<Record<string, string>>): Promise<Response> {
    return await fetch(`${this.issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: this.clientId, ...fields }).toString(),
    });
  }

  exchange(code: string, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirect,
      code_verifier: this.verifier,
      resource: this.resource,
      ...changes,
    });
  }

  refresh(refreshToken: string, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      resource: this.resource,
      ...changes,
    });
  }

  async revoke(token: string): Promise<Response> {
    return await fetch(`${this.issuer}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: this.clientId, token }).toString(),
    });
  }

  async signIn(email: string, browser = this.#browser()): Promise<Tokens> {
    return tokensOf(this.exchange(codeIn(await this.approve(browser, email))));
  }
}

export async function callStatus(url: string, bearer: string): Promise<number> {
  const response = await callTool(url, { authorization: `Bearer ${bearer}` });
  await response.arrayBuffer();
  return response.status;
}

export const callTool = (url: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } },
    }),
  });

/** What the official clients keep while they sign in. A person with this account agrees to whatever they ask. */
export function sdkProvider(browser: BrowserJar, email: string) {
  // biome-ignore lint/suspicious/noExplicitAny: each version of the SDK has types of its own
  const kept: Record<string, any> = {};
  return {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Official', redirect_uris: [REDIRECT] },
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept['verifier'] as string,
    back: undefined as URL | undefined,
    async redirectToAuthorization(url: URL) {
      this.back = (await browser.submit(await consentAt(browser, url, email), 'approve')).url;
    },
  };
}
