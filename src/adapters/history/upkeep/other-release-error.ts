import { fault } from '../../../core/texts/fault.ts';
/** Error for a store whose tables have another layout. @param where path or URL of the store */
export const otherReleaseError = (where: string): Error =>
  fault('{where} was written by another release of pulse; use that release', { where });
