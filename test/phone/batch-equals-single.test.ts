import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DatabaseLibraryWriter } from '../../src/adapters/phone-db/database-library-writer.ts';
import { DatabasePhoneLibraries } from '../../src/adapters/phone-db/database-phone-libraries.ts';
import { numberKey } from '../../src/adapters/phone-db/number-key.ts';
import { loadSegments } from '../../src/adapters/phone-db/open-phone.ts';
import { SqlitePhoneDatabase } from '../../src/adapters/phone-db/sqlite-phone-database.ts';
import { syntheticNumber, syntheticPhones } from '../../src/adapters/phone-db/synthetic-phones.ts';
import type { PhoneBatch } from '../../src/contract/documents.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { normalise } from '../../src/core/phone/normalise.ts';
import { unixMs } from '../../src/core/units.ts';
import { importPhones, type RawPhoneRow } from '../../src/service/phone/import-phones.ts';
import {
  lookupPhone,
  lookupPhones,
  type PhoneData,
  readBatchBody,
  readLookupBody,
} from '../../src/service/phone/lookup-phone.ts';
import { testFolder } from '../support/test-folder.ts';

const now = unixMs(Date.parse('2026-11-20T12:34:56Z'));
const RECORDS = 20_000;
const unparseable = (input: string): string =>
  JSON.stringify({ query: { input }, hit: false, error: { code: 'bad_number', message: ERRORS.bad_number.message } });
/**
 * Every third of the first thousand numbers of `cn` is in the other library too, and every fifth was changed
 * or taken out since the full load.
 */
const SHARED = 1000;

describe('a batch over a generated library', () => {
  let folder: string;
  let data: PhoneData;

  before(async () => {
    folder = testFolder('phone-batch');
    const key = numberKey(new Uint8Array(32).fill(3));
    const database = new SqlitePhoneDatabase(join(folder, 'phone.db'));
    const writer = new DatabaseLibraryWriter(database, key);
    const stamp = { dataVersion: '20261120', at: now };
    await importPhones(writer, syntheticPhones({ records: RECORDS, seed: 5, at: now, library: 'cn' }), {
      library: 'cn',
      full: true,
      stamp,
    });
    await importPhones(
      writer,
      rowsOf(3, () => ({ risk: 6, tags: [103, 116], last_active: now / 1000 - 9, card_type: 303 })),
      { library: 'sg', full: true, stamp },
    );
    const minute = { dataVersion: '202611201230', at: now };
    await importPhones(
      writer,
      rowsOf(5, (index) => (index % 2 === 0 ? { deleted: true } : { risk: 9, tags: [417, 101] })),
      { library: 'cn', full: false, stamp: minute },
    );
    data = { libraries: new DatabasePhoneLibraries(database, key), segments: loadSegments() };
  });
  after(() => data.libraries.close());

  async function* rowsOf(step: number, rest: (index: number) => RawPhoneRow): AsyncGenerator<readonly RawPhoneRow[]> {
    for (let index = 0; index < SHARED; index += step)
      yield [{ number: `+${syntheticNumber('cn', 5, index)}`, ...rest(index) }];
  }

  /**
   * Numbers of every kind: held, changed, taken out, in both, in none, twice, of wrong length, from abroad,
   * unreadable, oddly written.
   */
  const numbers = (round: number): string[] =>
    Array.from({ length: 1000 }, (_, index) => {
      const place = round * 1000 + index;
      const digits = syntheticNumber('cn', 5, index % 2 === 0 ? place % SHARED : place * 31);
      const forms = [
        `+${digits}`,
        digits.slice(2),
        `00${digits}`,
        `(${digits.slice(2, 5)}) ${digits.slice(5)}`,
        digits.slice(0, 9),
        `x${digits}`,
        `+44${digits}`,
      ];
      return forms[index % 11] ?? `+${digits}`;
    });

  test('holds, byte for byte, the answers that single lookups give', async () => {
    const question = { now, requestId: 'r-1' };
    let hits = 0;
    for (let round = 0; round < 5; round += 1) {
      const asked = numbers(round);
      const text = await lookupPhones(data, readBatchBody({ numbers: asked }), question);
      const { results, hit_count, billable, count } = JSON.parse(text) as PhoneBatch;
      const singles = await Promise.all(
        asked.map(async (number) => {
          const input = readLookupBody({ number });
          return input.number === undefined ? unparseable(number) : await lookupPhone(data, input, question);
        }),
      );
      assert.equal(
        text,
        `{"count":${count},"billable":${billable},"hit_count":${hit_count},"results":[${singles.join(',')}]}`,
      );
      assert.equal(hit_count, results.filter(({ hit }) => hit).length);
      assert.equal(billable, asked.filter((number) => normalise(number) !== undefined).length);
      assert.equal(text, JSON.stringify(JSON.parse(text)));
      const held = results.find((result) => 'sources' in result && result.sources.length === 2);
      assert.ok(held !== undefined && 'meta' in held);
      assert.deepEqual(held.meta.data_version, { cn: '20261120', sg: '20261120', cn_minute: '202611201230' });
      hits += hit_count;
    }
    assert.ok(hits > 1000 && hits < 4500, String(hits));
  });
});
