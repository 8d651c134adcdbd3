/** Why a store with tables of another layout is not opened. @param where it is */
export const otherRelease = (where: string): Error =>
  new Error(`${where} was written by another release of pulse; use that release`);
