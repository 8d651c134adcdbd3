import { createHash } from 'node:crypto';
import type { PulseIPRisk, Sandbox } from '../../contract/documents.ts';
import { ERRORS } from '../../contract/errors.ts';
import { SANDBOX_PATHS, type SandboxPath } from '../../contract/sandbox.ts';
import { foldObservations } from '../../core/evidence/fold-observations.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { contains, familyBits, parsePrefix } from '../../core/ip/prefix.ts';
import {
  isRefusal,
  SANDBOX_ADDRESSES,
  SANDBOX_ASN,
  SANDBOX_MOMENT,
  SANDBOX_PLACE,
  SANDBOX_RANGES,
  SANDBOX_UNSEEN,
  type SandboxCaptures,
  type SandboxRefusalRow,
  type SandboxVerdictRow,
} from '../../core/sandbox/sandbox-addresses.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { LookupView, NetworkFacts } from '../ports.ts';
import { Problem } from '../problem.ts';
import { lookupIp } from './lookup-ip.ts';
import { PulseLookup, type PulseQuery, type PulseText } from './lookup-pulse.ts';

const RANGES = SANDBOX_RANGES.map((range) => parsePrefix(range)!);
const ROWS: ReadonlyMap<string, SandboxVerdictRow | SandboxRefusalRow> = new Map(
  SANDBOX_ADDRESSES.map((row) => [row.ip, row]),
);
const DATA_VERSION = { risk: 'sandbox', geo: 'sandbox' };
/**
 * Keys the pool handles. It is public, so handles of the sandbox are the same everywhere and say nothing
 * about a deployment.
 */
const PUBLIC_KEY = createHash('sha256').update('sandbox').digest();

export const isSandboxAddress = (address: Address): boolean => RANGES.some((range) => contains(range, address));

export function sandboxRow(address: Address): SandboxVerdictRow | SandboxRefusalRow {
  const ip = formatAddress(address);
  return ROWS.get(ip) ?? { ip, ...SANDBOX_UNSEEN };
}

export function lookupSandbox(address: Address): PulseText {
  const view = viewOf(verdictRow(address));
  return { json: lookupIp(view, address, SANDBOX_MOMENT)!, degraded: view.degraded };
}

export async function lookupSandboxPulse(address: Address, moment: UnixMs | undefined): Promise<PulseText> {
  if (moment !== undefined && moment > SANDBOX_MOMENT) throw new Problem('invalid_time');
  const row = verdictRow(address);
  const query: PulseQuery = {
    view: viewOf(row),
    address,
    account: { id: 'sandbox', dpa: row.withoutAgreement !== true },
    now: SANDBOX_MOMENT,
    moment,
  };
  if (moment !== undefined) await PULSE.checkMoment({ ...query, moment });
  return (await PULSE.lookup(query))!;
}

export async function sandboxTable(): Promise<Sandbox> {
  return {
    computed_at: isoTime(SANDBOX_MOMENT),
    ranges: SANDBOX_RANGES,
    addresses: await Promise.all(
      SANDBOX_ADDRESSES.map(async (row) => (isRefusal(row) ? refusalEntry(row) : await verdictEntry(row))),
    ),
  };
}

const PATHS_OF: Readonly<Record<'basic' | 'professional' | 'both', readonly SandboxPath[]>> = {
  basic: [SANDBOX_PATHS[0]],
  professional: [SANDBOX_PATHS[1]],
  both: SANDBOX_PATHS,
};

function refusalEntry({ ip, code, only }: SandboxRefusalRow) {
  const { status, message } = ERRORS[code];
  return { ip, shows: message, paths: PATHS_OF[only ?? 'both'], status, code };
}

async function verdictEntry({ ip, shows }: SandboxVerdictRow) {
  const { json } = await lookupSandboxPulse(parsePrefix(ip)!, undefined);
  const { evidence_state, risk, share_tier, evidence } = JSON.parse(json) as PulseIPRisk;
  return {
    ip,
    shows,
    paths: SANDBOX_PATHS,
    status: 200 as const,
    evidence_state,
    score: risk.score,
    level: risk.level,
    share_tier,
    risk_types: evidence.map(({ risk_type }) => risk_type),
  };
}

function verdictRow(address: Address): SandboxVerdictRow {
  const row = sandboxRow(address);
  return isRefusal(row) ? { ip: row.ip, ...SANDBOX_UNSEEN } : row;
}

function viewOf(row: SandboxVerdictRow): LookupView {
  const place = row.place === undefined ? SANDBOX_PLACE : row.place;
  return {
    dataVersion: DATA_VERSION,
    degraded: row.degraded === true,
    protection: undefined,
    geoJson: () => (place === null ? undefined : JSON.stringify(place)),
    network: () => networkOf(row),
    observations: ({ family }) => observationsOf(row, family, SANDBOX_MOMENT),
  };
}

function networkOf({ network = { usage: 'DYN' } }: SandboxVerdictRow): NetworkFacts {
  const { usage, hosting = false, mobile = false, crawler = false, relay = false } = network;
  return {
    json: JSON.stringify({ asn: SANDBOX_ASN, usage_type: usage }),
    usageType: usage,
    asn: SANDBOX_ASN,
    hosting,
    mobile,
    crawler,
    relay,
  };
}

const observationsOf = ({ captures }: SandboxVerdictRow, family: 4 | 6, at: UnixMs): readonly Observation[] =>
  foldObservations(
    captures.flatMap((one) => observationsOfType(one, family)).filter(({ capturedAt }) => capturedAt <= at),
  );

function observationsOfType(
  { riskType, ageMin, days = 1, family = 'sandbox', pool, sharedBy, bits }: SandboxCaptures,
  ipFamily: 4 | 6,
): readonly Observation[] {
  return Array.from({ length: days }, (_, day) => ({
    riskType,
    source: `sandbox-${family}`,
    family,
    capturedAt: unixMs(SANDBOX_MOMENT - ageMin * MINUTE_MS - day * DAY_MS),
    days: 1,
    prefixBits: bits ?? familyBits(ipFamily),
    pools: pool === undefined ? [] : [pool],
    ...(sharedBy !== undefined && { sharedBy }),
  }));
}

const PULSE = new PulseLookup({
  history: {
    observationsAt: (address, moment) => observationsOf(verdictRow(address), address.family, moment),
    earliest: () => unixMs(0),
    leftOutAt: () => undefined,
  },
  secret: PUBLIC_KEY,
});
