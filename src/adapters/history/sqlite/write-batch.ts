import type { UnixMs } from '../../../core/units.ts';
import type { Catalogue, Series, SourceEntry } from '../catalogue.ts';
import type { ChangeLog } from '../change-log.ts';
import type { JudgedBatch } from '../judge-batch.ts';
import { compareKeys, keyOfRow, type PrefixKey } from '../prefix-key.ts';
import type { ReceivedBatch, WrittenBatch } from '../receive-captures.ts';
import { recordPresence } from './record-run.ts';
import type { Statements } from './statements.ts';

/**
 * Writes the rows of one batch that were accepted: entries of a run into presence intervals, rows with times of their own into events. Inside a write
 * transaction; the run
 * must not be among the source's runs yet unless it is read a second time.
 * @param changes takes how the source's live rows changed
 */
export function writeBatch(
  { statements, catalogue }: { readonly statements: Statements; readonly catalogue: Catalogue },
  entry: SourceEntry,
  { batch, source, runAt }: ReceivedBatch,
  judged: JudgedBatch,
  tracks: ReadonlyMap<number, Series>,
  changes: ChangeLog,
): WrittenBatch {
  const { rows, times, codes } = judged;
  const events = new EventWriter(statements, changes);
  const entries = new Map<Series, PrefixKey[]>();
  const eventTrack = new Map<Series, Series>();
  for (const row of rows) {
    const key = keyOfRow(batch, row);
    const track = tracks.get(codes[row]!)!;
    if (!Number.isNaN(times[row]!)) {
      events.add(key, track, times[row] as UnixMs);
      continue;
    }
    if (track.presence) eventTrack.set(track, tracks.get(codes[row]! - 1)!);
    hold(entries, track, key);
  }
  if (runAt === undefined) return { rows: rows.length, added: events.added, ended: 0, newest: events.newest() };
  const appearance = source.mode === 'appearance';
  const held = catalogue.seriesOf(entry, appearance);
  const spells = recordPresence(statements, entry.runs, held, entries, runAt, appearance ? undefined : changes);
  if (appearance) for (const { track, prefix } of spells.appeared) events.add(prefix, eventTrack.get(track)!, runAt);
  return {
    rows: rows.length,
    added: appearance ? events.added : spells.added,
    ended: spells.ended,
    newest: events.newest(runAt),
  };
}

class EventWriter {
  readonly #statements: Statements;
  readonly #changes: ChangeLog;
  added = 0;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(statements: Statements, changes: ChangeLog) {
    this.#statements = statements;
    this.#changes = changes;
  }

  add(key: PrefixKey, track: Series, at: UnixMs): void {
    const insert = this.#statements.get('insert or ignore into events (prefix, track, at) values (?, ?, ?)');
    if (insert.run(key, track.id, at).changes === 0) return;
    this.added++;
    this.#changes.captured(key, track.id, at);
    this.#note(at);
  }

  /** Time of the newest new event, or of the run where there is a newer one. */
  newest(runAt?: UnixMs): UnixMs | undefined {
    if (runAt !== undefined) this.#note(runAt);
    return Number.isFinite(this.#newest) ? (this.#newest as UnixMs) : undefined;
  }

  #note(at: UnixMs): void {
    if (at > this.#newest) this.#newest = at;
  }
}

function hold(entries: Map<Series, PrefixKey[]>, track: Series, key: PrefixKey): void {
  const held = entries.get(track);
  if (held === undefined) entries.set(track, [key]);
  else if (compareKeys(held[held.length - 1]!, key) !== 0) held.push(key);
}
