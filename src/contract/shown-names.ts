import type { Signal } from './risk.ts';

export interface ShownAddress {
  readonly known_as?: { readonly what: string; readonly what_zh: string; readonly scanner?: true };
  readonly shared_by?: 'tor' | 'relay';
  /** The operator's correction in force: its moments. */
  readonly corrected?: { readonly from: string; readonly until: string };
}

/**
 * Body of GET /console/api/names, public: pages show these names next to codes. A name that does not exist or
 * was not requested is absent. With addresses come the names of their AS and places.
 */
export interface ShownNames {
  readonly as_names?: Readonly<Record<string, string>>;
  readonly addresses?: Readonly<Record<string, ShownAddress>>;
  readonly divisions?: Readonly<Record<string, string>>;
}

/** An address whose score is high now, which the start page shows as an example. */
export interface HighExample extends Pick<ShownAddress, 'shared_by'> {
  readonly ip: string;
  readonly score: number;
  readonly signals: readonly Signal[];
}
