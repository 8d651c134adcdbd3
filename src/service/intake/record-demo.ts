import type { CaptureBatch, EvidenceSource } from '../../core/evidence/observation.ts';
import { RowBuilder } from '../../core/feeds/row-builder.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { parsePrefix, prefixOf } from '../../core/ip/prefix.ts';
import type { NetworkListFile } from '../../core/place/network-list.ts';
import { inLanguage, type Language, type Said, said } from '../../core/texts/said.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { HISTORY_DAYS, type HistoryWriter } from '../ports.ts';
import { DEMO_ADDRESSES, type DemoAddress, type DemoCapture } from './demo-addresses.ts';

/** Fresh sightings are renewed at this interval, so their ages differ from the table by at most this. */
export const DEMO_EVERY_MS = 5 * MINUTE_MS;

export interface DemoBatch {
  readonly source: EvidenceSource;
  readonly batch: CaptureBatch;
}

/**
 * Returns the invented captures by source, as of `now`. The same instant always gives the same captures.
 * @param first true when the folder is made: earlier days and expired sightings are included; later only the
 * newest sightings are renewed
 */
function demoCaptures(now: UnixMs, first: boolean): readonly DemoBatch[] {
  const bySource = new Map<string, { readonly source: EvidenceSource; readonly rows: RowBuilder }>();
  for (const address of DEMO_ADDRESSES) {
    for (const sighting of address.sightings) {
      if (!first && sighting.expired === true) continue;
      const source = sourceOf(sighting);
      const entry = bySource.get(source.id) ?? {
        source,
        rows: new RowBuilder({ riskType: sighting.riskType, ownKinds: true }),
      };
      bySource.set(source.id, entry);
      addSighting(address, sighting, now, first, entry.rows);
    }
  }
  return [...bySource.values()].map(({ source, rows }) => ({ source, batch: rows.finish().batch }));
}

function addSighting(address: DemoAddress, sighting: DemoCapture, now: UnixMs, first: boolean, rows: RowBuilder): void {
  const newest = now - sighting.ageMin * MINUTE_MS;
  const days = first ? (sighting.days ?? 1) : 1;
  for (let day = 0; day < days; day++) rows.addText(address.ip, newest - day * DAY_MS);
  if (rows.refused.size > 0) throw new Error(`demonstration address ${address.ip} is not usable`);
}

function sourceOf(sighting: DemoCapture): EvidenceSource {
  const { riskType, family = 'demo', pool, sharedBy } = sighting;
  return {
    id: ['demo', riskType, family, pool ?? 'none'].join('-'),
    family,
    mode: 'events',
    riskType,
    ...(pool === undefined ? {} : { pool }),
    ...(sharedBy === undefined ? {} : { sharedBy }),
  };
}

export async function recordDemo(store: HistoryWriter, now: UnixMs, first: boolean): Promise<number> {
  let taken = 0;
  for (const { source, batch } of demoCaptures(now, first)) {
    await store.recordCaptures(source, now, batch, now);
    taken += batch.length;
  }
  if (first) await store.follow(unixMs(now - HISTORY_DAYS * DAY_MS));
  return taken;
}

/** The demonstration ranks above every real list, so that it shows its table. */
const DEMO_PRIORITY = 1000;

export function demoNetworkLists(): readonly NetworkListFile[] {
  return DEMO_ADDRESSES.flatMap(({ ip, network }, index) => {
    const prefix = parsePrefix(ip);
    if (network === undefined || prefix === undefined) return [];
    const wide = formatPrefix(prefixOf(prefix, Math.min(prefix.bits, prefix.family === 4 ? 24 : 48)));
    return [
      {
        id: `demo-${index}`,
        version: '1',
        effect: network,
        priority: DEMO_PRIORITY,
        prefixes: [wide],
        origin: 'invented for the demonstration',
        licence: 'none needed',
      },
    ];
  });
}

export const DEMO_COMMAND = 'npm start -- --demo';

export function demoNotice(address: string, language: Language): string {
  const words = (sentence: Said): string => inLanguage(language, sentence);
  const width = Math.max(...DEMO_ADDRESSES.map(({ look }) => look.length));
  const rows = DEMO_ADDRESSES.map(({ look, shows }) => `    ${look.padEnd(width)}  ${words(said(shows))}`);
  return [
    '',
    words(said('  DEMONSTRATION: every piece of evidence here is invented and says nothing about the real addresses.')),
    words(said('  It lives in a data folder of its own; real feeds are off.')),
    '',
    words(said('  Try, at {address}:', { address })),
    '',
    ...rows,
    '',
  ].join('\n');
}
