import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RECORD_BYTES, readRecords } from '../../../src/adapters/counters/memory/charge-record.ts';
import { parseTotals, writeTotals } from '../../../src/adapters/counters/memory/day-totals.ts';
import { totalsName } from '../../../src/adapters/counters/memory/ledger-files.ts';
import { verifyTotals } from '../../../src/adapters/counters/memory/verify-totals.ts';
import { type PhoneFormat, readPhoneFile } from '../../../src/adapters/phone-db/formats/read-phone-file.ts';
import { readFolderRecord } from '../../../src/core/data-folder/folder-record.ts';
import { parseAnyAddress } from '../../../src/core/ip/parse-address.ts';
import { unixMs } from '../../../src/core/units.ts';
import { emptyEvidence } from '../../../src/engine/evidence/empty-evidence.ts';
import { NO_POSITION, ROW_OP } from '../../../src/engine/evidence/evidence-delta.ts';
import { openEvidence, verifyEvidence } from '../../../src/engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../../../src/engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../../../src/engine/evidence/live-evidence.ts';
import { mergeEvidence } from '../../../src/engine/evidence/merge-evidence.ts';
import { openGeo } from '../../../src/engine/geo/geo-image.ts';
import { verifyGeo } from '../../../src/engine/geo/network-records.ts';
import { buildImage, Image, ImageError, type ImageKind } from '../../../src/engine/image.ts';
import { FIXED_SEED } from '../fixed-seed.ts';
import { syntheticGeo } from '../synthetic-geo.ts';
import { type FuzzTarget, text } from './fuzz-target.ts';

const NOW = unixMs(Date.UTC(2026, 10, 20));
const DAY = Math.floor(NOW / 86_400_000);
const ASKED = [
  '8.8.8.8',
  '8.8.8.9',
  '0.0.0.0',
  '255.255.255.255',
  '1.2.3.4',
  '::',
  '2001:4860::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
].map((one) => parseAnyAddress(one)!);

function evidenceBytes(): Uint8Array<ArrayBuffer> {
  const buffer = new EvidenceRowBuffer(1);
  for (const [n, [family, w0, bits]] of (
    [
      [4, 0x0808_0808, 32],
      [4, 0x0102_0000, 16],
      [4, 0x0808_0808, 32],
      [6, 0x2001_4860, 64],
      [6, 0x2001_4860, 128],
    ] as const
  ).entries())
    buffer.row(buffer.prefix(family, w0, 0, 0, 0, bits), ROW_OP.fixed, n % 2, n % 3, n % 2, NOW, 1);
  const source = (id: string) => ({ id, family: id, lastRunAt: NOW, runDays: 1 });
  const delta = {
    ...buffer.copy(),
    store: 'store',
    sequence: 1,
    mark: 'm',
    dataVersion: 'v1',
    sources: [source('a'), source('b')],
    pools: ['', 'vendor'],
  };
  const none = emptyEvidence({ dataVersion: 'none', builtAt: NOW, ...NO_POSITION }, FIXED_SEED);
  const merged = mergeEvidence(none, delta, NOW);
  return merged.bytes as Uint8Array<ArrayBuffer>;
}

const opened: Readonly<Record<'evidence' | 'geo', (buffer: ArrayBuffer) => unknown>> = {
  evidence: (buffer) => {
    const image = openEvidence(buffer);
    if (verifyEvidence(image).length > 0) return 'faults';
    // A verified image can be asked anything.
    const live = new LiveEvidence(image, FIXED_SEED);
    return ASKED.map((address) => live.observations(address));
  },
  geo: (buffer) => {
    const image = openGeo(buffer);
    if (verifyGeo(image).length > 0) return 'faults';
    return ASKED.map((address) => [
      image.placeJson(image.placeId(address)),
      image.networkFacts(image.networkId(address)),
    ]);
  },
};

const copyOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

/** Sections are changed one by one, so that each change is written under a right checksum. */
function sectionsOf(bytes: Uint8Array, kind: ImageKind): Uint8Array {
  const image = new Image(copyOf(bytes), kind);
  return Buffer.concat(
    image.entries.flatMap(({ id, length }) => [
      Buffer.from(id),
      Buffer.from(Uint32Array.of(length).buffer),
      image.bytes(id),
    ]),
  );
}

function sealed(input: Buffer, kind: ImageKind): ArrayBuffer {
  const sections: { id: string; data: Uint8Array }[] = [];
  for (let at = 0; at + 8 <= input.length; ) {
    const length = Math.min(input.readUInt32LE(at + 4), input.length - at - 8);
    sections.push({
      id: input.toString('latin1', at, at + 4),
      data: Uint8Array.from(input.subarray(at + 8, at + 8 + length)),
    });
    at += 8 + length;
  }
  return buildImage(kind, sections).buffer;
}

const imageTargets = (kind: 'evidence' | 'geo', bytes: Uint8Array): readonly FuzzTarget[] => [
  {
    name: `image-${kind}`,
    seeds: [bytes],
    share: 0.03,
    read: (input) => opened[kind](copyOf(input)),
    refuses: (error) => error instanceof ImageError,
  },
  {
    name: `image-${kind}-sealed`,
    seeds: [sectionsOf(bytes, kind)],
    share: 0.06,
    read: (input) => opened[kind](sealed(input, kind)),
    refuses: (error) => error instanceof ImageError,
  },
];

function inFile<Result>(name: string, bytes: Uint8Array, read: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-fuzz-'));
  const done = (): void => rmSync(folder, { recursive: true, force: true });
  let result: Result;
  try {
    writeFileSync(join(folder, name), bytes);
    result = read(join(folder, name));
  } catch (error) {
    done();
    throw error;
  }
  if (!(result instanceof Promise)) done();
  else return result.finally(done) as Result;
  return result;
}

const totals = (): Uint8Array => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-fuzz-'));
  try {
    writeTotals(
      folder,
      DAY,
      [`charges-${DAY}-a-1.log`],
      [
        { h1: 1, h2: 2, pool: 1, used: 5, refunded: 1 },
        { h1: -3, h2: 4, pool: 2, used: 7, refunded: 0 },
      ],
    );
    return readFileSync(join(folder, totalsName(DAY)));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const phoneFile = (format: PhoneFormat, seeds: readonly (string | Uint8Array)[], name = 'drop'): FuzzTarget => ({
  name: `phone-file-${format}${name.endsWith('.gz') ? '-gz' : ''}`,
  seeds: seeds.map((seed) => (typeof seed === 'string' ? text(seed) : seed)),
  share: 0.2,
  read: (input) =>
    inFile(name, input, async (path) => {
      const rows: unknown[] = [];
      for await (const batch of readPhoneFile(path, {
        format,
        columns: new Map(),
        deletions: false,
        seenAt: '2026-11-20T00:00:00Z',
        signal: new AbortController().signal,
      }))
        rows.push(...batch);
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
      return rows;
    }),
  // The message of a fault must not hold the file's text: it may be a phone number.
  refuses: (error) =>
    /^the file (?:has no column|is not)|drop\S* is (?:a|packed with) /.test(error.message) ||
    String((error as NodeJS.ErrnoException).code).startsWith('Z_'),
});

const NDJSON =
  '{"number":"+8613800138000","risk":3,"tags":[104],"last_active":"2026-11-20T00:00:00Z"}\n{"number":"+6591234567","deleted":true}\n';

export const STORE_TARGETS: readonly FuzzTarget[] = [
  ...imageTargets('geo', syntheticGeo()),
  ...imageTargets('evidence', evidenceBytes()),
  {
    name: 'ledger-totals',
    seeds: [totals()],
    read: (input) => {
      const fault = verifyTotals(input, DAY);
      const { folded, totals: rows } = parseTotals(input, DAY);
      assert.ok(rows.size * RECORD_BYTES <= input.length);
      return [fault, [...folded], [...rows]];
    },
  },
  {
    name: 'ledger-log',
    seeds: [
      totals().subarray(-2 * RECORD_BYTES),
      Buffer.concat([totals().subarray(-RECORD_BYTES), Buffer.alloc(64, 0x52)]),
    ],
    read: (input) => {
      const records: unknown[] = [];
      const result = readRecords(input, (record) => records.push(record));
      assert.equal(result.readable, records.length);
      assert.ok(result.unreadable >= 0 && result.tornBytes >= 0 && result.tornBytes <= input.length);
      return [result, records];
    },
  },
  {
    name: 'folder-record',
    seeds: ['{"format":1,"parts":{"secret":{"store":"file","id":"a"}}}'].map(text),
    read: (input) => readFolderRecord(input.toString()),
  },
  phoneFile('ndjson', [NDJSON]),
  phoneFile('csv', ['number;risk;tags\n+8613800138000;3;104\n"+65 9123;4567";9;\n']),
  phoneFile('ip1sms', ['{\n"8613800138000": "2026-11-20",\n"6591234567": "2026-01-01"\n}']),
  phoneFile('list', ['+8613800138000\n+6591234567\n# x\n']),
  phoneFile('auto', [NDJSON, 'number,risk\n+861,2\n', '{"861":"2026-01-01"}']),
  phoneFile('auto', [gzipSync(NDJSON)], 'drop.gz'),
];
