import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../../test/spec/covers.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { PhoneChange } from '../../../service/phone/phone-libraries.ts';
import { numberKey } from '../number-key.ts';
import { FileLibraryWriter } from './file-library-writer.ts';
import { foldBound } from './fold-increments.ts';
import { LibraryWatch } from './library-watch.ts';
import { SharedPhoneLibraries } from './shared-phone-libraries.ts';

const key = numberKey(new Uint8Array(32).fill(7));
const T0 = Date.parse('2026-11-20T00:00:00Z');
const at = (minute: number): UnixMs => unixMs(T0 + minute * 60_000);
const number = (n: number): string => `861380000${String(n).padStart(4, '0')}`;
const ALL = Array.from({ length: 40 }, (_, n) => number(n));
async function* one(rows: readonly PhoneChange[]): AsyncGenerator<readonly PhoneChange[]> {
  yield rows;
}

interface Twin {
  readonly folder: string;
  readonly writer: FileLibraryWriter;
  readonly watch: LibraryWatch;
  readonly libraries: SharedPhoneLibraries;
}

async function withTwins(run: (folding: Twin, plain: Twin) => Promise<void>): Promise<void> {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'pulse-phone-')));
  try {
    const twins = folders.map((folder, index): Twin => {
      const writer = new FileLibraryWriter(folder, key, {
        foldBound: index === 0 ? () => 300 : () => Number.POSITIVE_INFINITY,
      });
      return { folder, writer, watch: new LibraryWatch(folder, key), libraries: new SharedPhoneLibraries(key) };
    });
    await run(twins[0]!, twins[1]!);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

const state = async ({ watch, libraries }: Twin): Promise<unknown> => {
  await watch.poll();
  libraries.use(watch.shared());
  return { answer: libraries.lookup(ALL), state: libraries.state() };
};

const entry = fc.record({
  n: fc.integer({ min: 0, max: 39 }),
  risk: fc.integer({ min: 0, max: 9 }),
  tags: fc.uniqueArray(fc.integer({ min: 101, max: 130 }), { maxLength: 3 }),
  carrier: fc.constantFrom(undefined, 'CMCC', 'CUCC'),
  days: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
  gone: fc.boolean(),
});

test('a library folded time and again answers as its twin that never was: entries, deletions, versions, times and counts', async () => {
  covers('PHONE-COMPACT');
  const batches = fc.array(fc.array(entry, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(batches, (all) =>
      withTwins(async (folding, plain) => {
        for (const [index, batch] of all.entries()) {
          const rows = batch.map(({ n, risk, tags, carrier, days, gone }): PhoneChange => {
            if (gone && index > 0) return { digits: number(n), deleted: true };
            const card = carrier === undefined ? {} : { card: { carrier } };
            return {
              digits: number(n),
              entry: {
                risk,
                tags,
                lastActive: at(index),
                ...(days === undefined ? {} : { observedDays: days }),
                ...card,
              },
            };
          });
          for (const { writer } of [folding, plain]) {
            if (index === 0)
              for (const library of ['cn', 'sg'] as const)
                await writer.replace(library, one(rows), { dataVersion: 'full', at: at(0) });
            else await writer.apply('cn', one(rows), { dataVersion: `minute-${index}`, at: at(index) });
          }
          assert.deepEqual(await state(folding), await state(plain));
        }
        // A reader that starts now sees the same as one that followed.
        const fresh: Twin = {
          ...folding,
          watch: new LibraryWatch(folding.folder, key),
          libraries: new SharedPhoneLibraries(key),
        };
        assert.deepEqual(await state(fresh), await state(plain));
      }),
    ),
    { numRuns: 25 },
  );
});

test('a fold leaves one generation more, an empty log, and the file before for readers that are still loading it', () =>
  withTwins(async ({ folder, writer }) => {
    await writer.replace('cn', one([{ digits: number(1), entry: { risk: 5, tags: [], lastActive: at(0) } }]), {
      dataVersion: '1',
      at: at(0),
    });
    const rows = Array.from(
      { length: 20 },
      (_, n): PhoneChange => ({ digits: number(n), entry: { risk: 1, tags: [], lastActive: at(1) } }),
    );
    await writer.apply('cn', one(rows), { dataVersion: '2', at: at(1) });
    assert.deepEqual(readdirSync(join(folder, 'cn')).sort(), ['1.gen', '1.log', '2.gen', 'current.json']);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'cn/current.json'), 'utf8')), {
      generation: '2.gen',
      log: '2.log',
    });
  }));

test('a damaged generation is not folded into a sound one: the import says so, and what served still does', () =>
  withTwins(async (folding) => {
    const { folder, writer } = folding;
    for (const library of ['cn', 'sg'] as const)
      await writer.replace(library, one([{ digits: number(1), entry: { risk: 5, tags: [], lastActive: at(0) } }]), {
        dataVersion: '1',
        at: at(0),
      });
    await state(folding);
    const path = join(folder, 'cn/1.gen');
    const bytes = readFileSync(path);
    bytes[80] = bytes[80]! ^ 1;
    writeFileSync(path, bytes);
    const rows = Array.from(
      { length: 20 },
      (_, n): PhoneChange => ({ digits: number(n), entry: { risk: 1, tags: [], lastActive: at(1) } }),
    );
    await assert.rejects(
      writer.apply('cn', one(rows), { dataVersion: '2', at: at(1) }),
      /the increment is in, but .* damaged/,
    );
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'cn/current.json'), 'utf8')), {
      generation: '1.gen',
      log: '1.log',
    });
    await state(folding);
    assert.equal(folding.libraries.lookup([number(3)]).findings[0]?.[0]?.entry.risk, 1);
    assert.equal(readdirSync(join(folder, 'cn')).includes('2.gen'), false);
  }));

test('the bound grows with the library, from 64 MiB on', () => {
  assert.equal(foldBound(0), 64 * 1024 * 1024);
  assert.equal(foldBound(256 * 1024 * 1024), 64 * 1024 * 1024);
  assert.equal(foldBound(4 * 1024 ** 3), 1024 ** 3);
});
