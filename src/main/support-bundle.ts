import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultText } from '../adapters/system/system-fault.ts';
import { type Config, VERSION } from '../config.ts';
import { worded } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import { feedStates } from './feed-remarks.ts';
import type { Finding } from './finding.ts';
import { machineFacts } from './machine-findings.ts';
import type { Role } from './serve-options.ts';

/** A bundle shows a setting as its value, as an address without user, password and query, or only as set. */
type Shown = 'value' | 'address' | 'set';

/** A setting is not in a bundle before somebody has decided how it is shown. */
const SHOWN: Readonly<Record<keyof Config, Shown>> = {
  host: 'value',
  port: 'value',
  baseUrl: 'address',
  dataDir: 'value',
  databaseUrl: 'address',
  redisUrl: 'address',
  snapshotUrl: 'address',
  workers: 'value',
  trustedProxies: 'value',
  decideKey: 'set',
  feeds: 'address',
  quotaTz: 'value',
  anonPerDay: 'value',
  anonPerMin: 'value',
  aiPerDay: 'value',
  phone: 'value',
  history: 'value',
  historyDays: 'value',
  secret: 'set',
  secretFile: 'value',
  smtpUrl: 'address',
  signup: 'value',
  sessionIdleMin: 'value',
  oidcIssuer: 'address',
  oidcClientId: 'value',
  oidcClientSecret: 'set',
  oidcScopes: 'value',
  oidcTrustEmail: 'value',
  oidcRoleClaim: 'value',
  oidcOperatorRole: 'value',
  oidcUserRole: 'value',
  auditLog: 'value',
  salesContact: 'set',
  mcpOrigins: 'value',
  contact: 'set',
  account: 'set',
  addressLinks: 'set',
  webhookAllow: 'value',
  metrics: 'value',
  logLevel: 'value',
  logRequests: 'value',
  notifySocket: 'set',
};

const FILES_MAX = 1000;
const METRICS_MS = 2000;

export interface BundleParts {
  readonly config: Config;
  readonly role: Role;
  readonly findings: readonly Finding[];
  readonly now: UnixMs;
}

/**
 * Everything that helps to find a fault and that somebody else may read: no secrets, keys, numbers or
 * contents of files.
 */
export async function supportBundle({ config, role, findings, now }: BundleParts): Promise<object> {
  return {
    at: new Date(now).toISOString(),
    pulse: VERSION,
    runtime: process.version,
    role,
    machine: machineFacts(),
    findings: findings.map(({ subject, state, text }) => ({ subject, state, text: worded(text) })),
    settings: Object.fromEntries(
      Object.entries(config).map(([name, value]) => [name, shown(value, SHOWN[name as keyof Config])]),
    ),
    sources: feedStates(config).map(
      ({ id, lastAttemptAt, lastSuccessAt, failures, rows, tookMs, error, clockOffsetMs }) => ({
        id,
        last_attempt: timeText(lastAttemptAt),
        last_success: timeText(lastSuccessAt),
        failures,
        rows,
        took_ms: tookMs,
        clock_offset_ms: clockOffsetMs,
        ...(error !== undefined && { error: worded(error) }),
      }),
    ),
    files: filesOf(config.dataDir),
    metrics: await metricsOf(config),
  };
}

const timeText = (at: UnixMs | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

function shown(value: unknown, how: Shown): unknown {
  if (value === undefined) return null;
  if (how === 'set') return 'set';
  return how === 'address' ? addressesOf(value) : value;
}

/** A text may be an address with a user and a password, and a query with keys. */
function addressesOf(value: unknown): unknown {
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, addressesOf(one)]));
  if (typeof value !== 'string' || !value.includes('://')) return value;
  if (!URL.canParse(value)) return 'set';
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}

function filesOf(dataDir: string): readonly object[] | string {
  try {
    return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .slice(0, FILES_MAX)
      .flatMap((file) => {
        // A running service removes files while they are listed.
        const seen = lstatSync(join(dataDir, file), { throwIfNoEntry: false });
        return seen === undefined || seen.isDirectory()
          ? []
          : [{ file, kib: Math.ceil(seen.size / 1024), changed: seen.mtime.toISOString() }];
      });
  } catch (error) {
    return faultText(error);
  }
}

/** One scrape of the service that runs with these settings, as lines. */
export async function metricsOf({ metrics }: Config): Promise<readonly string[] | string> {
  if (metrics === undefined) return 'off';
  const host = metrics.host.includes(':') ? `[${metrics.host}]` : metrics.host;
  try {
    const signal = AbortSignal.timeout(METRICS_MS);
    const answer = await fetch(`http://${host}:${metrics.port}/metrics`, { signal });
    return (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    return faultText(error instanceof Error && error.cause instanceof Error ? error.cause : error);
  }
}
