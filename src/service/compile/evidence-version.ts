import type { EvidenceHead } from '../ports.ts';

/** Version of evidence where nothing was ever taken in. */
export const NO_EVIDENCE_VERSION = 'none';

/**
 * data_version.risk: date and time of the newest capture of any source, and the number of the newest batch,
 * so that two states never share a name.
 */
export function evidenceVersion({ latestAt, sequence }: EvidenceHead): string {
  if (latestAt === undefined) return sequence === 0 ? NO_EVIDENCE_VERSION : `empty.${sequence}`;
  return `${new Date(latestAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.${sequence}`;
}
