/** A company's OpenID Connect provider, a real one from npm, and a person who drives its pages. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { BrowserJar, type Connection } from './browser-jar.ts';
import { freePort } from './free-port.ts';

export const CLIENT = { oidcClientId: 'pulse', oidcClientSecret: 'a secret of the client' } as const;

export type PersonClaims = Readonly<Record<string, unknown>>;

export interface OidcCompany {
  readonly issuer: string;
  /** Claims of a person by the name that is typed on the provider's page. */
  readonly people: Map<string, PersonClaims>;
  /** Changes the claims of the next ID tokens, which are signed anew. Null breaks their signature. */
  tamper: ((claims: Record<string, unknown>) => Record<string, unknown>) | null | undefined;
  /** Paths that were asked for, newest last. */
  readonly asked: string[];
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** @param services base addresses of the services that people sign in to */
export async function oidcCompany(services: readonly string[]): Promise<OidcCompany> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const people = new Map<string, PersonClaims>();
  const asked: string[] = [];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.oidcClientId,
        client_secret: CLIENT.oidcClientSecret,
        redirect_uris: services.map((service) => `${service}/console/company/callback`),
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the provider'] },
    claims: { openid: ['sub', 'groups', 'realm_access'], email: ['email', 'email_verified'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
  });
  const company: OidcCompany = {
    issuer,
    people,
    tamper: undefined,
    asked,
    stop: async () => {},
    start: async () => {
      const server = createServer(provider.callback());
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      company.stop = async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      };
    },
  };
  provider.use(async (context, next) => {
    asked.push(context.path);
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path !== '/token' || body?.id_token === undefined || company.tamper === undefined) return;
    body.id_token = changed(body.id_token, privateKey, company.tamper);
  });
  await company.start();
  return company;
}

function changed(token: string, key: KeyObject, tamper: NonNullable<OidcCompany['tamper']> | null): string {
  const [head = '', body = '', signature = ''] = token.split('.');
  if (tamper === null) return `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const claims = tamper(JSON.parse(Buffer.from(body, 'base64url').toString()));
  const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`;
}

export interface Person {
  /** The person's cookies at the service, and at the provider. */
  readonly here: BrowserJar;
  readonly there: BrowserJar;
}

export const personAt = (service: string, { issuer }: OidcCompany): Person => ({
  here: new BrowserJar(service),
  there: new BrowserJar(issuer),
});

/**
 * Follows the sign-in from its start to the address that leads back to the service.
 * @param name what the person types; undefined: the person refuses
 */
export async function signOnAt(
  { here, there }: Person,
  path: string,
  name: string | undefined,
  change: (url: URL) => void = () => {},
): Promise<URL> {
  const begun = await here.go(path);
  change(begun.url);
  let visit = await there.go(begun.url);
  for (let pages = 0; pages < 4; pages += 1) {
    const form = /<form[^>]* action="([^"]+)"/.exec(visit.text)?.[1];
    if (form === undefined || visit.url.pathname.startsWith('/console/')) return visit.url;
    if (name === undefined) {
      const refuse = /href="([^"]+\/abort)"/.exec(visit.text)?.[1];
      visit = await there.go(refuse!);
    } else visit = await submit(there, form, visit.text.includes('name="login"') ? name : undefined);
  }
  return visit.url;
}

const submit = (there: BrowserJar, action: string, login: string | undefined): Promise<Connection> =>
  there.go(action, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(
      login === undefined ? { prompt: 'consent' } : { prompt: 'login', login, password: 'any' },
    ).toString(),
  });
