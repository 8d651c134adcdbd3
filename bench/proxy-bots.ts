/**
 * Where the entries of lists of proxy bots lie, and which of them `deriveListed` makes hijacked proxies (docs/accuracy.md): every list of the catalogue that derives
 * a kind or shares its family, as one day's file or as the newest. Reads no network, prints no speed.
 *
 *   node bench/proxy-bots.ts [--data FOLDER]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readFeed } from '../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../src/adapters/feeds/scan-mirror.ts';
import { loadKnownGood } from '../src/adapters/layers/known-good.ts';
import { RISK_TYPES } from '../src/contract/risk.ts';
import type { CollectionFacts } from '../src/core/collection/collection-facts.ts';
import { deriveListed } from '../src/core/collection/derive-listed.ts';
import type { CaptureBatch } from '../src/core/evidence/observation.ts';
import { networkListOf } from '../src/core/feeds/network-list-of.ts';
import { familyBits } from '../src/core/ip/prefix.ts';
import { unixMs } from '../src/core/units.ts';
import type { MirrorFile, MirrorScan } from '../src/service/import-mirror.ts';
import { type ImagePlaces, imagePlaces } from './accuracy/image-places.ts';
import { distinctPrefixes, keyOf } from './accuracy/judge.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: resolve(import.meta.dirname, '../../shared/data') } } });
if (!existsSync(values.data)) throw new Error(`${values.data} is not there: name a mirror folder with --data`);
const scan = await scanMirror(values.data);
const share = (keys: ReadonlySet<string>, before: ReadonlySet<string>): string => `${((100 * keys.intersection(before).size) / keys.size).toFixed(1)} %`;
const temporary = mkdtempSync(join(tmpdir(), 'pulse-bots-'));
try {
  const places = await placesOf(scan);
  const lines: string[][] = [];
  let before: ReadonlySet<string> | undefined;
  for (const file of listsOfBots(scan)) {
    const { parsed } = await readFeed({ from: 'file', feed: file.feed, path: file.path });
    const keys = new Set([...distinctPrefixes(parsed.batch)].map((prefix) => `${prefix.family} ${keyOf(prefix)}`));
    lines.push([file.feed.id, basename(file.path), ...figures(parsed.batch, places), before !== undefined ? share(keys, before) : '']);
    before = file.kind === 'dated' ? keys : undefined;
  }
  table(
    ['list', 'file', 'entries', 'single addresses', 'DYN or MOB', 'AS known, no use named', 'hosting', 'other', 'hijacked_proxy', 'on the file before'],
    lines,
  );
} finally {
  rmSync(temporary, { recursive: true });
}

/** Network data as a server with these lists has it. */
async function placesOf({ snapshots, newestAt }: MirrorScan): Promise<ImagePlaces> {
  const networks = snapshots.filter(({ feed }) => feed.effect.kind === 'network');
  const lists = await Promise.all(networks.map(async ({ feed, path }) => networkListOf(feed, (await readFeed({ from: 'file', feed, path })).parsed)));
  return imagePlaces(temporary, lists, unixMs(newestAt));
}

function listsOfBots({ snapshots, series }: MirrorScan): readonly MirrorFile[] {
  const families = new Set(
    [...snapshots, ...series].filter(({ feed: { effect } }) => effect.kind === 'risk' && effect.derives !== undefined).map(({ feed }) => feed.family),
  );
  const dated = series.filter(({ kind, feed }) => kind === 'dated' && families.has(feed.family)).sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...snapshots.filter(({ feed }) => families.has(feed.family)), ...dated.slice(-4)];
}

function figures(batch: CaptureBatch, places: ImagePlaces): readonly string[] {
  const knownGood = loadKnownGood();
  const facts: CollectionFacts = { network: places.network, isKnownGood: (address, at) => knownGood.find(address, at) !== undefined };
  const derived = deriveListed(batch, { riskType: 'proxy', derives: 'hijacked_proxy' }, facts, unixMs(Date.now()));
  const entries = [...distinctPrefixes(batch)];
  const uses = entries.map((prefix) => places.network(prefix));
  const count = (is: (use: (typeof uses)[number]) => boolean): number => uses.filter(is).length;
  const hosting = count((use) => use.hosting);
  const named = count((use) => !use.hosting && (use.usageType === 'DYN' || use.usageType === 'MOB'));
  const unnamed = count((use) => !use.hosting && use.usageType === undefined && use.asn !== undefined);
  const single = entries.filter(({ family, bits }) => bits === familyBits(family)).length;
  const hijacked = derived.type.filter((type) => RISK_TYPES[type] === 'hijacked_proxy').length;
  const of = (part: number): string => `${part} (${((100 * part) / uses.length).toFixed(1)} %)`;
  return [String(uses.length), String(single), of(named), of(unnamed), of(hosting), of(uses.length - named - unnamed - hosting), of(hijacked)];
}
