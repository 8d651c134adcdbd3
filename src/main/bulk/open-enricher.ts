import { localPools } from '../../adapters/data-folder/local-pools.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { HttpVerdicts } from '../../adapters/verdicts/http-verdicts.ts';
import type { Config } from '../../config.ts';
import { BlockEnricher, type EnrichPlan } from '../../core/enrich/block-enricher.ts';
import { GatheredSuffixes } from '../../core/enrich/gathered-suffixes.ts';
import { needsProfessional } from '../../core/fields/field-path.ts';
import type { UnixMs } from '../../core/units.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import { PastVerdicts } from '../../service/lookup/past-verdicts.ts';
import type { VerdictSource } from '../../service/lookup/verdict-source.ts';
import { type HistoryStore, isDegraded } from '../../service/ports.ts';
import type { EnrichOptions } from './enrich-options.ts';
import { type Enricher, enrichInThread, enrichInTurns, enrichThreads } from './enrich-threads.ts';
import { type LocalImages, localImages, openImages, planText } from './local-enricher.ts';

export interface OpenedEnricher {
  readonly enricher: Enricher;
  readonly lacksEvidence: () => boolean;
  readonly images?: LocalImages;
}

export async function openEnricher(
  config: Config,
  options: EnrichOptions & { readonly jobs: number },
  plan: EnrichPlan,
  now: UnixMs,
): Promise<OpenedEnricher> {
  const { server, moment, signal, onWait } = options;
  const professional = needsProfessional(plan.fields) || moment !== undefined;
  if (server !== undefined) {
    const at = typeof moment === 'number' ? new Date(moment).toISOString() : undefined;
    const verdicts = new HttpVerdicts({ ...server, professional, at, signal, onWait });
    return { enricher: gathering(plan, verdicts), lacksEvidence: () => verdicts.degraded };
  }
  const store = await openHistory(config);
  if (moment !== undefined) return await openPast(config, store, plan, { now, moment });
  try {
    const images = await localImages(config, store, now);
    const local = { plan, images, at: now, pools: professional ? localPools(config) : undefined };
    return {
      enricher: options.jobs > 1 ? enrichThreads(local, options.jobs) : enrichInThread(local),
      lacksEvidence: () => images.degraded,
      images,
    };
  } finally {
    await store.close();
  }
}

async function openPast(
  config: Config,
  store: HistoryStore,
  plan: EnrichPlan,
  { now, moment }: { readonly now: UnixMs; readonly moment: UnixMs | 'line' },
): Promise<OpenedEnricher> {
  const images = await localImages(config, store, now);
  const fixed = moment === 'line' ? undefined : moment;
  const degraded = isDegraded(await store.leftOutAt(fixed ?? now));
  const pulse = new PulseLookup({
    history: config.history ? store : undefined,
    ...localPools(config),
  });
  const past = new PastVerdicts({ pulse, ...openImages(images), now, moment: fixed });
  const close = async () => await store.close();
  return {
    enricher: gathering(plan, past, { isByTime: moment === 'line', close }),
    lacksEvidence: () => degraded,
    images,
  };
}

function gathering(
  plan: EnrichPlan,
  source: VerdictSource,
  {
    isByTime = false,
    close = async () => {},
  }: { readonly isByTime?: boolean; readonly close?: () => Promise<void> } = {},
): Enricher {
  const suffixes = new GatheredSuffixes(planText(plan), isByTime);
  const enricher = enrichInTurns(new BlockEnricher(plan, suffixes, Buffer.allocUnsafeSlow), async (block) => {
    const missing = suffixes.missing(block, plan.layout);
    suffixes.take(missing, await source.verdictsOf(missing));
  });
  return { ...enricher, close };
}
