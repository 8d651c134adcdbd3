import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileGeo, type GeoInput } from '../../../test/support/compile-geo.ts';
import { randomWords } from '../../../test/support/random.ts';
import type { Address } from '../../core/ip/address.ts';
import { addressAfter, compareAddresses } from '../../core/ip/prefix.ts';
import type { MergedNetwork } from '../../core/place/network-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import { buildImage, ImageError } from '../image.ts';
import type { RangeSet4, RangeSet6 } from '../ranges/range-set.ts';
import { copyTable } from './encode-tables.ts';
import { NETWORK, openGeo, PLACE } from './geo-image.ts';
import { verifyGeo } from './network-records.ts';

function set4(starts: number[], records: number, random: () => number): RangeSet4 {
  const sorted = [...new Set([0, ...starts])].sort((a, b) => a - b);
  return {
    family: 4,
    count: sorted.length,
    starts: Uint32Array.from(sorted),
    ids: Uint32Array.from(sorted, () => random() % records),
  };
}

function set6(starts: number[][], records: number, random: () => number): RangeSet6 {
  const keys = new Map(
    [[0, 0, 0, 0], ...starts].map((words) => [words.map((word) => word.toString(16).padStart(8, '0')).join(''), words]),
  );
  const sorted = [...keys.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, words]) => words);
  return {
    family: 6,
    count: sorted.length,
    starts: Uint32Array.from(sorted.flat()),
    ids: Uint32Array.from(sorted, () => random() % records),
  };
}

/** Starts that crowd: few /32s, few /64s, many inside one /64, both ends of everything. */
function crowdedStarts6(count: number, random: () => number): number[][] {
  const top = 0xffff_ffff;
  const pick = (values: number[]): number => values[random() % values.length]!;
  const starts = [
    [top, top, top, top],
    [top, top, 0, 0],
    [top, top, 0, 1],
    [top, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 1, 0],
    [0, 1, 0, 0],
    [1, 0, 0, 0],
  ];
  for (let i = 0; i < count; i++) {
    const w0 = pick([0x20010000 + (random() % 50), 0x2a000000 + (random() % 5000), 0x2a000001, random()]);
    const w1 = pick([0, top, random(), random() & 0xffff_0000, random() % 4]);
    const deep = random() % 3 === 0;
    starts.push([w0, w1 >>> 0, deep ? pick([0, 1, top, random()]) : 0, deep ? pick([0, 1, top, random()]) : 0]);
  }
  return starts;
}

const EMPTY: MergedNetwork = {
  asn: 0,
  usageType: '',
  hosting: false,
  mobile: false,
  crawler: false,
  relay: false,
  anycast: false,
};
const networks: MergedNetwork[] = [
  EMPTY,
  { ...EMPTY, asn: 13335, usageType: 'CDN', hosting: true },
  { ...EMPTY, asn: 4_200_000_000, mobile: true },
  { ...EMPTY, usageType: 'SAT', relay: true, crawler: true },
  { ...EMPTY, hosting: true, anycast: true },
];
const places = [
  '',
  '{"country":"DE","city":"Köln"}',
  '{"country":"JP"}',
  '{"continent":"AS","country":"CN","city":"Shenzhen","lat":22.5,"lon":114}',
];
/** The same in anycast space. */
const countries = ['', '{"country":"DE"}', '{"country":"JP"}', '{"continent":"AS","country":"CN"}'];
const shown = (place: number, network: number): string => (networks[network]!.anycast ? countries : places)[place]!;

function sample(seed: number, size: number) {
  const random = randomWords(seed);
  const starts4 = (): number[] =>
    Array.from({ length: size }, () =>
      random() % 3 === 0 ? (0x08080000 + (random() % 0x20000)) >>> 0 : random(),
    ).concat([0xffff_ffff, 0xffff_0000, 0x10000, 1]);
  const place4 = set4(starts4(), places.length, random);
  const place6 = set6(crowdedStarts6(size, random), places.length, random);
  const network4 = set4(starts4(), networks.length, random);
  const network6 = set6(crowdedStarts6(size, random), networks.length, random);
  const meta = {
    dataVersion: '2026-11-21',
    builtAt: 1_795_000_000_000 as UnixMs,
    sources: [{ id: 'test', version: '1' }],
  };
  return {
    input: {
      meta,
      place: { ranges4: place4, ranges6: place6, records: places },
      network: { ranges4: network4, ranges6: network6, records: networks },
    },
    place4,
    place6,
    network4,
    network6,
  };
}

const shared = (bytes: Uint8Array): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
};

/** The obvious lookup: the last range whose start is not after the address. */
function naive4(set: RangeSet4, w0: number): number {
  let low = 0;
  let high = set.count;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (set.starts[middle]! <= w0) low = middle;
    else high = middle;
  }
  return set.ids[low]!;
}

function naive6(set: RangeSet6, words: readonly number[]): number {
  const notAfter = (at: number): boolean => {
    for (let i = 0; i < 4; i++) if (set.starts[4 * at + i] !== words[i]) return set.starts[4 * at + i]! < words[i]!;
    return true;
  };
  let low = 0;
  let high = set.count;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (notAfter(middle)) low = middle;
    else high = middle;
  }
  return set.ids[low]!;
}

const neighbours4 = (start: number): number[] => [start - 1, start, start + 1].map((value) => value >>> 0);

function neighbours6(words: readonly number[]): number[][] {
  const value = words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return [value - 1n, value, value + 1n].map((v) =>
    [96n, 64n, 32n, 0n].map((shift) => Number((BigInt.asUintN(128, v) >> shift) & 0xffff_ffffn)),
  );
}

const address6 = ([w0, w1, w2, w3]: readonly number[]): Address => ({ family: 6, w0: w0!, w1: w1!, w2: w2!, w3: w3! });

test('every boundary and 20,000 random addresses of both families get the record a linear reading gives', () => {
  const { input, place4, place6, network4, network6 } = sample(1, 8000);
  const geo = openGeo(shared(compileGeo(input)));
  assert.deepEqual(verifyGeo(geo), []);
  const random = randomWords(2);
  const words4 = [
    ...[...place4.starts, ...network4.starts].flatMap(neighbours4),
    ...Array.from({ length: 20_000 }, random),
  ];
  for (const w0 of words4) {
    const address: Address = { family: 4, w0, w1: 0, w2: 0, w3: 0 };
    const [place, network] = [naive4(place4, w0), naive4(network4, w0)];
    assert.equal(geo.placeJson(geo.placeId(address)), shown(place, network), `place of ${w0}`);
    assert.equal(geo.networkId(address), network, `network of ${w0}`);
  }
  const ids = new Uint32Array(words4.length);
  geo.place4.findAll(Uint32Array.from(words4), 5, words4.length, ids);
  assert.deepEqual(
    [...ids],
    [...words4.slice(5).map((w0) => geo.place4.find(w0)), 0, 0, 0, 0, 0],
    'places of all at once',
  );
  const starts6 = [place6, network6].flatMap((set) =>
    Array.from({ length: set.count }, (_, i) => [...set.starts.subarray(4 * i, 4 * i + 4)]),
  );
  const near = () => starts6[random() % starts6.length]!.map((word, i) => (i >= random() % 5 ? random() : word));
  for (const words of [...starts6.flatMap(neighbours6), ...Array.from({ length: 20_000 }, near)]) {
    const [place, network] = [naive6(place6, words), naive6(network6, words)];
    assert.equal(geo.placeJson(geo.placeId(address6(words))), shown(place, network), `place of ${words}`);
    assert.equal(geo.networkId(address6(words)), network, `network of ${words}`);
  }
});

test('many small partitions, deep ones among them, are read exactly', () => {
  // Every size once.
  for (let seed = 10; seed < 50; seed++) {
    const { input, place6 } = sample(seed, 1 + (seed % 40));
    const geo = openGeo(shared(compileGeo(input)));
    assert.deepEqual(verifyGeo(geo), []);
    for (let i = 0; i < place6.count; i++) {
      for (const words of neighbours6([...place6.starts.subarray(4 * i, 4 * i + 4)]))
        assert.equal(
          geo.place6.find(words[0]!, words[1]!, words[2]!, words[3]!),
          naive6(place6, words),
          `seed ${seed}: ${words}`,
        );
    }
  }
});

function merged4({ starts, ids }: RangeSet4): RangeSet4 {
  const kept = [...ids.keys()].filter((i) => i === 0 || ids[i] !== ids[i - 1]);
  return {
    family: 4,
    count: kept.length,
    starts: Uint32Array.from(kept, (i) => starts[i]!),
    ids: Uint32Array.from(kept, (i) => ids[i]!),
  };
}

test('a compiled partition can be read back, equal neighbours merged', () => {
  const { input, place4, place6 } = sample(3, 500);
  const geo = openGeo(shared(compileGeo(input)));
  assert.deepEqual(geo.place4.ranges(), merged4(place4));
  const merged = geo.place6.ranges();
  for (let i = 0; i < place6.count; i++) {
    const words = [...place6.starts.subarray(4 * i, 4 * i + 4)];
    assert.equal(naive6(merged, words), naive6(place6, words));
  }
  for (let i = 1; i < merged.count; i++) assert.notEqual(merged.ids[i], merged.ids[i - 1]);
});

test('records come back as they went in, beyond ASCII too', () => {
  const geo = openGeo(shared(compileGeo(sample(4, 10).input)));
  places.forEach((text, id) => {
    assert.equal(geo.placeJson(id), text);
    assert.equal(geo.placeJson(id), text);
  });
  assert.deepEqual(geo.networkFacts(0), {
    json: undefined,
    usageType: undefined,
    asn: undefined,
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
  });
  assert.deepEqual(geo.networkFacts(1), {
    json: '{"asn":13335,"usage_type":"CDN"}',
    usageType: 'CDN',
    asn: 13335,
    hosting: true,
    mobile: false,
    crawler: false,
    relay: false,
  });
  assert.equal(geo.networkFacts(2).json, '{"asn":4200000000}');
  assert.equal(geo.networkFacts(3).json, '{"usage_type":"SAT"}');
  assert.equal(geo.networkFacts(4).json, undefined);
  assert.equal(geo.networkFacts(4), geo.networkFacts(4));
});

test('more records than the text cache has places still read right', () => {
  const { input } = sample(5, 10);
  const records = ['', ...Array.from({ length: 140_000 }, (_, i) => `{"city":"${i % 2 === 0 ? 'é' : 'e'}${i}"}`)];
  const geo = openGeo(shared(compileGeo({ ...input, place: { ...input.place, records } as GeoInput['place'] })));
  for (const id of [1, 65_537, 1, 131_073, 140_000, 65_536, 0, 131_072]) assert.equal(geo.placeJson(id), records[id]);
});

test('place sections of an existing image can be taken over byte by byte', () => {
  const first = sample(6, 300);
  const second = sample(7, 300);
  const old = openGeo(shared(compileGeo(first.input)));
  const geo = openGeo(
    shared(compileGeo({ meta: second.input.meta, place: copyTable(old.image, PLACE), network: second.input.network })),
  );
  assert.deepEqual(verifyGeo(geo), []);
  assert.deepEqual(geo.place4.ranges(), merged4(first.place4));
  assert.deepEqual(geo.network4.ranges(), merged4(second.network4));
  const back = openGeo(
    shared(compileGeo({ meta: second.input.meta, place: first.input.place, network: copyTable(geo.image, NETWORK) })),
  );
  assert.deepEqual(back.network4.ranges(), merged4(second.network4));
});

test('an AS number has the name it was given, and no other has one', () => {
  const { input } = sample(12, 10);
  const names = new Map([
    [64_500, 'Zürich Netze'],
    [13_335, 'Cloudflare, Inc.'],
    [4_200_000_000, '中国电信'],
  ]);
  const withNames = (asNames: ReadonlyMap<number, string>) =>
    openGeo(shared(compileGeo({ ...input, network: { ...input.network, asNames } as GeoInput['network'] })));
  const geo = withNames(names);
  assert.deepEqual(verifyGeo(geo), []);
  for (const [asn, name] of names) assert.equal(geo.asName(asn), name);
  for (const asn of [0, 13_334, 13_336, 64_501, 4_294_967_295]) assert.equal(geo.asName(asn), undefined);
  assert.equal(withNames(new Map()).asName(13_335), undefined);
  assert.match(verifyGeo(withNames(new Map([[1, '']]))).join(), /name of AS number 0 is empty/);
});

test('an id without a record is refused when compiling', () => {
  const { input } = sample(8, 10);
  assert.throws(
    () => compileGeo({ ...input, place: { ...input.place, records: ['', '{"country":"DE"}'] } as GeoInput['place'] }),
    /names record/,
  );
  assert.throws(
    () => compileGeo({ ...input, network: { ...input.network, records: networks.slice(1) } as GeoInput['network'] }),
    /empty one/,
  );
});

test('damage of any section is found by verify or by opening, wherever it is', () => {
  const bytes = compileGeo(sample(9, 60).input);
  const sound = openGeo(shared(bytes));
  for (const { id, offset, length } of sound.image.entries) {
    for (const at of [0, length >>> 1, length - 1].filter((at) => at >= 0 && at < length)) {
      const broken = shared(bytes);
      const view = new Uint8Array(broken);
      view[offset + at]! ^= 0x10;
      let found = false;
      try {
        found = verifyGeo(openGeo(broken)).length > 0;
      } catch (error) {
        found = error instanceof ImageError;
      }
      assert.ok(found, `section ${id} byte ${at}`);
    }
  }
});

test('ranges that do not ascend from 0 are refused when compiling', () => {
  const { input } = sample(11, 60);
  const compile = (place: object) => compileGeo({ ...input, place: { ...input.place, ...place } as GeoInput['place'] });
  const ids = Uint32Array.of(0, 1, 2);
  for (const starts of [Uint32Array.of(0, 9, 5), Uint32Array.of(0, 0x20000, 5), Uint32Array.of(0, 5, 5)])
    assert.throws(() => compile({ ranges4: { family: 4, count: 3, starts, ids } }), /range 2 does not start after/);
  assert.throws(() => compile({ ranges4: { family: 4, count: 1, starts: Uint32Array.of(1), ids } }), /start at 0/);
  for (const starts of [
    Uint32Array.of(0, 0, 0, 0, 2, 0, 0, 0, 1, 9, 0, 0),
    Uint32Array.of(0, 0, 0, 0, 2, 5, 0, 0, 2, 4, 0, 0),
  ])
    assert.throws(() => compile({ ranges6: { family: 6, count: 3, starts, ids } }), /range 2 does not start after/);
});

/** The image of `bytes` with one word of a section changed and every checksum right. */
function withWord(bytes: Uint8Array, section: string, edit: (words: Uint32Array) => void): SharedArrayBuffer {
  const { image } = openGeo(shared(bytes));
  const sections = image.entries.map(({ id }) => ({ id, data: image.bytes(id).slice() }));
  edit(new Uint32Array(sections.find(({ id }) => id === section)!.data.buffer));
  return shared(buildImage('geo', sections));
}

test('verify looks behind the checksums: a wrong table with right sums is found', () => {
  const { input } = sample(11, 60);
  const tiny4: RangeSet4 = { family: 4, count: 3, starts: Uint32Array.of(0, 5, 9), ids: Uint32Array.of(0, 1, 2) };
  const deep6: RangeSet6 = {
    family: 6,
    count: 3,
    starts: Uint32Array.of(0, 0, 0, 0, 0, 5, 0, 7, 0, 5, 1, 0),
    ids: Uint32Array.of(0, 1, 2),
  };
  const bytes = compileGeo({
    ...input,
    place: { ...input.place, ranges4: tiny4, ranges6: deep6 } as GeoInput['place'],
  });
  const faultOf = (section: string, edit: (words: Uint32Array) => void): string =>
    verifyGeo(openGeo(withWord(bytes, section, edit))).join();
  assert.equal(
    faultOf('PL4C', () => {}),
    '',
  );
  // The bucket behind the root: number at 0.0.0.0, start, number, start, number.
  const bucket = 65_536;
  const change =
    (at: number, by: (word: number) => number) =>
    (words: Uint32Array): void => {
      words[at] = by(words[at]!);
    };
  assert.match(
    faultOf(
      'PL4C',
      change(bucket + 3, () => 5 << 16),
    ),
    /place IPv4: start 1 of the bucket at word 65536 does not come after/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(bucket + 1, () => 0),
    ),
    /start 0 of the bucket/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(bucket + 1, () => 1),
    ),
    /start 0 of the bucket/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(bucket + 4, () => 9),
    ),
    /names record 9 of 6/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(0, (cell) => cell + 1),
    ),
    /a bucket at word 65537, after 65536 words/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(0, () => 3),
    ),
    /65541 words where 65536 are used/,
  );
  assert.match(
    faultOf(
      'PL4C',
      change(9, (_) => 0x8000_4000),
    ),
    /a node of 1 bits at word 65536, after 65544 words/,
  );
  // Four nodes of 16 cells lead to the bucket of the /64 whose ranges are deep: number at ::, start, deep
  // table, start of the next /64, number.
  const bucket6 = 65_600;
  assert.match(
    faultOf(
      'PL6C',
      change(bucket6 + 2, (cell) => cell + 1),
    ),
    /place IPv6: the \/64 at 0:5 names a wrong deep table/,
  );
  assert.match(
    faultOf(
      'PL6C',
      change(bucket6 + 3, (key) => key + 1),
    ),
    /place IPv6: the deep table before 0:7 does not end with its \/64/,
  );
  assert.match(
    faultOf(
      'PL6L',
      change(2, () => 2),
    ),
    /deep entry 2 does not start after/,
  );
  assert.match(
    faultOf(
      'PLRC',
      change(1, () => 2),
    ),
    /^$/,
  );
  assert.match(
    faultOf(
      'PLRC',
      change(2, () => 1),
    ),
    /place records: the country of record 2 is not a record of a country/,
  );
  assert.match(
    faultOf(
      'PLRC',
      change(1, () => 9),
    ),
    /the country of record 1 /,
  );
  assert.match(
    faultOf(
      'PL6J',
      change(1, () => 9),
    ),
    /deep entry 1 names record 9 of 6/,
  );
  const noJson = openGeo(
    shared(compileGeo({ ...input, place: { ...input.place, records: ['', 'x', '[]', '{}'] } as GeoInput['place'] })),
  );
  assert.equal(verifyGeo(noJson).filter((fault) => fault.startsWith('place records')).length, 3);
});

test('going on from where a record reaches to passes every range once, in order, and no address of another', () => {
  const { input, network4, network6 } = sample(31, 3000);
  const geo = openGeo(shared(compileGeo(input)));
  for (const set of [network4, network6]) {
    const width = set.family === 4 ? 1 : 4;
    const expected: string[] = [];
    for (let i = 0; i < set.count; i++)
      if (i === 0 || set.ids[i] !== set.ids[i - 1])
        expected.push(`${[...set.starts.subarray(i * width, (i + 1) * width)].join()} ${set.ids[i]}`);
    const found: string[] = [];
    let last = -1;
    for (let at: Address | undefined = { family: set.family, w0: 0, w1: 0, w2: 0, w3: 0 }; at !== undefined; ) {
      const id = geo.networkId(at);
      if (id !== last) found.push(`${[at.w0, at.w1, at.w2, at.w3].slice(0, width).join()} ${id}`);
      last = id;
      const reached = geo.networkReach(at);
      assert.ok(compareAddresses(reached, at) >= 0);
      assert.equal(geo.networkId(reached), id);
      at = addressAfter(reached);
    }
    assert.deepEqual(found, expected);
  }
});
