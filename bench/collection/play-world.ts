import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { prefixOfKey } from '../../src/adapters/history/prefix-key.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { RISK_TYPES, type RiskType } from '../../src/contract/risk.ts';
import type { DerivationRules } from '../../src/core/collection/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { HOUR_MS, unixMs } from '../../src/core/units.ts';
import { importCaptures } from '../../src/service/import-captures.ts';
import type { SimulatedCapture, SimulatedRun, World } from './world.ts';

/** A derived capture as the store holds it. */
export interface DerivedRow {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: number;
}

const SENSORS = 2;

/** Takes a world in through the intake: every sensor sends what it captured once an hour, lists are read when they are published. @returns all that was derived */
export async function playWorld(world: World, rules: DerivationRules): Promise<readonly DerivedRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-collection-'));
  const path = join(folder, 'evidence.db');
  const store = new SqliteHistory(path, { facts: () => world.facts, rules });
  try {
    const deliveries = [...Map.groupBy(world.captures, ({ at }) => Math.floor(at / HOUR_MS))].map(([hour, captures]) => ({
      at: (hour + 1) * HOUR_MS,
      captures,
    }));
    const readings = world.runs.map((run) => ({ at: run.at, run }));
    for (const event of [...deliveries, ...readings].sort((a, b) => a.at - b.at)) {
      if ('run' in event) readList(store, event.run);
      else await deliver(store, event.captures, event.at);
    }
    return derivedRows(path);
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

function readList(store: SqliteHistory, { list, at, addresses }: SimulatedRun): void {
  const builder = new CaptureBatchBuilder(addresses.length);
  for (const { w0 } of addresses) builder.addIpv4(w0, 32);
  store.recordRun({ id: list, family: list, mode: 'listing', riskType: 'proxy' }, unixMs(at), builder.build(), unixMs(at));
}

async function deliver(store: SqliteHistory, captures: readonly SimulatedCapture[], at: number): Promise<void> {
  for (let sensor = 0; sensor < SENSORS; sensor++) {
    const id = `sensor-${sensor}`;
    const rows = captures.filter((capture) => (capture.address.w0 ^ capture.address.w1 ^ capture.at) % SENSORS === sensor || capture.actor !== '');
    const mine = rows.filter((capture) => capture.actor === '' || capture.actor.length % SENSORS === sensor);
    const text = mine.map(lineOf).join('');
    await importCaptures(store, { now: () => unixMs(at) }, [new TextEncoder().encode(text)], { source: { id, family: id, mode: 'events' } });
  }
}

const lineOf = ({ address, riskType, at, actor }: SimulatedCapture): string =>
  `${JSON.stringify({ ip: formatAddress(address), risk_type: riskType, captured_at: new Date(at).toISOString(), ...(actor === '' ? {} : { actor }) })}\n`;

function derivedRows(path: string): readonly DerivedRow[] {
  const file = new DatabaseSync(path, { readOnly: true });
  const rows = file.prepare('select prefix, risk_type, at from derivations order by at, prefix').all() as unknown as {
    prefix: number | Uint8Array;
    risk_type: number;
    at: number;
  }[];
  file.close();
  return rows.map(({ prefix, risk_type: type, at }) => ({ prefix: prefixOfKey(prefix), riskType: RISK_TYPES[type]!, at }));
}
