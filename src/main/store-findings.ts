import { askRedis, redisAddress } from '../adapters/counters/redis/redis-server.ts';
import { openPostgresCheck, postgresAddress } from '../adapters/database/open-postgres-check.ts';
import { checkSmtp, smtpAddress } from '../adapters/mail/check-smtp.ts';
import { checkCompanyProvider } from '../adapters/sign-in/open-company-provider.ts';
import { checkImagePlace } from '../adapters/snapshots/check-image-place.ts';
import type { Config } from '../config.ts';
import { clockOffset } from '../core/clock-offset.ts';
import { CHINESE, type Text } from '../core/texts/chinese.ts';
import { type Said, said } from '../core/texts/said.ts';
import type { Clock } from '../service/ports.ts';
import { type Finding, remarks } from './finding.ts';

/** Longer than a store may be silent at the start of a node. */
const WITHIN_MS = 2000;
const PLACE_MS = 5000;

/** A store that answered: its version, and its clock less this machine's. */
export interface StoreSeen {
  readonly name: string;
  readonly version: string;
  readonly offsetMs: number;
}

export interface StoresFound {
  readonly findings: readonly Finding[];
  readonly seen: readonly StoreSeen[];
}

type Asked = { readonly remark: Said; readonly stops?: true } | StoreSeen | undefined;

/** Asks everything over the network that the settings name, at once. */
export async function storeFindings(config: Config, clock: Clock): Promise<StoresFound> {
  const asked = await Promise.all([
    askPostgres(config, clock),
    redis(config, clock),
    imagePlace(config),
    mailServer(config),
    companyProvider(config),
  ]);
  const faults = asked.flatMap((one) => (one !== undefined && 'remark' in one ? [one] : []));
  return {
    findings:
      faults.length === 0
        ? remarks('stores', [])
        : faults.map(({ remark, stops }) => ({
            subject: 'stores',
            state: stops === true ? 'fault' : 'warning',
            text: remark,
          })),
    seen: asked.flatMap((one) => (one !== undefined && 'name' in one ? [one] : [])),
  };
}

async function askPostgres({ databaseUrl }: Config, clock: Clock): Promise<Asked> {
  if (databaseUrl === undefined) return undefined;
  const check = openPostgresCheck(databaseUrl, WITHIN_MS);
  try {
    const cause = await check.ask();
    if (cause === undefined) {
      const before = clock.now();
      const { version, at } = await check.facts();
      return { name: 'PostgreSQL', version, offsetMs: clockOffset(at, before, clock.now()) };
    }
    const address = postgresAddress(databaseUrl);
    return {
      remark: said('PostgreSQL at {address} (PULSE_DATABASE_URL) cannot be used: {cause}', {
        address,
        cause: saidCause(cause),
      }),
    };
  } finally {
    await check.close();
  }
}

async function redis({ redisUrl }: Config, clock: Clock): Promise<Asked> {
  if (redisUrl === undefined) return undefined;
  const before = clock.now();
  const found = await askRedis(redisUrl, WITHIN_MS);
  if (found.fault === undefined)
    return { name: 'Redis', version: found.version, offsetMs: clockOffset(found.at, before, clock.now()) };
  const { refused } = found.fault;
  const cause = saidCause(found.fault.cause);
  const address = redisAddress(redisUrl);
  const remark = said('Redis at {address} (PULSE_REDIS_URL) cannot count: {cause}', { address, cause });
  return { remark, ...(refused === true && { stops: true }) };
}

async function imagePlace({ snapshotUrl }: Config): Promise<Asked> {
  if (snapshotUrl === undefined) return undefined;
  const found = await checkImagePlace(snapshotUrl, PLACE_MS);
  const place = snapshotUrl.split('?')[0]!;
  if ('cause' in found)
    return {
      remark: said('{place} (PULSE_SNAPSHOT_URL) cannot be read: {cause}', { place, cause: saidCause(found.cause) }),
    };
  if (found.published) return undefined;
  return { remark: said('{place} (PULSE_SNAPSHOT_URL) holds no image: an ingest node publishes them', { place }) };
}

async function mailServer({ smtpUrl }: Config): Promise<Asked> {
  const cause = smtpUrl === undefined ? undefined : await checkSmtp(smtpUrl, WITHIN_MS);
  if (cause === undefined || smtpUrl === undefined) return undefined;
  const address = smtpAddress(smtpUrl);
  return {
    remark: said('mail server {address} (PULSE_SMTP_URL) cannot be used: {cause}', {
      address,
      cause: saidCause(cause),
    }),
  };
}

async function companyProvider(config: Config): Promise<Asked> {
  const cause = await checkCompanyProvider(config, WITHIN_MS / 1000);
  if (cause === undefined) return undefined;
  const address = new URL(config.oidcIssuer!).origin;
  return {
    remark: said('company sign-on at {address} (PULSE_OIDC_ISSUER) cannot be used: {cause}', {
      address,
      cause: saidCause(cause),
    }),
  };
}

/** Errors without a cause of ours keep their text. */
const saidCause = (cause: string): Said =>
  Object.hasOwn(CHINESE, cause) ? { text: cause as Text, values: {} } : said('{why}', { why: cause });
