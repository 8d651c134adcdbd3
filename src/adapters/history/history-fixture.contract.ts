import assert from 'node:assert/strict';
import { rowsOfScan } from '../../../test/support/rows-of-scan.ts';
import type { RISK_TYPES } from '../../contract/risk.ts';
import type { CollectionFacts } from '../../core/collection/derive/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { HistoryStore } from '../../service/ports.ts';

/** An empty store. `reopen` opens a second connection to it, as another process would have. */
export interface HistoryFixture {
  readonly store: HistoryStore;
  readonly reopen: () => HistoryStore | Promise<HistoryStore>;
  /**
   * Saves a copy of the store. The returned function restores that copy from outside, as another process
   * would.
   */
  readonly save: () => Promise<() => void | Promise<void>>;
  readonly countSeries: () => number | Promise<number>;
  readonly dispose: () => void | Promise<void>;
}

export const T0 = Date.UTC(2026, 5, 1);
export const at = (minutes: number): UnixMs => unixMs(T0 + minutes * MINUTE_MS);
export const LATER = unixMs(T0 + 200 * DAY_MS);

export const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
export const APPEARANCE: EvidenceSource = { id: 'seen', family: 'seen', mode: 'appearance', riskType: 'osint' };
export const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

type Row =
  | string
  | {
      readonly ip: string;
      readonly at?: UnixMs;
      readonly pool?: string;
      readonly riskType?: (typeof RISK_TYPES)[number];
      readonly actor?: string;
    };

export const batchOf = (rows: readonly Row[]): CaptureBatch => {
  const builder = new CaptureBatchBuilder(4);
  for (const row of rows) {
    const { ip, at: capturedAt, pool, riskType, actor } = typeof row === 'string' ? { ip: row } : row;
    const detail = {
      ...(capturedAt === undefined ? {} : { capturedAt }),
      ...(pool === undefined ? {} : { pool }),
      ...(riskType === undefined ? {} : { riskType }),
    };
    builder.add(parsePrefix(ip)!, detail);
    if (actor !== undefined) builder.addSensor({ actor });
  }
  return builder.build();
};

export const address = (text: string) => parseAnyAddress(text)!;
export const capturesOf = (rows: readonly Observation[]) =>
  rows.map((row) => `${row.riskType}@${minuteOf(row.capturedAt)}`);

/** Minutes since the beginning of the suite. */
export const minuteOf = (time: number): number => (time - T0) / MINUTE_MS;

/** Takes captures of the trap in, of the first minute where a row says no other. */
export const trapped = (store: HistoryStore, rows: readonly Row[], now: UnixMs = LATER) =>
  store.recordCaptures(EVENTS, at(0), batchOf(rows), now);

/** Rows of the image that rest on derived captures. */
export const derivedIn = async (store: HistoryStore) =>
  (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived');

/** The captures of an address at a moment, as `type@minute`. */
export const seenIn = async (store: HistoryStore, ip: string, when: UnixMs): Promise<readonly string[]> =>
  capturesOf(await store.observationsAt(address(ip), when));

/** Takes in runs of the test sources with these entries, parted by spaces; what is said of them is long past. */
export const run = (store: HistoryStore, source: EvidenceSource, minute: number, ips: string) =>
  store.recordRun(source, at(minute), batchOf(ips === '' ? [] : ips.split(' ')), LATER);

/** Compares a table with the store: an address, a minute or `later`, and the captures that count then. */
export async function assertSeen(store: HistoryStore, table: string): Promise<void> {
  const wanted = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const found: string[][] = [];
  for (const [ip = '', minute = ''] of wanted)
    found.push([ip, minute, ...(await seenIn(store, ip, minute === 'later' ? LATER : at(Number(minute))))]);
  assert.deepEqual(found, wanted);
}

/** Usage types by family and first byte. */
const USAGE_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '4 20': 'DYN', '4 30': 'IDC', '4 40': 'DYN', '6 42': 'DYN' }),
);

/**
 * Network data of the suite. 20.0.0.0/8 and 2a00::/8 are residential, 30.0.0.0/8 is hosting, 40.0.0.0/8 is
 * residential with a known service inside. Nothing is known about other space.
 */
export const CONTRACT_FACTS: CollectionFacts = {
  network: ({ family, w0 }) => {
    const usageType = USAGE_TYPES.get(`${family} ${w0 >>> 24}`);
    return {
      usageType,
      hosting: usageType === 'IDC',
      mobile: false,
      crawler: false,
      relay: false,
      asn: usageType === undefined ? undefined : 64500,
    };
  },
  isKnownGood: ({ w0 }) => w0 >>> 24 === 40,
};

export type Check = (title: string, body: (fixture: HistoryFixture) => Promise<void>) => void;
