/** Names in Redis. All share one hash tag: a script changes several of them in one step. */
export const STREAM_KEYS = {
  stream: 'pulse:{intake}:stream',
  bytes: 'pulse:{intake}:bytes',
  aside: 'pulse:{intake}:aside',
  asideBytes: 'pulse:{intake}:aside-bytes',
  asideCount: 'pulse:{intake}:aside-count',
  /** Of a batch that its sender named. */
  name: (account: string, id: string): string => `pulse:{intake}:name:${account}:${id}`,
  /** Rows of a source in a window. */
  rows: (source: string, windowMs: number): string => `pulse:{intake}:rows:${windowMs}:${source}`,
} as const;

/** The consumer group of the nodes that store. */
export const GROUP = 'pulse';
