import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SqliteHistory } from '../adapters/history/sqlite/history.ts';
import type { EvidenceSource } from '../core/evidence/capture.ts';
import { replayFeedlog } from '../core/feeds/feedlog.ts';
import type { Address } from '../core/ip/address.ts';
import { parsePrefix } from '../core/ip/prefix.ts';
import type { UnixMs } from '../core/units.ts';
import { type KnownGood, type ReplayReport, type ReplaySeries, replay } from '../service/replay.ts';

/** The dated lists the harness knows, by the first part of their file name. */
const SERIES: Readonly<Record<string, EvidenceSource & { readonly riskType: NonNullable<EvidenceSource['riskType']> }>> = {
  'proxy-iplocate': { id: 'iplocate', family: 'iplocate', mode: 'listing', riskType: 'proxy' },
  'tor-exits': { id: 'tor-exits', family: 'tor', mode: 'listing', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' },
  'vpn-x4bnet': { id: 'x4bnet-vpn', family: 'x4bnet', mode: 'listing', riskType: 'vpn' },
  'osint-threatfox': { id: 'threatfox', family: 'threatfox', mode: 'appearance', riskType: 'osint' },
};

const KNOWN_GOOD: readonly { readonly name: string; readonly relay: boolean; readonly files: readonly string[]; readonly column: RegExp }[] = [
  { name: 'public DNS resolvers', relay: false, files: ['geo/special/shadowwhisperer-DNS.csv'], column: /^([^,]+)/ },
  {
    name: 'published crawlers',
    relay: false,
    files: ['googlebot', 'bing', 'openai', 'perplexity', 'duckduckbot'].map((bot) => `feeds/current/crawler/${bot}-ipv4.txt`),
    column: /^(\S+)/,
  },
  { name: 'private relay', relay: true, files: ['feeds/current/vpn/icloud-private-relay.txt.gz'], column: /^(\S+)/ },
  {
    name: 'Chinese operator ranges',
    relay: false,
    files: ['chinanet4.txt.gz', 'cmcc4.txt', 'unicom4.txt.gz'].map((file) => `geo/cn/operator-${file}`),
    column: /^(\S+)/,
  },
];

/**
 * Replays one window of the dated lists under `dataDir` through a store of its own in a temporary folder, which is removed afterwards.
 * @param options.window as in the file names, such as 2026q3
 * @throws Error when the folder holds no series of that window
 */
export async function openReplay(
  dataDir: string,
  options: { readonly window: string; readonly stepMs: number; readonly warmUpMs: number; readonly progress?: (at: UnixMs, runs: number) => void },
): Promise<ReplayReport> {
  const series: ReplaySeries[] = [];
  for (const [name, source] of Object.entries(SERIES)) {
    const path = join(dataDir, 'feeds', 'history', `${name}.${options.window}.feedlog.jsonl.gz`);
    if (existsSync(path)) series.push({ source, runs: replayFeedlog(textOf(path), source.riskType)[Symbol.iterator]() });
  }
  if (series.length === 0) throw new Error(`${dataDir} holds no dated lists of window ${options.window}`);
  const folder = mkdtempSync(join(tmpdir(), 'pulse-replay-'));
  const store = new SqliteHistory(join(folder, 'evidence.db'));
  try {
    return await replay(store, { ...options, series, knownGood: knownGood(dataDir) });
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

const textOf = (path: string): string => (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString('utf8');

function knownGood(dataDir: string): KnownGood[] {
  return KNOWN_GOOD.map(({ name, relay, files, column }) => {
    const addresses: Address[] = [];
    for (const path of files.map((file) => join(dataDir, file)).filter((file) => existsSync(file))) {
      for (const line of textOf(path).split('\n')) {
        const prefix = parsePrefix(column.exec(line.trim())?.[1] ?? '');
        if (prefix !== undefined) addresses.push(prefix);
      }
    }
    return { name, relay, addresses };
  });
}
