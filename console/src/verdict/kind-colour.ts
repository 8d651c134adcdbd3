import type { RiskType } from '../../../src/contract/risk.ts';
import { RISK_TYPE_ROWS } from '../../../src/contract/risk-types.ts';

/** The colour of a risk type. */
export const kindColour = (type: RiskType): string => `var(--mantine-color-${RISK_TYPE_ROWS[type].colour}-6)`;
