import { fault } from '../../../core/texts/fault.ts';
/** Why a store with tables of another layout is not opened. @param where it is */
export const otherRelease = (where: string): Error =>
  fault('{where} was written by another release of pulse; use that release', { where });
