import { auditCopy } from '../adapters/audit-copy/audit-copy.ts';
import { askRedis, redisAddress } from '../adapters/counters/redis/redis-server.ts';
import { openPostgresCheck, postgresAddress } from '../adapters/database/open-postgres-check.ts';
import { checkSmtp, smtpAddress } from '../adapters/mail/smtp-mail.ts';
import { checkCompanyProvider } from '../adapters/sign-in/open-company-provider.ts';
import { checkImagePlace } from '../adapters/snapshots/check-image-place.ts';
import { NO_ANSWER, networkFault } from '../adapters/system/system-fault.ts';
import type { Config } from '../config.ts';
import type { ClockSeen } from '../core/clock-offset.ts';
import { type Said, type StoreSetting, said, storeAway } from '../core/texts/said.ts';
import { type Finding, remarks } from './machine-findings.ts';

/** Longer than a store may be silent at the start of a node. */
const WITHIN_MS = 2000;
const PLACE_MS = 5000;

export interface StoreSeen extends ClockSeen {
  readonly version?: string;
}

export interface StoresFound {
  readonly findings: readonly Finding[];
  readonly seen: readonly StoreSeen[];
}

interface Asked {
  readonly fault?: Said;
  readonly remark?: Said;
  readonly seen?: StoreSeen;
}

const away = (setting: StoreSetting, address: string, cause: string | undefined): Asked =>
  cause === undefined ? {} : { fault: storeAway(setting, address, cause) };

export async function storeFindings(config: Config): Promise<StoresFound> {
  const asked = await Promise.all([
    ...withClocks(config),
    mailServer(config),
    companyProvider(config),
    auditReceiver(config),
  ]);
  const faults = asked.flatMap(({ fault }) => fault ?? []);
  const warnings = asked.flatMap(({ remark }) => remark ?? []);
  return {
    findings: [
      ...faults.map((text): Finding => ({ subject: 'stores', state: 'fault', text })),
      ...remarks('stores', warnings).filter(({ state }) => state !== 'ok' || faults.length === 0),
    ],
    seen: asked.flatMap(({ seen }) => seen ?? []),
  };
}

const withClocks = (config: Config): readonly Promise<Asked>[] => [
  askPostgres(config),
  redis(config),
  imagePlace(config),
];

export async function storeClocks(config: Config): Promise<readonly ClockSeen[]> {
  return (await Promise.all(withClocks(config))).flatMap(({ seen }) => seen ?? []);
}

async function askPostgres({ databaseUrl }: Config): Promise<Asked> {
  if (databaseUrl === undefined) return {};
  const check = openPostgresCheck(databaseUrl, WITHIN_MS);
  try {
    const found = await check.ask();
    return found.cause === undefined
      ? { seen: { name: 'PostgreSQL', ...found } }
      : away('PULSE_DATABASE_URL', postgresAddress(databaseUrl), found.cause);
  } finally {
    await check.close();
  }
}

async function redis({ redisUrl }: Config): Promise<Asked> {
  if (redisUrl === undefined) return {};
  const found = await askRedis(redisUrl, WITHIN_MS);
  const address = redisAddress(redisUrl);
  if (found.fault !== undefined) return away('PULSE_REDIS_URL', address, found.fault.cause);
  const { version, policy, offsetMs } = found;
  const text =
    'Redis at {address} (PULSE_REDIS_URL) has maxmemory-policy {policy}: with its memory full it drops counters, and callers get more than their quota. Set noeviction';
  return {
    seen: { name: 'Redis', version, offsetMs },
    ...(policy !== 'noeviction' && { remark: said(text, { address, policy }) }),
  };
}

async function imagePlace({ snapshotUrl }: Config): Promise<Asked> {
  if (snapshotUrl === undefined) return {};
  const found = await checkImagePlace(snapshotUrl, PLACE_MS);
  const place = snapshotUrl.split('?')[0]!;
  if (found.cause !== undefined) return away('PULSE_SNAPSHOT_URL', place, found.cause);
  const { published, offsetMs } = found;
  return {
    ...(offsetMs !== undefined && { seen: { name: 'S3', offsetMs } }),
    ...(!published && {
      remark: said(
        '{place} (PULSE_SNAPSHOT_URL) does not exist or holds no image: start an ingest node, which publishes them, or correct the setting',
        { place },
      ),
    }),
  };
}

async function mailServer({ smtpUrl }: Config): Promise<Asked> {
  return smtpUrl === undefined ? {} : away('PULSE_SMTP_URL', smtpAddress(smtpUrl), await checkSmtp(smtpUrl, WITHIN_MS));
}

async function companyProvider(config: Config): Promise<Asked> {
  const cause = await checkCompanyProvider(config, WITHIN_MS / 1000);
  return cause === undefined ? {} : away('PULSE_OIDC_ISSUER', new URL(config.oidcIssuer!).origin, cause);
}

async function auditReceiver({ auditLog }: Config): Promise<Asked> {
  if (auditLog === undefined || 'file' in auditLog) return {};
  try {
    await auditCopy(auditLog)([]);
    return {};
  } catch (error) {
    const cause = networkFault(String((error as NodeJS.ErrnoException).code)) ?? NO_ANSWER;
    return away('PULSE_AUDIT_LOG', `${auditLog.host}:${auditLog.port}`, cause.cause);
  }
}
