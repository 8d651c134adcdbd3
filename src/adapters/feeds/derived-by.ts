import type { RiskType } from '../../contract/risk.ts';
import { feedById } from './catalogue.ts';

export function derivedBy(source: string): RiskType | undefined {
  const effect = feedById(source)?.effect;
  return effect?.kind === 'risk' ? effect.derives : undefined;
}
