import type { RiskType } from '../../contract/risk.ts';
import { feedById } from './catalogue.ts';

/** Captures of a published list become this risk type where network data allows it. */
export function derivedBy(source: string): RiskType | undefined {
  const effect = feedById(source)?.effect;
  return effect?.kind === 'risk' ? effect.derives : undefined;
}
