export const ENDPOINTS = [
  'ip',
  'pulse',
  'ip-batch',
  'pulse-batch',
  'decide',
  'me',
  'phone-lookup',
  'phone-batch',
  'phone-meta',
  'mcp',
  'mcp-account',
  'evidence',
  'bouncer',
  'sandbox-ip',
  'sandbox-pulse',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
