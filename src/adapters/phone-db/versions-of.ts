import type { PhoneDataVersion } from '../../contract/documents.ts';
import type { LibraryState } from '../../service/phone/phone-libraries.ts';

/** The versions that an answer states: of the full loads, then of the increments since. */
export function versionsOf(
  states: readonly Pick<LibraryState, 'library' | 'dataVersion' | 'minuteVersion'>[],
): PhoneDataVersion {
  const out: Record<string, string> = {};
  for (const { library, dataVersion } of states) out[library] = dataVersion;
  for (const { library, minuteVersion } of states)
    if (minuteVersion !== undefined) out[`${library}_minute`] = minuteVersion;
  return out as unknown as PhoneDataVersion;
}
