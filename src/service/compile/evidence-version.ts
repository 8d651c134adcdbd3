import type { EvidenceHead } from '../ports.ts';

/**
 * data_version.risk: date and time of the newest capture of any source, and the number of the newest batch,
 * so that two states never share a name.
 */
export function evidenceVersion({ latestAt, sequence }: EvidenceHead): string {
  if (latestAt === undefined) return sequence === 0 ? 'none' : `empty.${sequence}`;
  return `${new Date(latestAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.${sequence}`;
}
