import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { PhoneEntry } from '../../core/phone/entry.ts';
import { unixMs } from '../../core/units.ts';
import {
  LibraryUnavailable,
  type PhoneChange,
  type PhoneLibraries,
  type PhoneLibraryWriter,
} from '../../service/phone/phone-libraries.ts';
import { type NumberKey, numberKey } from './number-key.ts';

/** An implementation under test, with an empty store. */
export interface PhoneDbUnderTest {
  readonly writer: PhoneLibraryWriter;
  /** Creates a reader that sees all earlier writes. */
  reader(): Promise<PhoneLibraries>;
  /** Opens both sides of the same store with another key. */
  withKey(key: NumberKey): { readonly reader: PhoneLibraries; readonly writer: PhoneLibraryWriter };
  /** Makes the store unreachable for existing readers. */
  break(): Promise<void>;
  close(): Promise<void>;
}

const at = unixMs(Date.parse('2026-11-20T00:00:00Z'));
const entry = (over: Partial<PhoneEntry> = {}): PhoneEntry => ({
  risk: 7,
  tags: [103, 101, 417],
  firstSeen: unixMs(at - 86_400_000),
  lastActive: at,
  observedDays: 12,
  card: { province: 'CN-GD', cityCode: '440300', carrier: 'CUCC', attribute: 202, cardType: 302 },
  ...over,
});
const numberOf = (index: number): string => `861${String(3_000_000_000 + index * 7919).padStart(10, '0')}`;

const row = (index: number, over: Partial<PhoneEntry> = {}): PhoneChange => ({
  digits: numberOf(index),
  entry: entry(over),
});
const gone = (index: number): PhoneChange => ({ digits: numberOf(index), deleted: true });

async function* batches(...list: readonly (readonly PhoneChange[])[]): AsyncGenerator<readonly PhoneChange[]> {
  yield* list;
}

const of = async (reader: PhoneLibraries, digits: string, library: PhoneLibraryName = 'cn') =>
  (await reader.lookup([digits])).findings[0]?.find((finding) => finding.library === library)?.entry;

/** Guarantees of every implementation of the phone libraries. Each one's test runs them. */
export function phoneDbContract(name: string, open: () => Promise<PhoneDbUnderTest | { readonly skip: string }>): void {
  const guarantee = (title: string, run: (db: PhoneDbUnderTest) => Promise<void>): void => {
    test(`${name}: ${title}`, async (t) => {
      const db = await open();
      if ('skip' in db) return t.skip(db.skip);
      try {
        await run(db);
      } finally {
        await db.close();
      }
    });
  };
  const fill = async (db: PhoneDbUnderTest, cn: readonly PhoneChange[] = [], sg: readonly PhoneChange[] = []) => {
    await db.writer.replace('cn', batches(cn), { dataVersion: '20261120', at });
    await db.writer.replace('sg', batches(sg), { dataVersion: '20261119', at });
  };

  const grown = (db: PhoneDbUnderTest, dataVersion: string, ...changes: readonly PhoneChange[]) =>
    db.writer.apply('cn', batches(changes), { dataVersion, at });

  guarantee('an entry comes back with every field it went in with, and a bare one without any', async (db) => {
    const bare: PhoneEntry = { risk: 0, tags: [], lastActive: at };
    await fill(db, [{ digits: '8613800138000', entry: entry() }], [{ digits: '6591234567', entry: bare }]);
    const reader = await db.reader();
    assert.deepEqual(await of(reader, '8613800138000'), entry());
    assert.deepEqual(await of(reader, '6591234567', 'sg'), bare);
    await reader.close();
  });

  guarantee('every number of a batch is asked of both libraries, in order, duplicates included', async (db) => {
    await fill(
      db,
      [{ digits: '8613800138000', entry: entry() }],
      [{ digits: '8613800138000', entry: entry({ risk: 3 }) }],
    );
    const reader = await db.reader();
    const answer = await reader.lookup(['8613800138001', '8613800138000', '8613800138000']);
    assert.deepEqual(
      answer.findings.map((found) => found.map(({ library, entry: { risk } }) => [library, risk])),
      [
        [],
        [
          ['cn', 7],
          ['sg', 3],
        ],
        [
          ['cn', 7],
          ['sg', 3],
        ],
      ],
    );
    assert.deepEqual(answer.dataVersion, { cn: '20261120', sg: '20261119' });
    assert.deepEqual((await reader.lookup([])).findings, []);
    await reader.close();
  });

  guarantee('of two thousand numbers each is found and none of their neighbours is', async (db) => {
    const rows = Array.from({ length: 2000 }, (_, index): PhoneChange => row(index, { risk: index % 10 }));
    await db.writer.replace('cn', batches(rows.slice(0, 900), rows.slice(900)), { dataVersion: '1', at });
    await db.writer.replace('sg', batches(), { dataVersion: '1', at });
    const reader = await db.reader();
    const { findings } = await reader.lookup(rows.map(({ digits }) => digits));
    assert.ok(findings.every((found, index) => found.length === 1 && found[0]?.entry.risk === index % 10));
    const neighbours = await reader.lookup(rows.map(({ digits }) => String(BigInt(digits) + 1n)));
    assert.ok(neighbours.findings.every((found) => found.length === 0));
    const counts = (await reader.state()).map(({ records }) => records);
    assert.deepEqual(counts, [2000, 0]);
    await reader.close();
  });

  guarantee('an entry without a score comes back without one, from a full load and an increment', async (db) => {
    const unscored: PhoneEntry = { tags: [104], lastActive: at, observedDays: 1 };
    await fill(db, [{ digits: numberOf(1), entry: unscored }, row(2)]);
    await grown(db, '2', { digits: numberOf(2), entry: unscored });
    await grown(db, '3', { digits: numberOf(1), entry: entry({ risk: 0, tags: [114] }), merge: true });
    const reader = await db.reader();
    assert.deepEqual(await of(reader, numberOf(2)), unscored);
    const joined = await of(reader, numberOf(1));
    assert.deepEqual([joined?.risk, joined?.tags], [0, [114, 104]]);
    await reader.close();
  });

  guarantee('a running reader sees an import at once, and never the middle of one', async (db) => {
    await fill(db, [row(1, { risk: 1 })]);
    const reader = await db.reader();
    const seen = async () => {
      const { dataVersion, findings } = await reader.lookup([numberOf(1), numberOf(2)]);
      return [dataVersion.cn, dataVersion.cn_minute, ...findings.map((found) => found[0]?.entry.risk)];
    };
    async function* watched(risk: number, before: unknown): AsyncGenerator<readonly PhoneChange[]> {
      yield [row(1, { risk })];
      assert.deepEqual(await seen(), before);
      yield [row(2, { risk })];
      assert.deepEqual(await seen(), before);
    }
    assert.deepEqual(await seen(), ['20261120', undefined, 1, undefined]);
    await db.writer.apply('cn', watched(2, await seen()), { dataVersion: '2', at });
    assert.deepEqual(await seen(), ['20261120', '2', 2, 2]);
    await db.writer.replace('cn', watched(3, await seen()), { dataVersion: '20261121', at });
    assert.deepEqual(await seen(), ['20261121', undefined, 3, 3]);
    await reader.close();
  });

  guarantee('a library loaded under another secret is not asked and takes no increment', async (db) => {
    await fill(db, [row(1)]);
    const other = db.withKey(numberKey(new Uint8Array(32).fill(8)));
    await assert.rejects(async () => other.reader.lookup([numberOf(1)]), /another PULSE_SECRET/);
    await assert.rejects(
      other.writer.apply('cn', batches([gone(1)]), { dataVersion: '2', at }),
      /another PULSE_SECRET/,
    );
    await other.reader.close();
    await other.writer.close();
  });

  guarantee('times of loads outlive loads and increments; numbers of the release are not a load', async (db) => {
    const day = (index: number) => unixMs(at + index * 86_400_000);
    const rows = (index: number) => batches([row(index)]);
    await db.writer.replace('cn', rows(1), { dataVersion: '0', at: day(0), shipped: true });
    await db.writer.replace('sg', rows(1), { dataVersion: '0', at: day(0), shipped: true });
    await db.writer.apply('cn', rows(2), { dataVersion: '1', at: day(1) });
    await db.writer.replace('cn', rows(3), { dataVersion: '2', at: day(2) });
    await db.writer.apply('cn', rows(4), { dataVersion: '3', at: day(3) });
    await db.writer.replace('cn', rows(5), { dataVersion: '4', at: day(4) });
    const reader = await db.reader();
    const loadses = (await reader.state()).map(({ loads }) => loads);
    assert.deepEqual(loadses, [
      { full: [day(2), day(4)], increments: [day(1), day(3)] },
      { full: [], increments: [] },
    ]);
    await reader.close();
  });

  guarantee('of several rows of one number in a file the last one stays', async (db) => {
    await fill(db, [
      { digits: '8613800138000', entry: entry({ risk: 1 }) },
      { digits: '8613800138000', entry: entry({ risk: 5 }) },
      { digits: '8613800138001', entry: entry() },
      { digits: '8613800138001', deleted: true },
    ]);
    const reader = await db.reader();
    assert.equal((await of(reader, '8613800138000'))?.risk, 5);
    assert.equal(await of(reader, '8613800138001'), undefined);
    assert.equal((await reader.state())[0]?.records, 1);
    await reader.close();
  });

  guarantee('increments upsert and delete on top of the full load, and a full load forgets them', async (db) => {
    await fill(db, [row(1), row(2)]);
    await grown(db, '202611200101', row(1, { risk: 2, tags: [115] }), row(3, { tags: [999] }));
    await db.writer.apply('cn', batches([gone(2), gone(9)]), { dataVersion: '202611200102', at: unixMs(at + 60_000) });
    const reader = await db.reader();
    assert.deepEqual((await of(reader, numberOf(1)))?.tags, [115]);
    assert.equal(await of(reader, numberOf(2)), undefined);
    assert.deepEqual((await of(reader, numberOf(3)))?.tags, [999]);
    assert.deepEqual((await reader.lookup([])).dataVersion, {
      cn: '20261120',
      sg: '20261119',
      cn_minute: '202611200102',
    });
    const [cn] = await reader.state();
    assert.equal(cn?.records, 2);
    assert.equal(cn?.lastIncrementAt, at + 60_000);
    await reader.close();
    await grown(db, '202611200103', row(2));
    const again = await db.reader();
    assert.ok(await of(again, numberOf(2)));
    await again.close();
    await db.writer.replace('cn', batches([row(7)]), { dataVersion: '20261121', at });
    const fresh = await db.reader();
    assert.deepEqual(await Promise.all([1, 2, 3].map((index) => of(fresh, numberOf(index)))), [
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual((await fresh.lookup([])).dataVersion, { cn: '20261121', sg: '20261119' });
    await fresh.close();
  });

  guarantee('a dated appearance joins the stored one: first earliest, last latest, one more day', async (db) => {
    const seen = (day: number): PhoneEntry => ({
      risk: 7,
      tags: [104],
      firstSeen: unixMs(at + day * 86_400_000),
      lastActive: unixMs(at + day * 86_400_000),
      observedDays: 1,
    });
    await fill(db, [{ digits: numberOf(1), entry: seen(0), merge: true }]);
    await grown(db, '2', { digits: numberOf(1), entry: seen(3), merge: true });
    await grown(db, '3', { digits: numberOf(1), entry: seen(3), merge: true });
    const reader = await db.reader();
    assert.deepEqual(await of(reader, numberOf(1)), {
      ...seen(0),
      lastActive: unixMs(at + 3 * 86_400_000),
      observedDays: 2,
    });
    await reader.close();
  });

  guarantee('appearances that say nothing new are not written: no new version, no load', async (db) => {
    const seen: PhoneEntry = { tags: [104], lastActive: at, observedDays: 1 };
    await fill(db, [row(1, { risk: 3 })]);
    await grown(db, '2', { digits: numberOf(2), entry: seen, merge: true });
    const again = await grown(db, '3', { digits: numberOf(2), entry: seen, merge: true });
    assert.deepEqual([again.upserts, again.deletions, again.unchanged], [0, 0, 1]);
    const reader = await db.reader();
    const [cn] = await reader.state();
    assert.deepEqual([cn?.minuteVersion, cn?.loads.increments.length, cn?.records], ['2', 1, 2]);
    await reader.close();
  });

  guarantee('an import that fails half-way leaves the library as it was', async (db) => {
    await fill(db, [row(1)]);
    async function* failing(): AsyncGenerator<readonly PhoneChange[]> {
      yield [gone(1), row(2)];
      throw new Error('the file ended early');
    }
    await assert.rejects(db.writer.replace('cn', failing(), { dataVersion: '9', at }), /ended early/);
    await assert.rejects(db.writer.apply('cn', failing(), { dataVersion: '9', at }), /ended early/);
    const reader = await db.reader();
    assert.ok(await of(reader, numberOf(1)));
    assert.equal(await of(reader, numberOf(2)), undefined);
    assert.deepEqual((await reader.lookup([])).dataVersion, { cn: '20261120', sg: '20261119' });
    await reader.close();
  });

  guarantee('an increment into a library that was never loaded is refused', async (db) => {
    assert.equal(await db.writer.held('cn'), undefined);
    await assert.rejects(db.writer.apply('cn', batches(), { dataVersion: '1', at }), /no full load/);
  });

  guarantee('one library missing or the store unreachable: no answer at all', async (db) => {
    await db.writer.replace('cn', batches([row(1)]), { dataVersion: '1', at });
    const half = await db.reader();
    await assert.rejects(
      async () => half.lookup([numberOf(1)]),
      (error) => error instanceof LibraryUnavailable && error.library === 'sg',
    );
    await half.close();
    await db.writer.replace('sg', batches(), { dataVersion: '1', at });
    const reader = await db.reader();
    assert.ok(await of(reader, numberOf(1)));
    await db.break();
    await assert.rejects(async () => reader.lookup([numberOf(1)]), LibraryUnavailable);
    await assert.rejects(async () => reader.state(), LibraryUnavailable);
    await reader.close();
  });
}
