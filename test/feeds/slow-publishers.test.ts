/** Publishers that hang: one deadline ends their reading and says so, and lists behind them are read meanwhile. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { webReader } from '../../src/adapters/feeds/open-feeds.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { Ingest } from '../../src/apps/ingest/ingest.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { worded } from '../../src/core/texts/said.ts';
import { unixMs } from '../../src/core/units.ts';
import { SLOW_AFTER_MS } from '../../src/service/feeds/due-at.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { refreshFeeds } from '../../src/service/feeds/refresh-feeds.ts';
import { eventually } from '../support/eventually.ts';
import { feedParts, NOW, plainFeed, recordingStore } from '../support/feed-parts.ts';
import { mirrorContent } from '../support/followed-feeds.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function publisher(answer: Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list` };
}

const LIST = '8.8.8.8\n8.8.4.4\n';
const good: Answer = (_, response) => response.end(LIST);
const silent: Answer = () => {};
const leading: Answer = ({ url }, response) =>
  url === '/list' ? response.writeHead(302, { location: '/quiet' }).end() : undefined;
function setup(deadlineMs: number, mirror?: string) {
  const { store, runs } = recordingStore();
  const { clock, states, bodies, parts } = feedParts(store);
  const reader = webReader(bodies, mirror, (request) =>
    readFeed(request.from === 'web' ? { ...request, pauseMs: 1, deadlineMs } : request),
  );
  return { clock, runs, states, reader, parts };
}

const reasonOf = async (one: Feed, { reader, parts }: ReturnType<typeof setup>): Promise<string> => {
  const outcome = await refreshFeed(one, reader, parts);
  return 'reason' in outcome ? worded(outcome.reason) : outcome.status;
};

test('a reading ends at its deadline whatever hangs, with all its attempts, redirects and files, and says that it was cut', async () => {
  const uuid = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;
  const misp: Answer = (request, response) =>
    request.url!.endsWith('manifest.json')
      ? response.end(JSON.stringify({ [uuid(1)]: { timestamp: '1755820800' } }))
      : undefined;
  const cases: readonly (readonly [string, Answer, Partial<Feed>, string])[] = [
    ['redirect', leading, {}, ''],
    ['events', misp, { manifestEvents: 3, format: { kind: 'misp' } }, '/feed/manifest.json'],
  ];
  const reasons = cases.map(async ([id, answer, more, path]) => {
    const { url } = await publisher(answer);
    return reasonOf(plainFeed(id, path === '' ? url : new URL(path, url).href, more), setup(400));
  });
  for (const [index, reason] of (await Promise.all(reasons)).entries())
    assert.match(reason, /^127\.0\.0\.1:\d+: the reading was cut after 0\.4 s/, cases[index]![0]);
});

test('attempts that fail do not outlast the deadline either, and the cut names the fault before', async () => {
  let tries = 0;
  const { url } = await publisher((_, response) => (++tries < 3 ? response.writeHead(503).end() : undefined));
  assert.match(await reasonOf(plainFeed('busy', url), setup(400)), /cut after 0\.4 s \(status 503\)$/);
});

test('a mirror that hangs is not asked under the other names, and its answer for them does not hide the cause', async () => {
  const answering = (statuses: readonly (number | undefined)[]): Answer => {
    let asked = 0;
    return (_, response) => {
      const status = statuses[asked++];
      if (status !== undefined) response.writeHead(status).end(LIST);
    };
  };
  const reading = async (statuses: readonly (number | undefined)[]) => {
    const { url, asked } = await publisher(answering(statuses));
    return {
      reason: await reasonOf(
        plainFeed('named', 'https://unused.example/', { files: ['a.txt', 'b.txt'] }),
        setup(2000, url.replace('/list', '')),
      ),
      asked,
    };
  };
  const hung = await reading([undefined]);
  assert.match(hung.reason, /cut after/);
  assert.deepEqual(hung.asked, ['/a.txt']);
  assert.match((await reading([404, 403, 404, 404, 404, 404])).reason, /: status 403$/);
  assert.match((await reading([404, 404, 404, 410, 404, 404])).reason, /: status 404 for each of its 6 names$/);
  assert.match((await reading([503, 503, 503, 404, 404, 404, 404, 404])).reason, /: status 503$/);
  const found = await reading([404, 403, 404, 200, 404]);
  assert.deepEqual(
    [found.reason, found.asked],
    ['accepted', ['/a.txt', '/a.txt.gz', '/a.txt.zst', '/b.txt', '/manifest.json']],
  );
});

test('the schedule reads a good list behind publishers that hang, and next time before them', async () => {
  const [quiet, sound] = [await publisher(silent), await publisher(good)];
  const { clock, runs, states, reader, parts } = setup(600_000);
  const hanging = ['h1', 'h2', 'h3', 'h4'].map((id) => plainFeed(id, `${quiet.url}/${id}`));
  const ingest = new Ingest({
    ...parts,
    catalogue: [],
    switches: { off: () => new Set() },
    mirror: mirrorContent(),
    source: { kind: 'schedule', feeds: [...hanging, plainFeed('good', sound.url)], reader },
    onNetworkLists: () => {},
    onHealth: () => {},
    log: { info: () => {}, error: () => {}, warn: () => {} },
    random: () => 0,
    bodyOf: () => new Uint8Array(),
    readerOf: () => reader,
  });
  for (let share = 0; share < 3; share++) {
    assert.deepEqual(sound.asked, [], 'two at a time, in their order');
    await ingest.tick();
    clock.at = unixMs(clock.at + SLOW_AFTER_MS);
  }
  await eventually(() => runs.length === 1);
  const sources = runs.map(({ source }) => source);
  assert.deepEqual(sources, ['good']);
  quiet.server.close().closeAllConnections();
  await ingest.idle();
  assert.ok(hanging.every(({ id }) => states.get(id).tookMs! >= SLOW_AFTER_MS && states.get(id).failures === 1));
  // All are due again; those that hung wait until the quick one has begun, and take none of its slots.
  clock.at = unixMs(clock.at + 24 * 3_600_000);
  await ingest.tick();
  await ingest.idle();
  assert.deepEqual(
    runs.map(({ source }) => source),
    ['good', 'good'],
  );
  await ingest.stop();
});

test('a refresh by hand yields a good list before those in front of it that hang', async () => {
  const [quiet, sound] = [await publisher(silent), await publisher(good)];
  const { clock, reader, parts } = setup(600_000);
  const outcomes: string[] = [];
  void eventually(() => quiet.asked.length === 2).then(() => {
    clock.at = unixMs(NOW + SLOW_AFTER_MS);
  });
  for await (const event of refreshFeeds(
    [plainFeed('h1', quiet.url), plainFeed('h2', `${quiet.url}/2`), plainFeed('good', sound.url)],
    reader,
    parts,
  )) {
    outcomes.push(`${event.feed.id} ${event.outcome.status}`);
    quiet.server.close().closeAllConnections();
  }
  assert.equal(outcomes[0], 'good accepted');
  assert.deepEqual(outcomes.slice(1).sort(), ['h1 failed', 'h2 failed']);
});
