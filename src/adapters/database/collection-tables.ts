export interface CollectionTables {
  /** `seen_at` and `clock_offset_ms` come from sources whose requests carry their time of sending. */
  collection_sources: {
    source: string;
    accepted_at: number | null;
    captured_at: number | null;
    accepted: number;
    refused: number;
    seen_at: number | null;
    clock_offset_ms: number | null;
  };
  collection_hours: { source: string; hour: number; captures: number; connections: number };
  collection_ports: { day: number; protocol: string; port: number; connections: number };
  /** The newest captures in ascending `id`. `port` is -1 where there is none. */
  collection_newest: {
    id: number;
    at: number;
    ip: string;
    source: string;
    risk_type: string;
    protocol: string;
    port: number;
  };
  /** A single row with id 1 holds the newest id of `collection_newest`. Updating it serialises writers. */
  collection_counter: { id: number; newest: number };
}
