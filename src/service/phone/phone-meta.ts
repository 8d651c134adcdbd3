import type { PhoneCoverage, PhoneLibraryCoverage, PhoneTags } from '../../contract/documents.ts';
import { PHONE_STALE_AFTER_DAYS } from '../../contract/phone.ts';
import {
  CARD_ATTRIBUTES,
  CARD_TYPES,
  DICTIONARY_VERSION,
  EVIDENCE_STATE_LABELS,
  LEVEL_RANGES,
  RISK_TAGS,
} from '../../core/phone/dictionary.ts';
import { loadInterval } from '../../core/phone/load-interval.ts';
import type { UnixMs } from '../../core/units.ts';
import { type PhoneData, problemOf } from './lookup-phone.ts';
import { type LibraryState, type LoadTimes, versionsOf } from './phone-libraries.ts';

export const phoneTags = (requestId: string): PhoneTags => ({
  version: DICTIONARY_VERSION,
  risk_tags: RISK_TAGS.map(({ code, slug, label, description }) => ({ code, slug, label, description })),
  card_attributes: CARD_ATTRIBUTES,
  card_types: CARD_TYPES,
  evidence_states: EVIDENCE_STATE_LABELS,
  levels: LEVEL_RANGES,
  meta: { request_id: requestId },
});

export async function phoneCoverage(data: PhoneData, requestId: string): Promise<PhoneCoverage> {
  const states = await statesOf(data);
  return {
    libraries: states.map(coverageOf),
    stale_after_days: PHONE_STALE_AFTER_DAYS,
    segments: { version: data.segments.version, records: data.segments.records },
    meta: { request_id: requestId, data_version: versionsOf(states) },
  };
}

async function statesOf(data: PhoneData): Promise<readonly LibraryState[]> {
  try {
    return await data.libraries.state();
  } catch (error) {
    throw problemOf(error);
  }
}

const iso = (at: UnixMs): string => new Date(at).toISOString();

function coverageOf(state: LibraryState): PhoneLibraryCoverage {
  const cadence = cadenceOf(state.loads);
  return {
    library: state.library,
    records: state.records,
    data_version: state.dataVersion,
    last_full_at: iso(state.lastFullAt),
    ...(state.lastIncrementAt === undefined ? {} : { last_increment_at: iso(state.lastIncrementAt) }),
    ...(Object.keys(cadence).length === 0 ? {} : { cadence }),
  };
}

function cadenceOf(loads: LoadTimes): NonNullable<PhoneLibraryCoverage['cadence']> {
  const full = loadInterval(loads.full);
  const increment = loadInterval(loads.increments);
  return { ...(full === undefined ? {} : { full }), ...(increment === undefined ? {} : { increment }) };
}
