import { setTimeout } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { AccountStore, AuditEntry, CountedEvent } from './account-store.ts';

const ROWS_MAX = 200;

interface AuditFollowerOptions {
  readonly name: string;
  readonly begins: 'oldest' | 'next';
  /**
   * With `before`, one node receives each row at most once. With `after`, rows come at least once, and again
   * if `take` fails.
   */
  readonly moves: 'before' | 'after';
  readonly take: (rows: readonly AuditEntry[]) => Promise<void>;
}

export async function followAudit(
  store: Pick<AccountStore, 'audit' | 'auditAfter' | 'auditCursor' | 'moveAuditCursor'>,
  { name, begins, moves, take }: AuditFollowerOptions,
): Promise<void> {
  const from = await store.auditCursor(name);
  if (from === undefined) {
    const [newest] = begins === 'next' ? await store.audit({ limit: 1 }) : [];
    await store.moveAuditCursor(name, undefined, newest?.seq ?? 0);
    return;
  }
  const rows = await store.auditAfter(from, ROWS_MAX);
  const last = rows.at(-1);
  if (last === undefined) return;
  if (moves === 'before' && !(await store.moveAuditCursor(name, from, last.seq))) return;
  await take(rows);
  if (moves === 'after') await store.moveAuditCursor(name, from, last.seq);
}

export const AUDIT_DAYS = 400;

const SLICE = 1000;
const PAUSE_MS = 20;

export async function pruneAudit(store: Pick<AccountStore, 'pruneAudit'>, now: UnixMs, slice = SLICE): Promise<number> {
  const before = unixMs(now - AUDIT_DAYS * DAY_MS);
  let dropped = 0;
  for (;;) {
    const gone = await store.pruneAudit(before, slice);
    dropped += gone;
    if (gone < slice) return dropped;
    await setTimeout(PAUSE_MS);
  }
}

/** Beyond this many waiting events, further ones are counted without their subject. */
const KEPT_MAX = 10_000;
const BATCH = 100;

/**
 * Counts events in memory between writes. A flood of refusals then causes few writes, and a refusal takes
 * equally long for every account.
 * Events that could not be written wait for the next flush.
 */
export class EventTally {
  readonly #store: Pick<AccountStore, 'countEvents'>;
  #waiting = new Map<string, CountedEvent>();

  constructor(store: Pick<AccountStore, 'countEvents'>) {
    this.#store = store;
  }

  note(event: CountedEvent): void {
    const key = keyOf(event);
    if (this.#waiting.has(key) || this.#waiting.size < KEPT_MAX) this.#add(key, event);
    else {
      const other: CountedEvent = { ...event, actor: 'system', subject: 'others', detail: {} };
      this.#add(keyOf(other), other);
    }
  }

  async flush(): Promise<void> {
    const events = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (let from = 0; from < events.length; from += BATCH)
      try {
        await this.#store.countEvents(events.slice(from, from + BATCH));
      } catch (error) {
        for (const event of events.slice(from)) this.#add(keyOf(event), event);
        throw error;
      }
  }

  #add(key: string, event: CountedEvent): void {
    const known = this.#waiting.get(key);
    if (known === undefined) this.#waiting.set(key, event);
    else this.#waiting.set(key, { ...event, at: laterOf(known, event), counts: sumOf(known.counts, event.counts) });
  }
}

const keyOf = ({ action, actor, subject, detail, at }: CountedEvent): string =>
  JSON.stringify([action, actor, subject, detail, Math.floor(at / HOUR_MS)]);

const laterOf = (one: CountedEvent, two: CountedEvent): CountedEvent['at'] => (one.at > two.at ? one.at : two.at);

const sumOf = (one: CountedEvent['counts'], two: CountedEvent['counts']): CountedEvent['counts'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(two)])].map((name) => [name, (one[name] ?? 0) + (two[name] ?? 0)]),
  );
