/**
 * Phone: one batch of 1,000 against a library of ten million, and numbers normalised a second compared with
 * libphonenumber-js, with how far they agree. `node bench/phone.ts [--records N]` prints two markdown tables.
 * The library is generated into a temporary folder and removed.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { DatabaseLibraryWriter } from '../src/adapters/phone-db/database-library-writer.ts';
import { DatabasePhoneLibraries } from '../src/adapters/phone-db/database-phone-libraries.ts';
import { numberKey } from '../src/adapters/phone-db/number-key.ts';
import { loadSegments } from '../src/adapters/phone-db/open-phone.ts';
import { SqlitePhoneDatabase } from '../src/adapters/phone-db/sqlite-phone-database.ts';
import { syntheticNumber, syntheticPhones } from '../src/adapters/phone-db/synthetic-phones.ts';
import type { PhoneBatch } from '../src/contract/documents.ts';
import { normalise } from '../src/core/phone/normalise.ts';
import { unixMs } from '../src/core/units.ts';
import { importPhones } from '../src/service/phone/import-phones.ts';
import { lookupPhone, lookupPhones, readBatchBody, readLookupBody } from '../src/service/phone/lookup-phone.ts';
import { table } from './peers/measure.ts';

const flag = process.argv.indexOf('--records');
const RECORDS = flag < 0 ? 10_000_000 : Number(process.argv[flag + 1]);
const SG_RECORDS = 100_000;
const BATCHES = 300;
const WARM = 30;
const SINGLES = 20_000;
const HIT_SHARE = 0.3;
const NUMBERS = 20_000;

const now = unixMs(Date.now());
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
/**
 * The route's whole work between the bytes of the body and those of the answer: parsing, reading the inputs,
 * hashing, both libraries, profiles.
 */
async function benchBatches(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-phone-'));
  try {
    const key = numberKey(new Uint8Array(32).fill(1));
    const path = join(folder, 'phone.db');
    const writer = new DatabaseLibraryWriter(new SqlitePhoneDatabase(path), key);
    const stamp = { dataVersion: 'bench', at: now };
    const importMs = await timed(() =>
      importPhones(writer, syntheticPhones({ records: RECORDS, seed: 1, at: now, library: 'cn' }), {
        library: 'cn',
        full: true,
        stamp,
      }),
    );
    await importPhones(writer, syntheticPhones({ records: SG_RECORDS, seed: 1, at: now, library: 'sg' }), {
      library: 'sg',
      full: true,
      stamp,
    });
    await writer.close();
    const libraries = new DatabasePhoneLibraries(new SqlitePhoneDatabase(path, { readOnly: true }), key);
    const data = { libraries, segments: loadSegments() };
    const times: number[] = [];
    const cpu: number[] = [];
    let hits = 0;
    for (let round = 0; round < BATCHES + WARM; round += 1) {
      const sent = Buffer.from(JSON.stringify({ numbers: batchOf(round) }));
      const cpuBefore = process.cpuUsage();
      const started = performance.now();
      const body = JSON.parse(sent.toString()) as unknown;
      const answer = Buffer.from(await lookupPhones(data, readBatchBody(body), { now, requestId: 'bench' }));
      const took = performance.now() - started;
      const { user, system } = process.cpuUsage(cpuBefore);
      const { hit_count } = JSON.parse(answer.toString()) as PhoneBatch;
      if (round < WARM) continue;
      times.push(took);
      cpu.push((user + system) / 1000);
      hits += hit_count;
    }
    const singles: number[] = [];
    for (const number of Array.from({ length: SINGLES / 1000 }, (_, index) => batchOf(BATCHES + WARM + index)).flat()) {
      const started = performance.now();
      await lookupPhone(data, readLookupBody({ number }), { now, requestId: 'bench' });
      singles.push(performance.now() - started);
    }
    for (const list of [cpu, times, singles]) list.sort((a, b) => a - b);
    await libraries.close();
    process.stdout.write(
      `### Batch of 1,000 numbers, ${RECORDS.toLocaleString('en')} records, ${((hits / BATCHES / 1000) * 100).toFixed(0)} % hits, one thread, ${BATCHES} batches\n\n`,
    );
    table(
      ['p50 ms', 'p99 ms', 'CPU p50 ms', 'one number p50 µs', 'file MB', 'memory MB', 'generate and import s'],
      [
        [
          quantile(times, 0.5).toFixed(2),
          quantile(times, 0.99).toFixed(2),
          quantile(cpu, 0.5).toFixed(2),
          (quantile(singles, 0.5) * 1000).toFixed(0),
          (statSync(path).size / 1e6).toFixed(0),
          (process.memoryUsage().rss / 1e6).toFixed(0),
          (importMs / 1000).toFixed(1),
        ],
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Different numbers every round, so that no round finds its records in a cache the round before filled. */
function batchOf(round: number): string[] {
  return Array.from({ length: 1000 }, (_, index) => {
    const place = round * 1000 + index;
    const known = index % 1000 < HIT_SHARE * 1000;
    return syntheticNumber('cn', 1, known ? (place * 7919) % RECORDS : RECORDS + place);
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

interface Peer {
  readonly name: string;
  /** E.164, or undefined when refused. */
  read(input: string): string | undefined;
}

const READERS: readonly Peer[] = [
  {
    name: 'Pulse',
    read(input) {
      const number = normalise(input);
      return number && `+${number.digits}`;
    },
  },
  {
    name: 'libphonenumber-js (max, CN, extract off)',
    read(input) {
      const number = parsePhoneNumberFromString(input, { defaultCountry: 'CN', extract: false });
      number?.isPossible();
      return number?.number;
    },
  },
];

/** Inputs by the interface's demands. */
function inputs(): Readonly<Record<string, readonly string[]>> {
  const many = (form: (index: number) => string): string[] =>
    Array.from({ length: NUMBERS / 5 }, (_, index) => form(index));
  const mobile = (index: number): string => syntheticNumber('cn', 3, index).slice(2);
  return {
    'mainland, bare': many(mobile),
    'international, plus and punctuation': many(
      (index) => `+86 (${mobile(index).slice(0, 3)}) ${mobile(index).slice(3, 7)}-${mobile(index).slice(7)}`,
    ),
    'international, plus left out': many((index) => `8529${String(1_000_000 + index * 613).slice(0, 7)}`),
    'full-width digits': many((index) =>
      mobile(index).replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    ),
    'foreign characters (to be refused)': many((index) => `${mobile(index)} ext ${index % 10}`),
  };
}

function benchNormalise(): void {
  const kinds = inputs();
  const all = Object.values(kinds).flat();
  const rates = new Map<string, number>();
  for (const { name, read } of READERS) {
    for (const input of all) read(input);
    let rounds = 0;
    const started = performance.now();
    do {
      for (const input of all) read(input);
      rounds += 1;
    } while (performance.now() - started < 1500);
    rates.set(name, (rounds * all.length) / ((performance.now() - started) / 1000));
  }
  const ours = rates.get('Pulse') ?? 0;
  process.stdout.write(`### Normalising, ${all.length.toLocaleString('en')} inputs of five kinds, one thread\n\n`);
  table(
    ['reader', 'numbers/s', 'µs a number', 'Pulse is × faster', ...Object.keys(kinds).map((kind) => `agrees: ${kind}`)],
    READERS.map(({ name, read }) => {
      const rate = rates.get(name) ?? 0;
      const agreement = Object.values(kinds).map(
        (list) =>
          `${((list.filter((input) => read(input) === READERS[0]?.read(input)).length / list.length) * 100).toFixed(0)} %`,
      );
      return [
        name,
        Math.round(rate).toLocaleString('en'),
        (1e6 / rate).toFixed(2),
        (ours / rate).toFixed(1),
        ...agreement,
      ];
    }),
  );
}

await benchBatches();
benchNormalise();
