/** Version of the evidence of a demonstration. */
export const DEMO_RISK_VERSION = 'demo';
