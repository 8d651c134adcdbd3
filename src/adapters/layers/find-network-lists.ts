import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { NO_HOME } from '../../core/place/network-facts.ts';
import type { NetworkEffect, NetworkList, NetworkListFile, PrefixColumns } from '../../core/place/network-list.ts';
import { specialPurposeLists } from '../../core/place/special-purpose-lists.ts';
import { usageCode } from '../../core/place/usage-code.ts';
import { type Said, said, sentenceOf } from '../../core/texts/said.ts';
import { faultSentence } from '../system/system-fault.ts';
import { knownGoodLists } from './known-good.ts';
import { LayerFileError } from './layer-data.ts';
import { namesIn } from './layer-file.ts';
import { shippedTable } from './tables.ts';

export function networkList(name: string, file: NetworkListFile): NetworkList {
  const { id, version, family, effect, priority, prefixes, asns } = file ?? {};
  if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9.-]*$/.test(id))
    throw new LayerFileError(name, 'id must be lower-case letters, digits, dots and dashes');
  if (typeof version !== 'string' || version === '') throw new LayerFileError(name, 'version must be a text');
  if (prefixes === undefined && asns === undefined) throw new LayerFileError(name, 'has neither prefixes nor asns');
  if (family !== undefined && typeof family !== 'string') throw new LayerFileError(name, 'family must be a text');
  const bad = asns?.find((asn) => !Number.isInteger(asn) || asn < 1 || asn > 0xffff_fffe);
  if (bad !== undefined)
    throw new LayerFileError(name, said('{value} is not an AS number', { value: JSON.stringify(bad) }));
  return {
    id,
    version,
    ...(family !== undefined && { family }),
    effect: effectOf(name, effect),
    ...(priority !== undefined && { priority }),
    ...(prefixes && { prefixes: prefixColumns(name, prefixes) }),
    ...(asns && { asns: Uint32Array.from(asns) }),
  };
}

function effectOf(name: string, effect: NetworkEffect | undefined): NetworkEffect {
  const { usage, hosting, mobile, crawler, relay, anycast, country, unrouted } = effect ?? {};
  if (usage !== undefined && usageCode(usage) !== usage)
    throw new LayerFileError(name, said('{value} is not a usage code', { value: JSON.stringify(usage) }));
  if (country !== undefined && (anycast !== true || !/^[A-Z]{2}$/.test(country)))
    throw new LayerFileError(name, 'country is two capital letters, and only with anycast');
  const known = {
    ...(usage !== undefined && { usage }),
    ...(hosting === true && { hosting }),
    ...(mobile === true && { mobile }),
    ...(crawler === true && { crawler }),
    ...(relay === true && { relay }),
    ...(anycast === true && { anycast }),
    ...(country !== undefined && { country }),
  };
  if (Object.keys(known).length === 0) throw new LayerFileError(name, 'effect says nothing');
  return unrouted === true ? { ...known, unrouted } : known;
}

function prefixColumns(name: string, texts: readonly string[]): PrefixColumns {
  const family = new Uint8Array(texts.length);
  const words = new Uint32Array(4 * texts.length);
  const bits = new Uint8Array(texts.length);
  for (let i = 0; i < texts.length; i++) {
    const prefix = parsePrefix(texts[i]!);
    if (prefix === undefined)
      throw new LayerFileError(name, said('{value} is not a prefix', { value: JSON.stringify(texts[i]) }));
    family[i] = prefix.family;
    words.set([prefix.w0, prefix.w1, prefix.w2, prefix.w3], 4 * i);
    bits[i] = prefix.bits;
  }
  return { length: texts.length, family, words, bits };
}

export interface FoundLists {
  readonly lists: readonly NetworkList[];
  readonly faults: readonly Said[];
}

/** Lists of the data folder over the shipped ones; one with the same id replaces the shipped one. A faulty file harms only itself. */
export const findNetworkLists = (dataDir: string): FoundLists => listsOver(shippedLists(), dataDir);

/** Returns whether ranges of private relays are known. Only files that could say so are read as lists: the rest are most of the time of a short command. */
export function hasRelayRanges(dataDir: string): boolean {
  const isAboutRelays = (bytes: Buffer): boolean => bytes.includes('"relay"') || bytes.includes(RELAYS[0]);
  return listsOver(knownGoodNetworks([RELAYS]), dataDir, isAboutRelays).lists.some(
    ({ effect, prefixes }) => effect.relay && prefixes?.length,
  );
}

function listsOver(
  shipped: readonly NetworkList[],
  dataDir: string,
  isWanted = (_: Buffer): boolean => true,
): FoundLists {
  const faults: Said[] = [];
  const byId = new Map(shipped.map((list) => [list.id, list]));
  const folder = join(dataDir, 'network');
  for (const entry of namesIn(folder, faults)) {
    if (!entry.endsWith('.json')) continue;
    const file = join(folder, entry);
    try {
      const bytes = readFileSync(file);
      if (!isWanted(bytes)) continue;
      const list = networkList(file, JSON.parse(bytes.toString()) as NetworkListFile);
      byId.set(list.id, list);
    } catch (error) {
      faults.push(
        error instanceof LayerFileError
          ? sentenceOf(error)
          : said('{file}: {why}', { file, why: faultSentence(error) }),
      );
    }
  }
  return { lists: [...byId.values()], faults };
}

/** Statement of each class of data/asn-classes.json about its networks. Classes that are absent here are recorded for people and say nothing. */
const CLASS_EFFECTS: Readonly<Record<string, NetworkEffect>> = {
  hosting: { usage: 'IDC', hosting: true },
  cdn: { usage: 'CDN', hosting: true },
  dns: { usage: 'DNS' },
  gateway: { usage: 'GTW' },
  ixp: { usage: 'IXP' },
  satellite: { usage: 'SAT' },
  mobile: { usage: 'MOB', mobile: true },
  education: { usage: 'EDU' },
  government: { usage: 'GOV' },
  residential: { usage: 'DYN' },
  backbone: { usage: 'NET' },
};

interface AsnClasses {
  readonly version: string;
  readonly asns: readonly (readonly [number, string, string, string])[];
}

/** Lists that ship: ASN classes, published prefixes, special-purpose space, and private-relay ranges, name servers and mail servers of the known services. */
export function shippedLists(): NetworkList[] {
  const { version, asns } = shippedTable<AsnClasses>('asn-classes');
  const classes = Object.entries(CLASS_EFFECTS).map(
    ([name, effect]): NetworkList => ({
      id: `asn-${name}`,
      version,
      effect,
      asns: Uint32Array.from(asns.filter((row) => row[1] === name).map((row) => row[0])),
    }),
  );
  return [
    ...classes.filter((list) => list.asns!.length > 0),
    ...prefixLists('network-prefixes'),
    ...prefixLists('anycast'),
    ...specialPurposeLists(),
    ...knownGoodNetworks(),
  ];
}

type KnownGoodEffect = readonly [id: string, kinds: RegExp, effect: NetworkEffect];

const RELAYS: KnownGoodEffect = ['apple-private-relay', /^apple-private-relay$/, { relay: true }];
/** Lists of data/known-good.json that also say something about networks. The feed of the relays' id replaces the shipped ranges. */
const KNOWN_GOOD_EFFECTS: readonly KnownGoodEffect[] = [
  RELAYS,
  // Name servers, resolvers and mail servers stand in access networks too: those are not homes. Mail has no code: NET is the network's own equipment.
  ['known-dns', /^dns-/, { usage: 'DNS' }],
  ['known-mail', /^mail-/, { usage: NO_HOME }],
];

const knownGoodNetworks = (effects = KNOWN_GOOD_EFFECTS): NetworkList[] =>
  effects.map(([id, kinds, effect]) => {
    const current = knownGoodLists().filter((list) => kinds.test(list.id) && list.until === undefined);
    const version = current.map(({ seen }) => seen).sort().at(-1); // biome-ignore format: one chain
    if (version === undefined) throw new Error(`data/known-good.json has no list for ${id}`);
    const texts = current.flatMap(({ prefixes }) => prefixes);
    return { id, version, effect, prefixes: prefixColumns(`data/known-good.json ${id}`, texts) };
  });

const prefixLists = (table: string): NetworkList[] =>
  shippedTable<{ lists: readonly NetworkListFile[] }>(table).lists.map((list) =>
    networkList(`data/${table}.json ${list.id}`, list),
  );
