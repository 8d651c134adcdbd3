import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import type { RiskType } from '../../src/contract/risk.ts';
import type { EvidenceSource } from '../../src/core/evidence/observation.ts';
import { evidenceSourceOf } from '../../src/core/feeds/feed.ts';
import { replayFeedlog } from '../../src/core/feeds/feedlog.ts';
import { DAY_MS } from '../../src/core/units.ts';
import { bodyOf, type DatedSeries, datedSeries, LOG_BYTES } from './dated-series.ts';
import { type ReplayReport, type ReplaySeries, replaySeries } from './replay-series.ts';

/** The replay of all histories of one risk type whose times overlap. */
export interface SurvivalReport {
  readonly riskType: RiskType;
  readonly sources: readonly string[];
  readonly replay: ReplayReport;
}

interface TypedSeries extends DatedSeries {
  readonly source: EvidenceSource & { readonly riskType: RiskType };
}

/**
 * Replays the histories in the folders, each risk type and each stretch of time by itself. Dated files of a day each are left out.
 * @param stepDays days between samples
 */
export async function measureSurvival(
  folders: readonly string[],
  stepDays: number,
): Promise<readonly SurvivalReport[]> {
  const scans = await Promise.all(folders.map((folder) => scanMirror(folder)));
  const histories = scans.flatMap(({ series }) => series.filter(({ kind }) => kind === 'feedlog')).flatMap(datedSeries);
  const reports: SurvivalReport[] = [];
  for (const group of groupsOf(histories.flatMap(typed))) reports.push(await replay(group, stepDays));
  return reports;
}

function typed(series: DatedSeries): readonly TypedSeries[] {
  const source = evidenceSourceOf(series.file.feed);
  return source?.riskType === undefined ? [] : [{ ...series, source: { ...source, riskType: source.riskType } }];
}

/** Series of one type whose times overlap, oldest first. */
function groupsOf(series: readonly TypedSeries[]): readonly (readonly TypedSeries[])[] {
  const typeOf = ({ source }: TypedSeries): RiskType => source.riskType;
  const sorted = [...series].sort((a, b) => (typeOf(a) < typeOf(b) ? -1 : typeOf(a) > typeOf(b) ? 1 : a.from - b.from));
  const groups: TypedSeries[][] = [];
  for (const one of sorted) {
    const group = groups.at(-1);
    const isSame = group !== undefined && typeOf(group[0]!) === typeOf(one) && group.some(({ to }) => one.from <= to);
    if (isSame) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

async function replay(group: readonly TypedSeries[], stepDays: number): Promise<SurvivalReport> {
  const temporary = mkdtempSync(join(tmpdir(), 'pulse-accuracy-'));
  const store = new SqliteHistory(join(temporary, 'evidence.db'));
  try {
    const report = await replaySeries(store, {
      series: group.map(runsOf),
      stepMs: stepDays * DAY_MS,
      warmUpMs: 14 * DAY_MS,
    });
    return { riskType: group[0]!.source.riskType, sources: group.map(({ source }) => source.id), replay: report };
  } finally {
    await store.close();
    rmSync(temporary, { recursive: true });
  }
}

const runsOf = ({ source, file }: TypedSeries): ReplaySeries => ({
  source,
  runs: replayFeedlog(new TextDecoder().decode(bodyOf(file.path, LOG_BYTES)), { riskType: source.riskType })[
    Symbol.iterator
  ](),
});
