/**
 * A whole service for the MCP and OAuth tests: real server, real SQLite or PostgreSQL, real ledger; lookup
 * data made by hand and a clock that tests move.
 */

import { argon2Sync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { type Accounts, openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { type OpenKeys, openKeys } from '../../src/adapters/accounts/open-keys.ts';
import { SMALL_TABLES } from '../../src/adapters/counters/memory/ledger.fixture.ts';
import { MemoryLedger } from '../../src/adapters/counters/memory/memory-ledger.ts';
import { openSharedLedger } from '../../src/adapters/counters/memory/shared-ledger.ts';
import type { Database } from '../../src/adapters/database/tables.ts';
import { createSharedLimits, MemoryLimiter } from '../../src/adapters/limits/memory/memory-limiter.ts';
import { SharedHashGate } from '../../src/adapters/limits/memory/shared-hash-gate.ts';
import type { CompanyConfig } from '../../src/adapters/sign-in/open-company-provider.ts';
import { createHttpServer } from '../../src/apps/http/connection/create-http-server.ts';
import type { HttpServices, Log } from '../../src/apps/http/services.ts';
import type { HttpPlugin } from '../../src/apps/http/step.ts';
import type { AuditCopyTarget } from '../../src/config.ts';
import { type UnixMs, unixMs } from '../../src/core/units.ts';
import { openAudit } from '../../src/main/app/open-audit.ts';
import { type OpenOAuth, openOAuth } from '../../src/main/app/open-oauth.ts';
import { openRecordChanges } from '../../src/main/jobs/record-changes-job.ts';
import { linksOf } from '../../src/main/threads/thread-messages.ts';
import { type AccountOptions, createAccount } from '../../src/service/accounts/account.ts';
import type { AccountStore, By } from '../../src/service/accounts/account-store.ts';
import { createKey, type KeyOptions } from '../../src/service/accounts/keys.ts';
import type { HashGate } from '../../src/service/accounts/password.ts';
import { every } from '../../src/service/every.ts';
import { TimelineLookup } from '../../src/service/lookup/describe-timeline.ts';
import { ExplainLookup } from '../../src/service/lookup/explain-lookup.ts';
import { PulseLookup } from '../../src/service/lookup/lookup-pulse.ts';
import type { PhoneData } from '../../src/service/phone/lookup-phone.ts';
import type { KeyDirectory, LookupView } from '../../src/service/ports.ts';
import type { SignUpPolicy } from '../../src/service/sign-in/sign-in-accounts.ts';
import { freePort } from './free-port.ts';

export const PASSWORD = 'correct horse battery';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/**
 * Hash of the password at the lowest cost, which is read from the hash itself: a file of tests signs in
 * hundreds of times.
 */
function cheapHash(): string {
  const [cost, nonce] = [{ memory: 8, passes: 1, parallelism: 1 }, randomBytes(16)];
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, tagLength: 32, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

export async function accountWithPassword({ store, db }: Accounts, options: AccountOptions, by: By): Promise<string> {
  const { id } = await createAccount(store, options, by);
  await db.updateTable('accounts').set({ password_hash: cheapHash() }).where('id', '=', id).execute();
  return id;
}

const NO_COMPANY: CompanyConfig = {
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecret: undefined,
  oidcScopes: 'openid email',
  oidcTrustEmail: false,
  oidcRoleClaim: undefined,
  oidcOperatorRole: undefined,
  oidcUserRole: undefined,
};

export interface ServiceOptions {
  readonly databaseUrl?: string;
  readonly anonPerMin?: number;
  readonly anonPerDay?: number;
  readonly smtpUrl?: string;
  readonly auditLog?: AuditCopyTarget;
  readonly sessionIdleMin?: number;
  /** Default: no company sign-on. */
  readonly company?: Partial<CompanyConfig>;
  /** Default: mail where there is a mail server, else open. */
  readonly signup?: SignUpPolicy;
  /**
   * The folder of an earlier service, whose own secret counts, stays at the end. Default: a new one, deleted
   * at the end.
   */
  readonly dataDir?: string;
  readonly port?: number;
  /** Default: http://127.0.0.1:{port}. */
  readonly baseUrl?: (port: number) => string;
  readonly empty?: boolean;
  /** Answers for the sites of client metadata documents. Default: such documents are not read. */
  readonly clientDocument?: (url: URL) => Promise<unknown>;
  /** Libraries behind phone_risk_lookup. Default: the capability is off. */
  readonly phone?: PhoneData;
  readonly trustedProxies?: HttpServices['trustedProxies'];
  /** Every caller whose user agent names this family is verified. */
  readonly assistant?: { readonly family: string; readonly perDay: number };
  /** These routes come before those of sign-in, OAuth and MCP. */
  readonly plugins?: (parts: PluginOptions) => readonly HttpPlugin[];
  readonly replaceKeys?: (keys: KeyDirectory) => KeyDirectory;
  readonly replace?: Partial<HttpServices>;
}

export interface PluginOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly accounts: AccountStore;
  readonly keys: OpenKeys;
  readonly oauth: OpenOAuth;
  /** The service itself asks over this connection. */
  readonly records: Kysely<Database>;
  readonly view: () => LookupView;
}

export interface TestService {
  readonly url: string;
  readonly baseUrl: string;
  readonly accounts: AccountStore;
  readonly db: Kysely<Database>;
  readonly records: Kysely<Database>;
  readonly faults: string[];
  readonly dataDir: string;
  readonly hashing: HashGate;
  advance(ms: number): void;
  now(): UnixMs;
  account(email: string, options?: { readonly plan?: string }): Promise<{ readonly id: string; readonly key: string }>;
  key(options: KeyOptions): Promise<{ readonly id: string; readonly key: string }>;
  forgetAttempts(): void;
  close(): Promise<void>;
}

/**
 * 203.0.114.9 has an active proxy, 8.8.8.8 only a network, and 1.0.0.1 degraded data; nothing knows
 * 9.0.0.0/8.
 */
function view(clock: () => UnixMs): LookupView {
  const text = (family: number, w0: number): boolean => family === 4 && w0 >>> 24 === 9;
  return {
    dataVersion: { risk: 'r1', geo: 'g1' },
    degraded: false,
    protection: undefined,
    geoJson: ({ family, w0 }) => (text(family, w0) ? undefined : '{"continent":"EU","country":"DE"}'),
    network: ({ family, w0 }) => ({
      json: text(family, w0) ? undefined : '{"asn":64500,"usage_type":"IDC"}',
      asn: 64500,
      usageType: text(family, w0) ? undefined : 'IDC',
      hosting: !text(family, w0),
      mobile: false,
      crawler: false,
      relay: false,
    }),
    observations: ({ family, w0 }) =>
      family === 4 && w0 >>> 0 === 0xcb00_7209
        ? [
            {
              riskType: 'proxy',
              source: 'test',
              family: 'test',
              capturedAt: unixMs(clock() - 60_000),
              days: 1,
              prefixBits: 32,
              pools: [],
            },
          ]
        : [],
  } as LookupView;
}

export async function startMcpService(options: ServiceOptions = {}): Promise<TestService> {
  if (options.dataDir !== undefined) return await serviceOver(options.dataDir, options);
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-mcp-'));
  try {
    return await serviceOver(dataDir, options);
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

async function serviceOver(dataDir: string, options: ServiceOptions): Promise<TestService> {
  const port = options.port ?? (await freePort());
  const baseUrl = options.baseUrl?.(port) ?? `http://127.0.0.1:${port}`;
  let shift = 0;
  const now = (): UnixMs => unixMs(Date.now() + shift);
  const signup = options.signup ?? (options.smtpUrl === undefined ? 'open' : 'mail');
  const config = {
    dataDir,
    databaseUrl: options.databaseUrl,
    secret: options.dataDir === undefined ? 'x'.repeat(40) : undefined,
    smtpUrl: options.smtpUrl,
    signup,
    quotaTz: 'Asia/Shanghai',
    phone: false,
    clientDocuments: options.clientDocument !== undefined,
    sessionIdleMin: options.sessionIdleMin ?? 720,
    auditLog: options.auditLog,
    ...NO_COMPANY,
    ...options.company,
  };
  const accounts = await openAccounts(config);
  const faults: string[] = [];
  const note = (fields: object, message: string): void =>
    void faults.push(
      `${message} ${JSON.stringify(fields, (_key, value) => (value instanceof Error ? String(value.stack) : value))}`,
    );
  const log: Log = { error: note, warn: note, info() {}, debug() {} };
  const keys = await openKeys(config, log);
  const changes = await openRecordChanges(config);
  changes.feed.subscribe((seen) => keys.changed(seen));
  const polls = every('record changes', 50, () => changes.feed.poll(), { log, meanwhile: 'records stay as they were' });
  const shared = openSharedLedger({ dir: join(dataDir, 'ledger'), zone: 'Asia/Shanghai', ...SMALL_TABLES }, now());
  const ledger = new MemoryLedger(shared, { owner: 2, writer: 'test' });
  const limits = createSharedLimits();
  const limiter = new MemoryLimiter(limits, 2);
  const hashing = new SharedHashGate(limits.hashing, 2);
  const data = view(now);
  const audit = openAudit({
    config,
    baseUrl,
    accounts: accounts.store,
    clock: { now },
    log,
    repeat: (name, work, meanwhile) => every(name, 50, work, { log, meanwhile }),
  });
  const oauth = openOAuth({
    config,
    baseUrl,
    keys,
    db: await keys.records(),
    clock: { now },
    log,
    limiter,
    hashing,
    view: () => data,
    onEvent: audit.onEvent,
    resources: { scorePage: (address) => `# Score\n${address}`, sources: () => [] },
    ...(options.clientDocument !== undefined && { fetchClientDocument: options.clientDocument }),
    accountTools: {
      explain: new ExplainLookup(undefined, () => undefined),
      timeline: new TimelineLookup(undefined, async () => []),
      phone: options.phone,
      me: { quotaTz: 'Asia/Shanghai', phone: options.phone !== undefined },
    },
  });
  const services: HttpServices = {
    clock: { now },
    log,
    ledger,
    limiter,
    keys: options.replaceKeys?.(keys.directory) ?? keys.directory,
    assistants:
      options.assistant === undefined
        ? undefined
        : { familyOf: (agent) => (agent.includes(options.assistant!.family) ? options.assistant!.family : undefined) },
    sessions: oauth.sessions,
    beacons: undefined,
    pulse: new PulseLookup({ history: undefined, secret: new Uint8Array(32) }),
    view: () => (options.empty === true ? undefined : data),
    trustedProxies: options.trustedProxies ?? [],
    limits: {
      anonPerMin: options.anonPerMin ?? 100_000,
      anonPerDay: options.anonPerDay ?? 100_000,
      assistantPerMin: 60,
      assistantPerDay: options.assistant?.perDay ?? 5000,
    },
    links: linksOf({ baseUrl, host: '127.0.0.1', port, signup }),
    baseUrl,
    ...options.replace,
  };
  const key: TestService['key'] = async (wish) => {
    const made = await createKey(accounts.store, accounts.hasher, wish, { actor: 'cli', at: now() });
    return { id: made.key.id, key: made.secret };
  };
  const more =
    options.plugins?.({
      dataDir,
      baseUrl,
      accounts: accounts.store,
      keys,
      oauth,
      records: await keys.records(),
      view: () => data,
    }) ?? [];
  const server = createHttpServer({ services, plugins: [audit.plugin, ...more, ...oauth.plugins], idPrefix: 't' });
  await server.listen({ host: '127.0.0.1', port, reusePort: false });
  return {
    url: `http://127.0.0.1:${port}`,
    baseUrl,
    accounts: accounts.store,
    db: accounts.db,
    records: await keys.records(),
    faults,
    dataDir,
    hashing,
    advance: (ms) => {
      shift += ms;
    },
    now,
    async account(email, { plan } = {}) {
      const wish = { email, ...(plan === undefined ? {} : { plan }) };
      const id = await accountWithPassword(accounts, wish, { actor: 'cli', at: now() });
      return { id, key: (await key({ accountId: id, name: 'test' })).key };
    },
    key,
    forgetAttempts: () => {
      for (const table of [limits.clients, limits.subjects]) new Uint8Array(table).fill(0);
    },
    async close() {
      await server.close(0);
      oauth.close();
      await audit.close();
      await ledger.close();
      await polls.stop();
      await changes.close();
      await keys.close();
      await accounts.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}
