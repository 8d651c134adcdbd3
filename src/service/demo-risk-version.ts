export const DEMO_RISK_VERSION = 'demo';
