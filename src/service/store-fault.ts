/** Why a store over the network or on this disk cannot be used now, for metrics: a bounded set of labels. */
export const STORE_FAULTS = [
  'unreachable',
  'unknown_host',
  'no_answer',
  'credentials',
  'no_database',
  'no_right',
  'connections_used_up',
  'memory_used_up',
  'disk',
  'read_only',
  'starting',
  'stopped',
  'cluster',
  'other',
] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];
