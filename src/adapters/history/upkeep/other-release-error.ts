import { fault } from '../../../core/texts/fault.ts';
export const otherReleaseError = (where: string): Error =>
  fault('{where} was written by another release of pulse; use that release', { where });
