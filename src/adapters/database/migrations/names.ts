import { type Fault, fault } from '../../../core/texts/fault.ts';

/**
 * The names stand in order in a file of their own, so that a start can check them without loading the
 * migrations.
 */
export const MIGRATION_NAMES = ['0001-tables'] as const;

/** @param migration an applied one that this release does not know */
export const otherReleaseFault = (place: string, migration: string): Fault =>
  fault('{place} was written by another release of pulse (its tables are those of {migration}); use that release', {
    place,
    migration,
  });
