import { type Fault, fault } from '../../../core/texts/fault.ts';

/** Names of all migrations in order; apart from them, so that a start can tell that nothing is missing without loading the code that applies them. */
export const MIGRATION_NAMES = ['0001-tables'] as const;

/** @param migration one that was applied and that this release does not know */
export const ofAnotherRelease = (place: string, migration: string): Fault =>
  fault('{place} was written by another release of pulse (its tables are those of {migration}); use that release', {
    place,
    migration,
  });
