import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { freePort } from '../../../test/support/free-port.ts';
import type { PackedCaptures } from '../../service/intake/intake-ports.ts';
import { HttpReceiver } from './http-receiver.ts';

const AT = Date.UTC(2026, 7, 22, 16, 0, 0, 250);
const ROWS =
  '{"ip":"1.2.3.4","captured_at":"2026-08-22T16:00:00.250Z","first_captured_at":"2026-08-22T16:00:00.000Z"}\n';
const BATCH: PackedCaptures = { id: 'batch-1', body: gzipSync(ROWS), isFinal: false };

/** The service: it answers as the test says, and records its requests. */
let server: Server;
let answer: { status: number; body: object; headers: Record<string, string> };
let sent: { path: string; headers: IncomingHttpHeaders; rows: string }[];
let skews: number[];
/** Headers of requests without rows. */
let beats: IncomingHttpHeaders[];

before(async () => {
  server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (body.length === 0) beats.push(request.headers);
    else sent.push({ path: request.url!, headers: request.headers, rows: String(gunzipSync(body)) });
    response.sendDate = false;
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
after(() => server.close());
beforeEach(() => {
  answer = { status: 202, body: { lines: 1, accepted: 1, added: 1, refused: {} }, headers: {} };
  [sent, skews, beats] = [[], [], []];
});

const receiver = (): HttpReceiver =>
  new HttpReceiver({
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    key: 'pk_test',
    source: 'trap-1',
    now: () => AT,
    onSkew: (ms) => skews.push(ms),
  });

describe('a batch', () => {
  test('is sent packed, with its id and the key, and is taken', async () => {
    assert.deepEqual(await receiver().send(BATCH), { status: 'taken', replayed: false, accepted: 1, refused: 0 });
    const [{ path, headers, rows }] = sent as [(typeof sent)[0]];
    assert.deepEqual([path, rows], ['/v1/evidence?source=trap-1', ROWS]);
    assert.deepEqual(
      [headers['x-api-key'], headers['idempotency-key'], headers['content-encoding'], headers['content-type']],
      ['pk_test', 'batch-1', 'gzip', 'application/x-ndjson'],
    );
  });

  test('that was taken before is taken', async () => {
    answer.body = { accepted: 0, refused: { ahead_of_clock: { count: 2 } }, replayed: true };
    assert.deepEqual(await receiver().send(BATCH), { status: 'taken', replayed: true, accepted: 0, refused: 2 });
  });

  test('has its times put right by the clock of the service, before it is sent', async () => {
    answer.headers = { 'x-pulse-time': String(AT + 60_000) };
    const sender = receiver();
    for (let i = 0; i < 2; i++)
      assert.equal(
        await finished(sender),
        '{"ip":"1.2.3.4","captured_at":"2026-08-22T16:01:00.251Z","first_captured_at":"2026-08-22T16:01:00.001Z"}\n',
      );
    assert.deepEqual([sent, skews], [[], [60_001]]);
  });

  test('keeps its times where a Date of whole seconds cannot say better', async () => {
    answer.headers = { date: new Date(AT).toUTCString() };
    assert.deepEqual([await finished(receiver()), skews], [ROWS, []]);
  });
});

/** Returns the rows as the batch would send them. */
async function finished(sender: HttpReceiver): Promise<string> {
  const result = await sender.finish(BATCH);
  assert.ok(result.status === 'finished');
  return String(gunzipSync(result.body));
}

describe('an answer', () => {
  const LATER = [
    [429, { 'retry-after': '7' }, 7000],
    [503, {}, undefined],
    [401, {}, 300_000],
    [403, { 'retry-after': '1' }, 300_000],
    [302, { location: 'https://example.com/' }, undefined],
    [500, {}, undefined],
  ] as const;
  for (const [status, headers, retryAfterMs] of LATER)
    test(`${status} is tried again later`, async () => {
      answer = { status, body: { error: { code: 'reason' } }, headers: { ...headers } as Record<string, string> };
      assert.deepEqual(await receiver().send(BATCH), {
        status: 'later',
        reason: `${status} reason`,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
    });
  for (const status of [400, 413, 415])
    test(`${status} refuses the batch`, async () => {
      answer = { status, body: { error: { code: 'bad' } }, headers: {} };
      assert.deepEqual(await receiver().send(BATCH), { status: 'refused', reason: `${status} bad` });
    });
});

test('a service that is away is tried again later, and its address is not in the reason', async () => {
  const gone = new HttpReceiver({
    url: `http://127.0.0.1:${await freePort()}`,
    key: 'pk_test',
    source: 's',
    now: Date.now,
    onSkew: () => undefined,
  });
  for (const result of [await gone.send(BATCH), await gone.finish(BATCH)])
    assert.deepEqual(result, { status: 'later', reason: 'ECONNREFUSED' });
});

test('a batch that cannot be unpacked is refused when its times must be moved', async () => {
  answer.headers = { 'x-pulse-time': String(AT + 60_000) };
  assert.equal(
    (await receiver().finish({ id: 'x', body: new Uint8Array([1, 2, 3]), isFinal: false })).status,
    'refused',
  );
});

test('a heartbeat carries the clock of the sensor and no rows, and why it was not heard comes back', async () => {
  const sender = receiver();
  assert.equal(await sender.heartbeat(), undefined);
  assert.deepEqual([sent, beats.map((headers) => headers['x-pulse-sent-at'])], [[], [String(AT)]]);
  answer = { status: 403, body: { error: { code: 'forbidden' } }, headers: {} };
  assert.equal(await sender.heartbeat(), '403 forbidden');
  const nowhere = new HttpReceiver({
    url: `http://127.0.0.1:${await freePort()}`,
    key: 'pk_test',
    source: 'trap-1',
    now: () => AT,
    onSkew: () => {},
  });
  assert.equal(await nowhere.heartbeat(), 'ECONNREFUSED');
});
