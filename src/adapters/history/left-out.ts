import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { type LeftOut, NO_SOURCES, type SourcesNote } from '../../service/ports.ts';

/** Who notes which sources are left out does so once a minute; after this long without a note it is not known what verdicts lack. */
const SILENT_MS = 5 * MINUTE_MS;

/** What holds from `at` until the next row. `sources`: the note as JSON; null: no notes came. */
export interface LeftOutRow {
  readonly at: number;
  readonly sources: string | null;
}

/** The same text for the same note. */
export function noteText(note: SourcesNote | undefined): string {
  const { ids, retired, expected, since } = note ?? NO_SOURCES;
  return JSON.stringify({ ids: [...ids].sort(), retired: [...retired].sort(), expected, since } satisfies {
    [K in keyof SourcesNote]: unknown;
  });
}

/**
 * The rows that a note adds: one at every change, and one where the notes before it stopped for a while.
 * @param known the newest row and the time of the newest note; undefined where there are none
 */
export function rowsOfNote(
  known: { readonly newest: LeftOutRow | undefined; readonly heardAt: number | undefined },
  text: string,
  at: UnixMs,
): readonly LeftOutRow[] {
  const { newest, heardAt } = known;
  const silent =
    heardAt !== undefined && heardAt + SILENT_MS < at ? [{ at: heardAt + SILENT_MS + 1, sources: null }] : [];
  return silent.length === 0 && newest?.sources === text ? [] : [...silent, { at, sources: text }];
}

/**
 * What was left out at a moment.
 * @param row the newest one up to the moment; without one, `any` says whether there are later ones
 */
export function leftOutOf(
  row: LeftOutRow | undefined,
  any: boolean,
  heardAt: number | undefined,
  at: UnixMs,
): LeftOut | undefined {
  if (row === undefined) return any ? { ...NO_SOURCES, silent: true } : undefined;
  const silent = row.sources === null || (heardAt !== undefined && at > heardAt + SILENT_MS);
  return { ...(row.sources === null ? NO_SOURCES : (JSON.parse(row.sources) as SourcesNote)), silent };
}
