import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FeedStateFiles } from '../../src/adapters/feeds/feed-state-files.ts';
import { DatabaseLibraryWriter } from '../../src/adapters/phone-db/database-library-writer.ts';
import { DatabasePhoneLibraries } from '../../src/adapters/phone-db/database-phone-libraries.ts';
import {
  folderPhoneReader,
  publisherPhoneReader,
  webMirrorPhoneReader,
} from '../../src/adapters/phone-db/feeds/phone-readers.ts';
import { numberKey } from '../../src/adapters/phone-db/number-key.ts';
import { PHONE_FEEDS } from '../../src/adapters/phone-db/open-phone-feeds.ts';
import { SqlitePhoneDatabase } from '../../src/adapters/phone-db/sqlite-phone-database.ts';
import type { PhoneFinding } from '../../src/core/phone/entry.ts';
import { unixMs } from '../../src/core/units.ts';
import type { PhoneFeed, PhoneFeedReader } from '../../src/service/phone/phone-feed.ts';
import type { LibraryState, PhoneChange } from '../../src/service/phone/phone-libraries.ts';
import { refreshPhoneFeed } from '../../src/service/phone/refresh-phone-feed.ts';
import { testFolder } from '../support/test-folder.ts';

const key = numberKey(new Uint8Array(32).fill(7));
const START = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const [castle, ip1sms] = PHONE_FEEDS.map(
  (feed): PhoneFeed => ({ ...feed, bounds: { ...feed.bounds, minRows: 2 } }),
) as [PhoneFeed, PhoneFeed];
const mainland = '+8613800138000';
const abroad = (index: number) => `+4474001234${String(index).padStart(2, '0')}`;
const textOf = (...numbers: string[]) => `${numbers.join('\n')}\n`;

/** A publisher on this machine: bodies by path, with ETags; counts its requests. */
async function publisher(bodies: Map<string, string | Buffer>) {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const body = bodies.get(url);
    const etag = `"${Buffer.from(String(body)).toString('base64url').slice(-40)}"`;
    const known = headers['if-none-match'] === etag;
    asked.push(`${url}${known ? ' 304' : ''}`);
    if (body === undefined) response.writeHead(404).end();
    else if (known) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { asked, base: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

interface Bench {
  readonly folder: string;
  refresh(feed: PhoneFeed, reader: PhoneFeedReader): ReturnType<typeof refreshPhoneFeed>;
  entry(number: string): Promise<readonly PhoneFinding[]>;
  state(): Promise<readonly LibraryState[]>;
  fill(dataVersion: string): Promise<void>;
  advance(ms: number): void;
}

async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = testFolder('phone-feeds');
  const database = new SqlitePhoneDatabase(join(folder, 'phone.db'));
  const writer = new DatabaseLibraryWriter(database, key);
  const libraries = new DatabasePhoneLibraries(database, key);
  const states = new FeedStateFiles(join(folder, 'feeds'));
  let now = START;
  async function* nothing(): AsyncGenerator<readonly PhoneChange[]> {}
  const fill = async (dataVersion: string): Promise<void> => {
    for (const library of ['cn', 'sg'] as const)
      await writer.replace(library, nothing(), { dataVersion, at: unixMs(now) });
  };
  try {
    await fill('1');
    await work({
      folder,
      refresh: (feed, reader) => refreshPhoneFeed(feed, reader, { writer, states, clock: { now: () => unixMs(now) } }),
      entry: async (number) => (await libraries.lookup([number.slice(1)])).findings[0] ?? [],
      state: () => libraries.state(),
      fill,
      advance: (ms) => {
        now += ms;
      },
    });
  } finally {
    await writer.close();
  }
}

const increments = async (bench: Bench) => (await bench.state()).map(({ loads }) => loads.increments.length);

test('a list without dates speaks for its commit, is asked for conditionally, and unchanged content adds nothing', () =>
  withBench(async (bench) => {
    const committed = '2026-11-20T06:03:15Z';
    const bodies = new Map<string, string>([
      ['/list', textOf(mainland, abroad(1), abroad(2))],
      [
        '/commits',
        `<feed><updated>2026-11-21T00:00:00Z</updated><entry><id>x</id><updated>${committed}</updated></entry></feed>`,
      ],
    ]);
    const server = await publisher(bodies);
    try {
      const feed = { ...castle, url: `${server.base}/list`, commits: `${server.base}/commits` };
      assert.deepEqual(await bench.refresh(feed, publisherPhoneReader), {
        status: 'accepted',
        rows: 3,
        runAt: Date.parse(committed),
        changed: true,
      });
      assert.deepEqual(await bench.entry(mainland), [
        { library: 'cn', entry: { tags: [104], lastActive: Date.parse(committed), observedDays: 1 } },
      ]);
      assert.equal((await bench.entry(abroad(1)))[0]?.library, 'sg');
      assert.deepEqual(await increments(bench), [1, 1]);
      bench.advance(24 * HOUR);
      const again = await bench.refresh(feed, publisherPhoneReader);
      assert.deepEqual(again, { status: 'accepted', rows: 3, runAt: Date.parse(committed), changed: false });
      assert.deepEqual(server.asked, ['/list', '/commits', '/list 304']);
      assert.deepEqual(await increments(bench), [1, 1]);
      // Another full load took the numbers away; the same content is put on top again, and still speaks for its commit.
      await bench.fill('2');
      assert.equal((await bench.refresh(feed, publisherPhoneReader)).status, 'accepted');
      assert.equal((await bench.entry(mainland))[0]?.entry.lastActive, Date.parse(committed));
    } finally {
      await server.close();
    }
  }));

test('where the publisher gives no time, the first reading of this content speaks, and never a later one', () =>
  withBench(async (bench) => {
    const server = await publisher(new Map([['/list', textOf(abroad(1), abroad(2))]]));
    try {
      const feed = { ...castle, url: `${server.base}/list`, commits: `${server.base}/none` };
      await bench.refresh(feed, publisherPhoneReader);
      bench.advance(24 * HOUR);
      await bench.refresh(feed, publisherPhoneReader);
      await bench.fill('2');
      await bench.refresh(feed, publisherPhoneReader);
      assert.equal((await bench.entry(abroad(1)))[0]?.entry.lastActive, START);
    } finally {
      await server.close();
    }
  }));

test('a dated list keeps each number’s own day, and only numbers of which something is new are written', () =>
  withBench(async (bench) => {
    const folder = join(bench.folder, 'mirror');
    mkdirSync(join(folder, 'phone'), { recursive: true });
    const write = (list: Record<string, string>) =>
      writeFileSync(join(folder, 'phone/ip1sms-number-list.json.gz'), gzipSync(JSON.stringify(list)));
    const reader = folderPhoneReader(folder);
    write({ '8613800138000': '2026-01-05', '447400123401': '2026-11-19' });
    const first = await bench.refresh(ip1sms, reader);
    assert.equal(first.status === 'accepted' && first.runAt, Date.parse('2026-11-19T00:00:00Z'));
    assert.equal((await bench.entry(mainland))[0]?.entry.lastActive, Date.parse('2026-01-05T00:00:00Z'));
    write({ '8613800138000': '2026-01-05', '447400123401': '2026-11-20' });
    await bench.refresh(ip1sms, reader);
    assert.deepEqual(await increments(bench), [1, 2]);
    assert.deepEqual((await bench.entry(abroad(1)))[0]?.entry, {
      tags: [104],
      lastActive: Date.parse('2026-11-20T00:00:00Z'),
      observedDays: 2,
    });
  }));

test('a mirror’s manifest says when, for a mirror address as for a folder', () =>
  withBench(async (bench) => {
    const manifest = JSON.stringify({
      files: { 'phone/castle-disposable-phone-numbers.txt': { published_at: '2026-08-22T00:00:00Z' } },
    });
    const folder = join(bench.folder, 'mirror');
    mkdirSync(join(folder, 'phone'), { recursive: true });
    writeFileSync(join(folder, 'phone/castle-disposable-phone-numbers.txt'), textOf(abroad(1), abroad(2)));
    writeFileSync(join(folder, 'manifest.json'), manifest);
    await bench.refresh(castle, folderPhoneReader(folder));
    assert.equal((await bench.entry(abroad(1)))[0]?.entry.lastActive, Date.parse('2026-08-22T00:00:00Z'));
    const server = await publisher(
      new Map<string, string | Buffer>([
        ['/m/castle-disposable-phone-numbers.txt.gz', gzipSync(textOf(abroad(3), abroad(4)))],
        ['/m/manifest.json', manifest],
      ]),
    );
    try {
      await bench.refresh(castle, webMirrorPhoneReader(`${server.base}/m`));
      assert.equal((await bench.entry(abroad(3)))[0]?.entry.lastActive, Date.parse('2026-08-22T00:00:00Z'));
    } finally {
      await server.close();
    }
  }));

test('a page, half a list, too many bytes, or a publisher that is away: refused or failed, without a number, and stored records stay', () =>
  withBench(async (bench) => {
    const bodies = new Map([['/list', textOf(...Array.from({ length: 6 }, (_, index) => abroad(index)))]]);
    const server = await publisher(bodies);
    const feed = { ...castle, url: `${server.base}/list`, bounds: { ...castle.bounds, maxBytes: 4000 } };
    const outcome = async (body: string | undefined) => {
      if (body === undefined) bodies.delete('/list');
      else bodies.set('/list', body);
      const result = await bench.refresh(feed, publisherPhoneReader);
      assert.doesNotMatch(JSON.stringify(result), /\d{7}/);
      return result.status;
    };
    try {
      assert.equal((await bench.refresh(feed, publisherPhoneReader)).status, 'accepted');
      assert.equal(await outcome('<html>+447400123499</html>'), 'refused');
      assert.equal(await outcome(textOf(abroad(1), abroad(2))), 'refused');
      assert.equal(
        await outcome(textOf(...Array.from({ length: 999 }, (_, index) => `+4474${String(index).padStart(8, '0')}`))),
        'failed',
      );
      assert.equal(await outcome(undefined), 'failed');
      assert.equal((await bench.entry(abroad(5))).length, 1);
      assert.deepEqual(await increments(bench), [0, 1]);
    } finally {
      await server.close();
    }
  }));
