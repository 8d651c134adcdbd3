import { BlockEnricher, type EnrichOutput, type EnrichPlan } from '../../core/enrich/block-enricher.ts';
import { outputFormat } from '../../core/enrich/conversion.ts';
import { type SuffixText, suffixText } from '../../core/enrich/suffix-text.ts';
import { VerdictSuffixes } from '../../core/enrich/verdict-suffixes.ts';
import type { UnixMs } from '../../core/units.ts';
import { LocalVerdicts } from '../../service/lookup/local-verdicts.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import type { PoolOptions } from '../../service/lookup/pool-handles.ts';
import { type LocalImages, openImages } from './local-images.ts';

export interface LocalEnrichOptions {
  readonly plan: EnrichPlan;
  readonly images: LocalImages;
  readonly at: UnixMs;
  /** Keys the pool handles of the professional document; undefined: the basic one is enough. */
  readonly pools: PoolOptions | undefined;
}

/** A block and spare memory, which both move to the thread. */
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

/** Returns the fields of a plan in the form that it writes. */
export function planText({ layout, form, fields }: EnrichPlan): SuffixText {
  const format = outputFormat(layout, form);
  return suffixText({ format, separator: format === layout.format ? layout.separator : COMMA }, fields);
}

const COMMA = 44;
