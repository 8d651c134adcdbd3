import type { DivisionTable } from '../../core/place/divisions.ts';
import { shippedTable } from './tables.ts';

export const chineseDivisions = (): ReadonlyMap<string, string> =>
  new Map(shippedTable<DivisionTable>('gb2260').divisions.map(([code, chinese]) => [code, chinese]));
