import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import type { RiskType } from '../../src/contract/risk.ts';
import { DAY_MS } from '../../src/core/units.ts';
import { readSeries } from '../replay/read-series.ts';
import { type ReplayReport, type ReplayRun, type ReplaySeries, replaySeries } from '../replay/replay-series.ts';

/** The replay of all series of one risk type whose times overlap. */
export interface SurvivalReport {
  readonly riskType: RiskType;
  readonly sources: readonly string[];
  readonly replay: ReplayReport;
}

interface LoadedSeries {
  readonly source: ReplaySeries['source'] & { readonly riskType: RiskType };
  readonly runs: readonly ReplayRun[];
}

/**
 * Replays the histories in the folders, each risk type and each stretch of time by itself.
 * @param stepDays days between samples
 */
export async function measureSurvival(folders: readonly string[], stepDays: number): Promise<readonly SurvivalReport[]> {
  const loaded: LoadedSeries[] = [];
  for (const folder of folders) {
    const { series } = await scanMirror(folder);
    if (!series.some(({ kind }) => kind === 'feedlog')) continue;
    for (const { source, runs } of await readSeries(folder)) {
      const list = [...{ [Symbol.iterator]: () => runs }];
      if (source.riskType !== undefined && list.length > 1) loaded.push({ source: { ...source, riskType: source.riskType }, runs: list });
    }
  }
  const reports: SurvivalReport[] = [];
  for (const group of groupsOf(loaded)) reports.push(await replay(group, stepDays));
  return reports;
}

/** Series of one type whose times overlap, oldest first. */
function groupsOf(series: readonly LoadedSeries[]): readonly (readonly LoadedSeries[])[] {
  const sorted = [...series].sort((a, b) =>
    a.source.riskType < b.source.riskType ? -1 : a.source.riskType > b.source.riskType ? 1 : a.runs[0]!.at - b.runs[0]!.at,
  );
  const groups: LoadedSeries[][] = [];
  for (const one of sorted) {
    const group = groups.at(-1);
    const end = Math.max(...(group ?? []).map(({ runs }) => runs.at(-1)!.at));
    if (group !== undefined && group[0]!.source.riskType === one.source.riskType && one.runs[0]!.at <= end) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

async function replay(group: readonly LoadedSeries[], stepDays: number): Promise<SurvivalReport> {
  const temporary = mkdtempSync(join(tmpdir(), 'pulse-accuracy-'));
  const store = new SqliteHistory(join(temporary, 'evidence.db'));
  try {
    const series = group.map(({ source, runs }) => ({ source, runs: runs[Symbol.iterator]() }));
    const report = await replaySeries(store, { series, knownGood: [], stepMs: stepDays * DAY_MS, warmUpMs: 14 * DAY_MS });
    return { riskType: group[0]!.source.riskType, sources: group.map(({ source }) => source.id), replay: report };
  } finally {
    await store.close();
    rmSync(temporary, { recursive: true });
  }
}
