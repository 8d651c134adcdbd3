import { isDemoFolder } from '../../adapters/data-folder/is-demo-folder.ts';
import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/catalogue.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { shareImage } from '../../adapters/snapshots/image-folder.ts';
import { openShared, type SharedImage } from '../../adapters/snapshots/published-images.ts';
import { randomHashSeed } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import { BlockEnricher, type EnrichOutput, type EnrichPlan } from '../../core/enrich/block-enricher.ts';
import { outputFormat } from '../../core/enrich/conversion.ts';
import { type SuffixText, suffixText } from '../../core/enrich/suffix-text.ts';
import { VerdictSuffixes } from '../../core/enrich/verdict-suffixes.ts';
import { type PeriodTable, PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import { release } from '../../core/kit/release.ts';
import { type KnownGoodSet, withOverrides } from '../../core/risk/known-good.ts';
import { type Override, overridesOf } from '../../core/risk/override.ts';
import type { UnixMs } from '../../core/units.ts';
import { createDataView } from '../../engine/create-data-view.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import { LocalVerdicts } from '../../service/lookup/local-verdicts.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import type { PoolOptions } from '../../service/lookup/pool-handles.ts';
import { type HistoryLog, type HistoryPast, isDegraded, type LookupView } from '../../service/ports.ts';
import { localImagePath } from '../place-data/local-image-path.ts';

export interface LocalEnrichOptions {
  readonly plan: EnrichPlan;
  readonly images: LocalImages;
  readonly at: UnixMs;
  /** Keys the pool handles of the professional document; undefined: the basic one is enough. */
  readonly pools: PoolOptions | undefined;
}

export interface EnrichCall {
  readonly block: Uint8Array<ArrayBuffer>;
  readonly isFirst: boolean;
  readonly spare: Uint8Array<ArrayBuffer> | undefined;
}

export interface EnrichReply extends EnrichOutput {
  readonly block: Uint8Array<ArrayBuffer>;
}

export function localEnricher({ plan, images, at, pools }: LocalEnrichOptions): BlockEnricher {
  const pulse = pools && new PulseLookup({ history: undefined, ...pools });
  const verdicts = new LocalVerdicts({ ...openImages(images), at, pulse, fields: plan.fields });
  return new BlockEnricher(
    plan,
    new VerdictSuffixes(verdicts, planText(plan), !plan.fields.includes('ip')),
    Buffer.allocUnsafeSlow,
  );
}

export function planText({ layout, form, fields }: EnrichPlan): SuffixText {
  const format = outputFormat(layout, form);
  return suffixText({ format, separator: format === layout.format ? layout.separator : COMMA }, fields);
}

const COMMA = 44;

export interface LocalImages {
  readonly geo: SharedImage;
  readonly evidence: SharedImage;
  readonly degraded: boolean;
  /** Replaces the version of the evidence; undefined keeps its own. */
  readonly riskVersion: string | undefined;
  readonly overrides: readonly Override[];
  readonly knownGood: PeriodTable<KnownGoodSet>;
}

/**
 * Opens the lookup data without a server, even while one runs: the compiled image of places and networks,
 * which is built if missing, and the last image of evidence with everything accepted since. The evidence
 * store and its image stay unchanged.
 */
export async function localImages(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  store: HistoryPast & HistoryLog,
  at: UnixMs,
): Promise<LocalImages> {
  const path = await localImagePath(config.dataDir, at);
  const { image, file } = await currentEvidence(config, store, at);
  return {
    geo: { path },
    evidence: file ?? moved(new Uint8Array(image.image.buffer)),
    degraded: isDegraded(await store.leftOutAt(at)),
    riskVersion: isDemoFolder(config) ? DEMO_RISK_VERSION : undefined,
    overrides: await loadOverrides(config),
    knownGood: loadKnownGood().table,
  };
}

function moved(bytes: Uint8Array): SharedArrayBuffer {
  const shared = shareImage(bytes);
  release(bytes);
  return shared;
}

export function openImages({ geo: place, evidence, degraded, riskVersion, overrides, knownGood }: LocalImages): {
  readonly geo: GeoImage;
  readonly view: LookupView;
} {
  const geo = openGeo(openShared(place, 'geo'));
  const view = createDataView(
    geo,
    new LiveEvidence(openEvidence(openShared(evidence, 'evidence')), randomHashSeed()),
    degraded,
    withOverrides(loadProtection(publishedSources(), new PrefixPeriods(knownGood)), overridesOf(overrides)),
  );
  return {
    geo,
    view: riskVersion === undefined ? view : { ...view, dataVersion: { ...view.dataVersion, risk: riskVersion } },
  };
}
