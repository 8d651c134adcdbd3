import type { Kysely } from 'kysely';
import { KyselyAccountStore } from '../../adapters/accounts/kysely-account-store.ts';
import type { OpenKeys } from '../../adapters/accounts/open-keys.ts';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import type { Database } from '../../adapters/database/tables.ts';
import { smtpMail } from '../../adapters/mail/smtp-mail.ts';
import { clientDocumentFetch, type FetchClientDocument } from '../../adapters/oauth/fetch-client-document.ts';
import { SqlOAuthStore } from '../../adapters/oauth/sql-oauth-store.ts';
import { webAuthnPasskeys } from '../../adapters/passkeys/web-authn-passkeys.ts';
import { type CompanyConfig, openCompanyProvider } from '../../adapters/sign-in/open-company-provider.ts';
import { SqlIdentityStore } from '../../adapters/sign-in/sql-identity-store.ts';
import { SqlSecondFactorStore } from '../../adapters/sign-in/sql-second-factor-store.ts';
import { SqlSessionStore, SqlSignInStore } from '../../adapters/sign-in/sql-sign-in-store.ts';
import { companyRoutes } from '../../apps/console/company/company-routes.ts';
import { signOnCookie } from '../../apps/console/company/sign-on-cookie.ts';
import { ownDataRoutes } from '../../apps/console/own-data-routes.ts';
import { deviceCookie, sessionCookie } from '../../apps/console/session/cookies.ts';
import { factorRoutes } from '../../apps/console/session/factor-routes.ts';
import { checkSession } from '../../apps/console/session/session-of.ts';
import { sessionRoutes } from '../../apps/console/session/session-routes.ts';
import type { Log, SessionDirectory } from '../../apps/http/services.ts';
import type { HttpPlugin } from '../../apps/http/step.ts';
import type { AccountToolsOptions } from '../../apps/mcp/account-tools.ts';
import { llmsTxtRoute } from '../../apps/mcp/llms-txt-route.ts';
import { mcpRoutes } from '../../apps/mcp/mcp-routes.ts';
import { mcpResources, type ResourcesOptions } from '../../apps/mcp/resources.ts';
import { serverJsonPlugin } from '../../apps/mcp/server-json.ts';
import { oauthRoutes } from '../../apps/oauth/oauth-routes.ts';
import type { Config } from '../../config.ts';
import { oauthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import type { CountedEvent } from '../../service/accounts/account-store.ts';
import type { HashGate } from '../../service/accounts/password.ts';
import type { Limiter } from '../../service/limiter.ts';
import { countryOf } from '../../service/lookup/lookup-ip.ts';
import type { Clock, LookupView } from '../../service/ports.ts';
import { AuthorisedApps } from '../../service/sign-in/authorised-apps.ts';
import { CompanySignOn } from '../../service/sign-in/company-sign-on.ts';
import { DeviceTokens } from '../../service/sign-in/device-tokens.ts';
import { SecondFactors } from '../../service/sign-in/second-factors.ts';
import { SecretBox } from '../../service/sign-in/secret-box.ts';
import { Sessions } from '../../service/sign-in/session.ts';
import { refusedEvent, SignIn } from '../../service/sign-in/sign-in.ts';
import { signInAccounts } from '../../service/sign-in/sign-in-accounts.ts';

export interface OpenOAuthOptions {
  readonly config: Pick<
    Config,
    | 'dataDir'
    | 'databaseUrl'
    | 'secret'
    | 'smtpUrl'
    | 'signup'
    | 'quotaTz'
    | 'phone'
    | 'sessionIdleMin'
    | 'clientDocuments'
  > &
    CompanyConfig;
  readonly baseUrl: string;
  readonly keys: Pick<OpenKeys, 'directory'>;
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: Limiter;
  readonly hashing: HashGate;
  readonly view: () => LookupView | undefined;
  readonly onEvent: (event: CountedEvent) => void;
  /** Without these tools the account endpoints only look up. */
  readonly accountTools?: AccountToolsOptions | undefined;
  readonly resources: ResourcesOptions;
  readonly fetchClientDocument?: FetchClientDocument;
}

export interface OpenOAuth {
  /**
   * The plugins are the MCP endpoints, OAuth, sign-in pages, /console/api/session and /console/api/apps,
   * /llms.txt and /server.json.
   */
  readonly plugins: readonly HttpPlugin[];
  readonly sessions: SessionDirectory;
  close(): void;
}

export function openOAuth(options: OpenOAuthOptions): OpenOAuth {
  const { config, baseUrl, keys, db, clock, log, limiter, hashing, view, onEvent } = options;
  const { fetchClientDocument = clientDocumentFetch() } = options;
  const secret = loadSecret(config);
  const addresses = oauthAddresses(baseUrl);
  const account = (id: string) => keys.directory.account(id);
  const stores = {
    oauth: new SqlOAuthStore(db),
    sessions: new SqlSessionStore(db),
    signIn: new SqlSignInStore(db),
    factors: new SqlSecondFactorStore(db),
  };
  const sessions = new Sessions({
    store: stores.sessions,
    account,
    secret: secret.subkey('cookie'),
    idleMs: config.sessionIdleMin * MINUTE_MS,
    formerSecrets: secret.formerSubkeys('cookie'),
  });
  const devices = new DeviceTokens(secret.subkey('cookie'), secret.formerSubkeys('cookie'));
  const apps = new AuthorisedApps({ store: stores.oauth, addresses, account });
  const mail = config.smtpUrl === undefined ? undefined : smtpMail({ url: config.smtpUrl, baseUrl });
  const accounts = new KyselyAccountStore(db);
  const forget = (id: string) => keys.directory.changed([{ seq: 0, topic: 'account', subject: id }]);
  const noteRefusedFactor = async (accountId: string, at: UnixMs): Promise<void> => {
    try {
      const operator = (await account(accountId))?.operator === true;
      onEvent(refusedEvent({ accountId, operator }, 'factor', at));
    } catch (error) {
      log.error({ error }, 'a refused second factor is not in the audit log');
    }
  };
  const factors = new SecondFactors({
    store: stores.factors,
    limiter,
    box: new SecretBox([secret.subkey('second-factor'), ...secret.formerSubkeys('second-factor')]),
    secret: secret.subkey('recovery-code'),
    passkeys: webAuthnPasskeys(baseUrl),
    host: new URL(baseUrl).host,
    onRefused: (accountId, at) => void noteRefusedFactor(accountId, at),
    onLocked: (accountId, method, at) =>
      onEvent({
        action: 'factor.lock',
        actor: 'anonymous',
        subject: accountId,
        detail: { amr: method },
        counts: { count: 1 },
        at,
      }),
  });
  const holders = signInAccounts(accounts, forget);
  const signIn = new SignIn({
    accounts: holders,
    store: stores.signIn,
    sessions,
    limiter,
    hashing,
    devices,
    factors,
    mail,
    signUp: config.signup,
    disconnectApps: (accountId, at) => apps.disconnectAll(accountId, at),
    countryOf: (client) => countryOf(client, view()),
    onEvent,
    baseUrl,
    onMailFault: (error) => log.error({ error }, 'a mail could not be sent'),
  });
  const provider = openCompanyProvider(config, clock);
  const identities = new SqlIdentityStore(db);
  const company = provider && new CompanySignOn({ provider, identities, accounts: holders, signIn, onEvent });
  const cookie = sessionCookie(baseUrl);
  const device = deviceCookie(baseUrl);
  const accountLives = async (id: string): Promise<boolean> => (await account(id))?.disabled === false;

  const oauthPlugin: HttpPlugin = (app, { services: { mcpOrigins } }) =>
    oauthRoutes(app, {
      mcpOrigins,
      baseUrl,
      store: stores.oauth,
      limiter,
      sessions,
      signIn,
      cookie,
      device,
      clock,
      secret: secret.subkey('oauth'),
      formerSecrets: secret.formerSubkeys('oauth'),
      accountLives,
      hasCompanySignOn: company !== undefined,
      onEvent,
      onConsent: (accountId, app, at) => accounts.note('app.allow', accountId, app, { actor: `user:${accountId}`, at }),
      fetchClientDocument: config.clientDocuments ? fetchClientDocument : undefined,
      onFault: (error) => log.error({ error }, 'authorization server'),
      log,
    });
  const ownDataPlugin: HttpPlugin = (app, { services: { ledger } }) =>
    ownDataRoutes(app, {
      accounts,
      signIn,
      apps,
      factors,
      identities,
      sessions,
      ledger,
      cookie,
      clock,
      quotaTz: config.quotaTz,
      phone: config.phone,
      forget,
    });
  const companyPlugin: HttpPlugin = (app) =>
    companyRoutes(app, {
      company,
      sessions,
      cookie,
      device,
      clock,
      baseUrl,
      log,
      signOn: signOnCookie(baseUrl, new SecretBox([secret.subkey('oidc'), ...secret.formerSubkeys('oidc')])),
    });

  return {
    plugins: [
      mcpRoutes({ account: options.accountTools, resources: mcpResources(options.resources) }),
      oauthPlugin,
      (app) => sessionRoutes(app, { sessions, signIn, apps, cookie, device, clock, onEvent }),
      ownDataPlugin,
      (app) => factorRoutes(app, { factors, sessions, clock }),
      companyPlugin,
      llmsTxtRoute(baseUrl, config.signup),
      serverJsonPlugin(baseUrl),
    ],
    sessions: {
      accountOf: async (header, at) => (await sessions.find(cookie.read(header), at))?.account,
      deviceOf: (header, at) => devices.holder(device.read(header), at),
      require: checkSession(sessions, cookie),
      accountOfToken: (token, at) => apps.accountOf(token, at),
    },
    close() {
      mail?.close();
    },
  };
}
