import type { PhoneDataVersion } from '../../contract/documents.ts';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../units.ts';

/** A record's statement about the card itself; it wins over the segment table. Codes are those of the dictionary. */
export interface CardFacts {
  /** ISO 3166-2. */
  readonly province?: string;
  /** GB/T 2260. */
  readonly cityCode?: string;
  readonly carrier?: string;
  readonly attribute?: number;
  readonly cardType?: number;
}

/** One library's record of one number. Times are whole seconds. */
export interface PhoneEntry {
  /** 0 to 9, as the data source gives it; absent when it gives none. */
  readonly risk?: number;
  /** Primary tag first, then ascending, none twice. */
  readonly tags: readonly number[];
  /** Absent when the source does not state it: a first reading is not a first sight. */
  readonly firstSeen?: UnixMs;
  readonly lastActive: UnixMs;
  readonly observedDays?: number;
  readonly card?: CardFacts;
}

export interface PhoneFinding {
  readonly library: PhoneLibraryName;
  readonly entry: PhoneEntry;
}

/** Answers of both libraries about several numbers at one moment: `findings[i]` belongs to the i-th number asked for; empty = in neither. */
export interface PhoneAnswer {
  readonly dataVersion: PhoneDataVersion;
  readonly findings: readonly (readonly PhoneFinding[])[];
}
