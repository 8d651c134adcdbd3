import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultText } from '../adapters/system/system-fault.ts';
import { type Config, VERSION } from '../config.ts';
import { worded } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import { feedStates } from './feed-remarks.ts';
import { type Finding, machineFacts } from './machine-findings.ts';
import type { Role } from './serve-options.ts';

/** Settings that a bundle shows as they are. Of the others it says that they are set. */
const SHOWN: readonly string[] = [
  'host',
  'port',
  'dataDir',
  'workers',
  'trustedProxies',
  'clientDocuments',
  'quotaTz',
  'anonPerDay',
  'anonPerMin',
  'aiPerDay',
  'phone',
  'history',
  'historyDays',
  'secretFile',
  'signup',
  'sessionIdleMin',
  'oidcClientId',
  'oidcScopes',
  'oidcTrustEmail',
  'oidcRoleClaim',
  'oidcOperatorRole',
  'oidcUserRole',
  'auditLog',
  'mcpOrigins',
  'webhookAllow',
  'metrics',
  'logLevel',
  'logRequests',
] satisfies readonly (keyof Config)[];

const ADDRESSES: readonly string[] = [
  'baseUrl',
  'databaseUrl',
  'redisUrl',
  'snapshotUrl',
  'feeds',
  'smtpUrl',
  'oidcIssuer',
] satisfies readonly (keyof Config)[];

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
    settings: Object.fromEntries(Object.entries(config).map(([name, value]) => [name, shown(name, value)])),
    sources: feedStates(config).map(
      ({ id, lastAttemptAt, lastSuccessAt, failures, rows, tookMs, error, clockOffsetMs }) => ({
        id,
        last_attempt: timeText(lastAttemptAt),
        last_success: timeText(lastSuccessAt),
        failures,
        rows,
        took_ms: tookMs,
        clock_offset_ms: clockOffsetMs,
        error: error && worded(error),
      }),
    ),
    files: filesOf(config.dataDir),
    metrics: await metricsOf(config),
  };
}

const timeText = (at: UnixMs | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

function shown(name: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (ADDRESSES.includes(name)) return addressesOf(value);
  return SHOWN.includes(name) ? value : 'set';
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
