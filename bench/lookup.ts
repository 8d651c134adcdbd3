/**
 * Lookups of the engine compared with maxmind and mmdb-lib on the same DB-IP files, and with dependent random
 * access into 1 GiB of this machine's memory.
 *
 *   node bench/lookup.ts [--rounds 5]
 *
 * "dependent" means that the next address is known only when the last answer is, as in a program that does
 * something with it; "independent" lets the processor overlap lookups. Every table is measured in turns
 * within one run: read the ratios.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Reader as MmdbReader } from 'mmdb-lib';
import { mapImage } from '../src/adapters/snapshots/published-images.ts';
import type { Address } from '../src/core/ip/address.ts';
import { formatAddress } from '../src/core/ip/format-address.ts';
import { parseAddress } from '../src/core/ip/parse-address.ts';
import { isReserved } from '../src/core/ip/special-purpose.ts';
import type { UnixMs } from '../src/core/units.ts';
import { createDataView } from '../src/engine/create-data-view.ts';
import { emptyEvidence } from '../src/engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../src/engine/evidence/evidence-delta.ts';
import { LiveEvidence } from '../src/engine/evidence/live-evidence.ts';
import { openGeo } from '../src/engine/geo/geo-image.ts';
import { verifyGeo } from '../src/engine/geo/network-records.ts';
import { lookupIp } from '../src/service/lookup/lookup-ip.ts';
import { compileGeo } from '../test/support/compile-geo.ts';
import { FIXED_SEED } from '../test/support/fixed-seed.ts';
import { randomWords } from '../test/support/random.ts';
import { DBIP_FILES, readDbip } from './peers/dbip.ts';
import { inTurns, seconds, shared, type Timed, table } from './peers/measure.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const SAMPLE = 1 << 18;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

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
    new LiveEvidence(
      emptyEvidence({ dataVersion: 'bench', builtAt: 0 as UnixMs, ...NO_POSITION }, FIXED_SEED),
      FIXED_SEED,
    ),
    false,
  );
  const answer = (text: string): number => {
    const parsed = parseAddress(text);
    return parsed.status === 'ok' ? (lookupIp(view, parsed.address, Date.now() as UnixMs)?.length ?? 0) : 0;
  };
  const records = (text: string): number => {
    const parsed = parseAddress(text);
    return parsed.status === 'ok' ? geo.placeId(parsed.address) + geo.networkId(parsed.address) : 0;
  };
  const answers = inTurns(
    [
      memory,
      ...([4, 6] as const).flatMap((family) => {
        const texts = family === 4 ? v4 : v6;
        return [
          over(`IPv${family}, any address`, (i) => answer(texts[i]!)),
          over(`IPv${family}, of it: text → address`, (i) => parseAddress(texts[i]!).status.length),
          over(`IPv${family}, of it: text → numbers of its records`, (i) => records(texts[i]!)),
        ];
      }),
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

await geoTables(buildGeo(), chase(2 ** 28), Number(values.rounds));
