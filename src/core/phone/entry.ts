import type { PhoneDataVersion } from '../../contract/documents.ts';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../units.ts';

/**
 * A record's own facts about the card take precedence over the segment table. Codes are those of the
 * dictionary.
 */
export interface CardFacts {
  readonly province?: string;
  readonly cityCode?: string;
  readonly carrier?: string;
  readonly attribute?: number;
  readonly cardType?: number;
}

/** Times are whole seconds. */
export interface PhoneEntry {
  readonly risk?: number;
  /** The codes are distinct: the primary tag, then the others ascending. */
  readonly tags: readonly number[];
  /** Absent if the source does not state it: the time of our first reading does not replace it. */
  readonly firstSeen?: UnixMs;
  readonly lastActive: UnixMs;
  readonly observedDays?: number;
  readonly card?: CardFacts;
}

export interface PhoneFinding {
  readonly library: PhoneLibraryName;
  readonly entry: PhoneEntry;
}

/**
 * Findings of both libraries about several numbers at one moment. `findings[i]` belongs to the i-th number;
 * it is empty if neither library has it.
 */
export interface PhoneAnswer {
  readonly dataVersion: PhoneDataVersion;
  readonly findings: readonly (readonly PhoneFinding[])[];
}
