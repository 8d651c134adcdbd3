import type { RiskType } from '../../contract/risk.ts';
import { unixMs } from '../../core/units.ts';
import type { SourceHealth } from '../../service/ports.ts';

/** A row of the table of sources. */
export interface HealthRow {
  readonly name: string;
  readonly risk_type: RiskType | null;
  readonly last_run_at: number | null;
  readonly last_error_at: number | null;
  readonly rows: number;
}

/** Whether a source is overdue is the catalogue of feeds' to judge. */
export const healthOf = (row: HealthRow): SourceHealth => ({
  id: row.name,
  ...(row.risk_type === null ? {} : { riskType: row.risk_type }),
  ...(row.last_run_at === null ? {} : { lastRunAt: unixMs(row.last_run_at) }),
  ...(row.last_error_at === null ? {} : { lastErrorAt: unixMs(row.last_error_at) }),
  rows: row.rows,
  overdue: false,
});
