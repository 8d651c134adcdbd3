/**
 * Look-ups of the engine compared with maxmind and mmdb-lib on the same DB-IP files, and with dependent random access into 1 GiB of this machine's memory.
 *
 *   node bench/lookup.ts [--only geo|evidence] [--entries 10000000] [--rounds 5]
 *
 * "dependent" means that the next address is known only when the last answer is, as in a program that does something with it; "independent" lets
 * the processor overlap look-ups. Every table is measured in turns within one run: read the ratios.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Reader as MmdbReader } from 'mmdb-lib';
import { mapImage } from '../src/adapters/snapshots/shared-image.ts';
import { RISK_TYPES } from '../src/contract/risk.ts';
import type { Address } from '../src/core/ip/address.ts';
import { formatAddress } from '../src/core/ip/format-address.ts';
import { parseAddress } from '../src/core/ip/parse-address.ts';
import { isReserved } from '../src/core/ip/special-purpose.ts';
import type { UnixMs } from '../src/core/units.ts';
import { createDataView } from '../src/engine/create-data-view.ts';
import { EvidenceBuilder } from '../src/engine/evidence/evidence-builder.ts';
import { NOWHERE, ROW_OP } from '../src/engine/evidence/evidence-delta.ts';
import { emptyEvidence, openEvidence } from '../src/engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../src/engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../src/engine/evidence/live-evidence.ts';
import { compileGeo } from '../src/engine/geo/compile-geo.ts';
import { openGeo } from '../src/engine/geo/geo-image.ts';
import { verifyGeo } from '../src/engine/geo/verify-geo.ts';
import { lookupIp } from '../src/service/lookup/lookup-ip.ts';
import { FIXED_SEED } from '../test/support/fixed-seed.ts';
import { randomWords } from '../test/support/random.ts';
import { DBIP_FILES, readDbip } from './peers/dbip.ts';
import { inTurns, seconds, shared, sink, type Timed, table } from './peers/measure.ts';

const SAMPLE = 1 << 18;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** In the second thread: look-ups on the image it was given, over and over, for the time asked. */
function lookUpFor(buffer: SharedArrayBuffer, milliseconds: number): number {
  const geo = openGeo(buffer);
  const random = randomWords(99);
  const addresses = Uint32Array.from({ length: SAMPLE }, random);
  const start = performance.now();
  const end = start + milliseconds;
  let now = start;
  let sum = 0;
  let done = 0;
  for (; now < end; now = performance.now()) {
    const from = done & (SAMPLE - 1);
    for (let i = from; i < from + 8192; i++) sum += geo.place4.find(addresses[i]!);
    done += 8192;
  }
  sink.value += sum;
  return done / (now - start);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      entries: { type: 'string', default: '10000000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const rounds = Number(values.rounds);
  const entries = Number(values.entries);
  const memory = chase(2 ** 28);
  if (values.only !== 'evidence') {
    const geoBytes = buildGeo();
    await geoTables(geoBytes, memory, rounds);
    await twoThreads(geoBytes);
  }
  if (values.only !== 'geo') evidenceTables(entries, memory, rounds);
}

/** Dependent reads: each cell says where to go next. */
function chase(cells: number): Timed {
  const data = new Uint32Array(new SharedArrayBuffer(4 * cells));
  const random = randomWords(7);
  for (let i = 0; i < cells; i++) data[i] = random();
  const mask = cells - 1;
  let at = 0;
  return {
    name: '1 GiB random access',
    operations: SAMPLE,
    run: () => {
      for (let i = 0; i < SAMPLE; i++) at = (data[at]! + i) & mask;
      return at;
    },
  };
}

function buildGeo(): Uint8Array<ArrayBuffer> {
  let input: ReturnType<typeof readDbip> | undefined;
  const read = seconds(() => {
    input = readDbip();
  });
  let bytes = new Uint8Array(0);
  const compile = seconds(() => {
    bytes = compileGeo(input!);
  });
  const geo = openGeo(shared(bytes));
  const faults: string[] = [];
  const verify = seconds(() => {
    faults.push(...verifyGeo(geo));
  });
  if (faults.length > 0) throw new Error(faults.join());
  const { place4, place6, places } = geo;
  table(
    ['DB-IP city, both files', ''],
    [
      ['read and merge', `${read.toFixed(2)} s`],
      ['compile', `${compile.toFixed(2)} s`],
      ['verify in full', `${verify.toFixed(2)} s`],
      ['image', mb(bytes.length)],
      [
        'ranges IPv4 / IPv6',
        `${place4.ranges().count} / ${place6.ranges().count}, of them ${place6.deepIds.length} inside ${place6.deepFirsts.length - 1} /64s`,
      ],
      ['records', String(places.count)],
    ],
  );
  return bytes;
}

function sampleTexts(): { v4: string[]; v6: string[]; numbers: Uint32Array; words6: Uint32Array } {
  const random = randomWords(1);
  const v4: string[] = [];
  const numbers = new Uint32Array(SAMPLE);
  while (v4.length < SAMPLE) {
    const address: Address = { family: 4, w0: random(), w1: 0, w2: 0, w3: 0 };
    if (isReserved(address)) continue;
    numbers[v4.length] = address.w0;
    v4.push(formatAddress(address));
  }
  // IPv6 where there are networks: inside ranges that have a record, drawn below.
  const geo = openGeo(shared(compileGeoOnce.bytes!));
  const { starts, ids, count } = geo.place6.ranges();
  const v6: string[] = [];
  const words6 = new Uint32Array(4 * SAMPLE);
  while (v6.length < SAMPLE) {
    const at = random() % count;
    const address: Address = {
      family: 6,
      w0: starts[4 * at]!,
      w1: (starts[4 * at + 1]! | (random() & 0xff)) >>> 0,
      w2: random(),
      w3: random(),
    };
    if (ids[at] === 0 || isReserved(address)) continue;
    words6.set([address.w0, address.w1, address.w2, address.w3], 4 * v6.length);
    v6.push(formatAddress(address));
  }
  // Flat strings, as a parser of requests would hand them over.
  return {
    v4: JSON.parse(JSON.stringify(v4)) as string[],
    v6: JSON.parse(JSON.stringify(v6)) as string[],
    numbers,
    words6,
  };
}

/** The image the samples are drawn from. */
const compileGeoOnce: { bytes?: Uint8Array<ArrayBuffer> } = {};

async function geoTables(bytes: Uint8Array<ArrayBuffer>, memory: Timed, rounds: number): Promise<void> {
  compileGeoOnce.bytes = bytes;
  const file = join(tmpdir(), `pulse-bench-${process.pid}.img`);
  writeFileSync(file, bytes);
  const start = performance.now();
  const geo = openGeo(mapImage(file, 'geo'));
  const loadMs = performance.now() - start;
  rmSync(file);

  const { v4, v6, numbers, words6 } = sampleTexts();
  const { place4, place6 } = geo;
  const over = (name: string, one: (i: number) => number): Timed => ({
    name,
    operations: SAMPLE,
    run: () => {
      let sum = 0;
      for (let i = 0; i < SAMPLE; i++) sum += one(i);
      return sum;
    },
  });
  // `answer >>> 31` is 0 for every record number, which the compiler cannot know: the next index waits for the answer.
  const number = inTurns(
    [
      memory,
      {
        name: 'v4 dependent',
        operations: SAMPLE,
        run: () => {
          let i = 0;
          let sum = 0;
          while (i < SAMPLE) {
            const answer = place4.find(numbers[i]!);
            sum += answer;
            i += 1 + (answer >>> 31);
          }
          return sum;
        },
      },
      {
        name: 'v4 independent',
        operations: SAMPLE,
        run: () => {
          let sum = 0;
          for (let i = 0; i < SAMPLE; i++) sum += place4.find(numbers[i]!);
          return sum;
        },
      },
      {
        name: 'v6 dependent',
        operations: SAMPLE,
        run: () => {
          let i = 0;
          let sum = 0;
          while (i < SAMPLE) {
            const answer = place6.find(words6[4 * i]!, words6[4 * i + 1]!, words6[4 * i + 2]!, words6[4 * i + 3]!);
            sum += answer;
            i += 1 + (answer >>> 31);
          }
          return sum;
        },
      },
    ],
    rounds,
  );
  const unit = number.get(memory.name)!;
  table(
    ['number → record number', 'ns', '× 1 GiB random access'],
    [...number].map(([name, ns]) => [name, ns, ns / unit]),
  );

  const { default: maxmind } = await import('maxmind');
  const peers = {
    4: {
      plain: await maxmind.open(DBIP_FILES[4], { cache: { max: 1 } }),
      cached: await maxmind.open(DBIP_FILES[4], { cache: { max: 100_000 } }),
      lib: new MmdbReader(readFileSync(DBIP_FILES[4])),
    },
    6: {
      plain: await maxmind.open(DBIP_FILES[6], { cache: { max: 1 } }),
      cached: await maxmind.open(DBIP_FILES[6], { cache: { max: 100_000 } }),
      lib: new MmdbReader(readFileSync(DBIP_FILES[6])),
    },
  };
  const ours = (text: string): number => {
    const parsed = parseAddress(text);
    return parsed.status === 'ok' ? geo.placeJson(geo.placeId(parsed.address)).length : 0;
  };
  for (const [family, texts] of [
    [4, v4],
    [6, v6],
  ] as const) {
    const found = (value: unknown): number => (value === null ? 0 : 1);
    const result = inTurns(
      [
        over('ours: text → finished JSON', (i) => ours(texts[i]!)),
        over('ours: parsing alone', (i) => parseAddress(texts[i]!).status.length),
        over('maxmind, no cache', (i) => found(peers[family].plain.get(texts[i]!))),
        over('maxmind, cache of 100,000', (i) => found(peers[family].cached.get(texts[i]!))),
        over('mmdb-lib', (i) => found(peers[family].lib.get(texts[i]!))),
      ],
      Math.max(3, rounds - 2),
    );
    const own = result.get('ours: text → finished JSON')!;
    table(
      [`IPv${family} text → record`, 'ns', '× ours'],
      [...result].map(([name, ns]) => [name, ns, ns / own]),
    );
  }
  const view = createDataView(
    geo,
    new LiveEvidence(emptyEvidence({ dataVersion: 'bench', builtAt: 0 as UnixMs, ...NOWHERE }, FIXED_SEED), FIXED_SEED),
    false,
  );
  const answer = (text: string): number => {
    const parsed = parseAddress(text);
    return parsed.status === 'ok' ? (lookupIp(view, parsed.address, Date.now() as UnixMs)?.length ?? 0) : 0;
  };
  const answers = inTurns(
    [
      memory,
      over('IPv4, any address', (i) => answer(v4[i]!)),
      over('IPv6, any address', (i) => answer(v6[i]!)),
      over('IPv4, 1,024 addresses again and again', (i) => answer(v4[i & 1023]!)),
    ],
    rounds,
  );
  table(
    ['text → body of GET /v1/ip, in process', 'ns', '× 1 GiB random access'],
    [...answers].map(([name, ns]) => [name, ns, ns / answers.get(memory.name)!]),
  );
  table(['load of the image, checksums included', ''], [['file → ready', `${loadMs.toFixed(0)} ms`]]);
}

async function twoThreads(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const buffer = shared(bytes);
  const before = process.memoryUsage().rss;
  const alone = lookUpFor(buffer, 1000);
  const worker = new Worker(new URL(import.meta.url), { workerData: { buffer, milliseconds: 1000 } });
  await new Promise((resolve) => worker.once('message', resolve));
  const other = new Promise<number>((resolve) => worker.once('message', resolve));
  worker.postMessage('go');
  const mine = lookUpFor(buffer, 1000);
  const both = mine + (await other);
  const after = process.memoryUsage().rss;
  await worker.terminate();
  table(
    ['threads on one image', 'look-ups/ms', 'ratio'],
    [
      ['one', alone, 1],
      ['two', both, both / alone],
    ],
  );
  table(['resident memory', ''], [['added by the second thread', mb(after - before)], ['the image', mb(bytes.length)]]); // biome-ignore format: one row
}

function evidenceTables(entries: number, memory: Timed, rounds: number): void {
  const now = Date.UTC(2026, 10, 21);
  const random = randomWords(3);
  const builder = new EvidenceBuilder();
  for (let s = 0; s < 8; s++)
    builder.source({ id: `list-${s}`, family: `family-${s}`, lastRunAt: now as UnixMs, runDays: 0x3fff });
  const keys = new Uint32Array(entries);
  const buffer = new EvidenceRowBuffer(65_536);
  const add = seconds(() => {
    for (let i = 0; i < entries; ) {
      buffer.reset();
      for (; buffer.length < 65_536 && i < entries; i++) {
        const key = random();
        keys[i] = key;
        const row = buffer.prefix(4, key, 0, 0, 0, 32);
        // Every row its own time: the worst case for what can be shared.
        const following = i % 4 === 0;
        buffer.row(
          row,
          following ? ROW_OP.following : ROW_OP.fixed,
          i % 8,
          i % RISK_TYPES.length,
          0,
          now - (key % 1_000_000_000),
          following ? 0 : 1 | (key & 0x3fff),
        );
      }
      builder.add(buffer.columns());
    }
  });
  let bytes = new Uint8Array(0);
  const compile = seconds(() => {
    bytes = builder.compile(
      { dataVersion: 'bench', builtAt: now as UnixMs, store: 'bench', sequence: 1, mark: '1' },
      FIXED_SEED,
    );
  });
  const live = new LiveEvidence(openEvidence(shared(bytes)), FIXED_SEED);
  const misses = Uint32Array.from({ length: SAMPLE }, () => {
    for (;;) {
      const w0 = random();
      if (live.observations({ family: 4, w0, w1: 0, w2: 0, w3: 0 }).length === 0) return w0;
    }
  });
  const hits = Uint32Array.from({ length: SAMPLE }, () => keys[random() % entries]!);
  const question = { family: 4 as const, w0: 0, w1: 0, w2: 0, w3: 0 };
  const dependent = (name: string, sample: Uint32Array, one: (w0: number) => number): Timed => ({
    name,
    operations: SAMPLE,
    run: () => {
      let sum = 0;
      for (let i = 0; i < SAMPLE; ) {
        const answer = one(sample[i]!);
        sum += answer;
        i += 1 + (answer >>> 30);
      }
      return sum;
    },
  });
  const { hosts4 } = live.image;
  const place = (w0: number): number => hosts4.entries[hosts4.find4(w0) + 2]! & 0xff;
  const whole = (w0: number): number => {
    question.w0 = w0;
    return live.observations(question).length;
  };
  const result = inTurns(
    [
      memory,
      dependent('miss, whole look-up', misses, whole),
      dependent('hit, row found and read', hits, place),
      dependent('hit, whole look-up with its observations', hits, whole),
    ],
    rounds,
  );
  const unit = result.get(memory.name)!;
  table(
    ['evidence', ''],
    [
      ['entries', String(entries)],
      ['add', `${add.toFixed(2)} s`],
      ['compile', `${compile.toFixed(2)} s`],
      ['image', `${mb(bytes.length)}, ${(bytes.length / entries).toFixed(1)} bytes an entry`],
    ],
  );
  table(
    ['evidence look-up, dependent', 'ns', '× 1 GiB random access'],
    [...result].map(([name, ns]) => [name, ns, ns / unit]),
  );
}

if (isMainThread) await main();
else {
  const { buffer, milliseconds } = workerData as { buffer: SharedArrayBuffer; milliseconds: number };
  openGeo(buffer);
  parentPort!.postMessage('ready');
  parentPort!.once('message', () => parentPort!.postMessage(lookUpFor(buffer, milliseconds)));
}
