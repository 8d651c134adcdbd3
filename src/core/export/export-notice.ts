import type { UnixMs } from '../units.ts';
import type { ExportFilter, GeoSchema } from './export-record.ts';

export interface NoticeSource {
  readonly id: string;
  readonly licence: string;
  readonly attribution: string;
}

/** `ownLayers`: the operator added these layers, so their licences are unknown here. */
export interface GeoNotice {
  readonly moment: UnixMs;
  readonly dataVersion: { readonly geo: string };
  readonly families: readonly (4 | 6)[];
  readonly networkSources: readonly NoticeSource[];
  readonly ownLayers: readonly string[];
}

/**
 * - `own`: true where evidence of the operator's own collection counts.
 * - `leftOut`: the evidence of these sources does not count, because it may not be passed on.
 * - `includesFetchOnly`: true where sources that may not be passed on count as well: the file must stay where it is.
 */
export interface ExportNotice extends Omit<GeoNotice, 'ownLayers'> {
  readonly moment: UnixMs;
  readonly dataVersion: { readonly risk: string; readonly geo: string };
  readonly parametersVersion: string;
  readonly degraded: boolean;
  readonly filter: ExportFilter;
  readonly sources: readonly NoticeSource[];
  readonly own: boolean;
  readonly leftOut: readonly NoticeSource[];
  readonly includesFetchOnly: boolean;
  readonly networkSources: readonly NoticeSource[];
}

export function geoNoticeLines(
  schema: GeoSchema,
  { moment, dataVersion, families, networkSources, ownLayers }: GeoNotice,
): readonly string[] {
  return [
    `Pulse ${schema === 'city' ? 'places' : 'AS numbers'} of ${new Date(moment).toISOString()}`,
    `data version: geo ${dataVersion.geo}`,
    `content: ${families.map((family) => `IPv${family}`).join(' and ')}`,
    ownLayers.length === 0
      ? 'licence: may be passed on with these notices'
      : `licence: holds layers that the operator added (${ownLayers.join(', ')}); their licences say whether this file may be passed on`,
    ...networkSources.map((source) => `network data: ${sourceText(source)}`),
  ].map(oneLine);
}

export function noticeLines(notice: ExportNotice): readonly string[] {
  const {
    moment,
    dataVersion,
    parametersVersion,
    degraded,
    families,
    filter,
    sources,
    own,
    leftOut,
    includesFetchOnly,
    networkSources,
  } = notice;
  return [
    `Pulse verdicts of ${new Date(moment).toISOString()}`,
    'A verdict holds for its moment: scores fall with the age of their evidence. An address that is not listed is not known to be safe.',
    `data version: risk ${dataVersion.risk}, geo ${dataVersion.geo}; score parameters version ${parametersVersion}`,
    ...(degraded ? ['degraded: sources of evidence were late or missing'] : []),
    `content: ${families.map((family) => `IPv${family}`).join(' and ')}, ${filterText(filter)}`,
    includesFetchOnly
      ? 'licence: holds evidence or network data that publishers do not allow to be passed on; do not redistribute this file'
      : 'licence: may be passed on with these notices; evidence of sources that do not allow it is left out, as if it had never been captured',
    ...sources.map((source) => `source: ${sourceText(source)}`),
    ...(own ? ['source: own collection of the operator'] : []),
    ...networkSources.map((source) => `network data: ${sourceText(source)}`),
    ...leftOut.map((source) => `left out: ${sourceText(source)}`),
  ].map(oneLine);
}

const sourceText = ({ id, licence, attribution }: NoticeSource): string =>
  [id, licence, attribution].filter((part) => part !== '').join('; ');

function filterText({ minScore, levels, states, signals, maxTier, actions }: ExportFilter): string {
  const parts = [
    minScore > 0 ? `score from ${minScore}` : '',
    levels === undefined ? '' : `level ${levels.join(' or ')}`,
    states === undefined ? '' : `evidence ${states.join(' or ')}`,
    signals === undefined ? '' : `signal ${signals.join(' or ')}`,
    maxTier === undefined ? '' : `network up to ${maxTier}`,
    actions === undefined ? '' : `order ${actions.join(' or ')}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'every address with evidence' : parts.join(', ');
}

/** Operators name their layers, so a name must not be able to end a comment. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
