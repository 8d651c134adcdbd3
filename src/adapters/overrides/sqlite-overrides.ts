import type { DatabaseSync } from 'node:sqlite';
import type { Selectable } from 'kysely';
import type { RiskType } from '../../contract/risk.ts';
import type { Override } from '../../core/risk/override.ts';
import { unixMs } from '../../core/units.ts';
import type { OverrideTables } from '../database/tables.ts';

export const OVERRIDE_KIND = 'override';

export type OverrideRow = Selectable<OverrideTables['overrides']>;

export const overrideOf = (row: OverrideRow): Override => ({
  id: row.id,
  prefix: row.prefix,
  from: unixMs(row.created_at),
  until: unixMs(Math.min(row.until_at, row.removed_at ?? row.until_at)),
  ...(row.deny !== null && { deny: row.deny as RiskType }),
  reason: row.reason,
});

export const sqliteOverrides = (database: DatabaseSync): readonly Override[] =>
  (database.prepare('select * from overrides').all() as unknown as OverrideRow[]).map(overrideOf);
