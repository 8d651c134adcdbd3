import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { buildImage, Image, jsonSection } from '../../engine/image.ts';
import { checkImagePlace } from './check-image-place.ts';
import { ImageBucket } from './image-bucket.ts';
import { PublishedImages } from './published-images.ts';

const image = (version: number): Uint8Array<ArrayBuffer> =>
  buildImage('assistants', [
    jsonSection('META', { version }),
    { id: 'DATA', data: new Uint32Array(50_000).fill(version) },
  ]);

interface FakeBucket {
  readonly objects: Map<string, Buffer>;
  readonly seen: { readonly method: string; readonly path: string; readonly authorization: string }[];
  /** Its clock less ours. */
  aheadMs: number;
}

/** Serves as much of S3 as the client uses, path style, with the checks that a real one makes of a request: signature header, declared length, declared body hash. */
async function startBucket(t: TestContext): Promise<FakeBucket> {
  const fake: FakeBucket = { objects: new Map(), seen: [], aheadMs: 0 };
  const server = createServer(async (request, response) => {
    response.setHeader('Date', new Date(Date.now() + fake.aheadMs).toUTCString());
    const path = decodeURIComponent(request.url!.split('?')[0]!);
    const authorization = request.headers.authorization ?? '';
    fake.seen.push({ method: request.method!, path, authorization });
    const body = await bodyOf(request);
    if (!/^AWS4-HMAC-SHA256 Credential=test-id\/\d{8}\/eu-test-1\/s3\/aws4_request/.test(authorization))
      return response.writeHead(403).end();
    if (request.method === 'PUT') {
      const hash = request.headers['x-amz-content-sha256'];
      assert.ok(
        hash === 'UNSIGNED-PAYLOAD' || hash === createHash('sha256').update(body).digest('hex'),
        `body hash ${hash}`,
      );
      assert.equal(Number(request.headers['content-length']), body.length);
      fake.objects.set(path, body);
      return response.writeHead(200, { ETag: '"1"' }).end();
    }
    if (request.method === 'DELETE') {
      fake.objects.delete(path);
      return response.writeHead(204).end();
    }
    const found = fake.objects.get(path);
    if (found === undefined)
      return response
        .writeHead(404, { 'Content-Type': 'application/xml' })
        .end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>');
    response.writeHead(200, { 'Content-Length': found.length });
    response.end(found);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env: Record<string, string> = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-test-1',
    AWS_ACCESS_KEY_ID: 'test-id',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
  };
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  t.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    server.closeAllConnections();
    server.close();
  });
  return fake;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const open = (): PublishedImages =>
  new PublishedImages(
    new ImageBucket({ bucket: 'images', prefix: 'pulse/eu/assistants', pathStyle: true }),
    'assistants',
    { keys: KEYS },
  );
const KEYS = { current: Buffer.alloc(32, 1), former: [] };
const never = (file: string, error: Error): void => assert.fail(`${file}: ${error.message}`);

test('an empty bucket has no image; a published one is loaded whole into shared memory, and only the one before it is kept', async (t) => {
  const bucket = await startBucket(t);
  const images = open();
  assert.equal(await images.current(), undefined);
  const names: string[] = [];
  for (const version of [1, 2, 3]) names.push(await images.publish(image(version)));
  const loaded = await open().load(never);
  assert.ok(loaded?.image instanceof SharedArrayBuffer);
  assert.deepEqual(new Image(loaded.image, 'assistants').json('META'), { version: 3 });
  const at = (name: string): string => `/images/pulse/eu/assistants/${name}`;
  assert.deepEqual([...bucket.objects.keys()].sort(), [at(names[1]!), at(names[2]!), at('current.json')].sort());
  const puts = bucket.seen.filter(({ method }) => method === 'PUT').map(({ path }) => path);
  assert.deepEqual(
    puts,
    [at(names[0]!), at('current.json'), at(names[1]!), at('current.json'), at(names[2]!), at('current.json')],
    'the pointer comes last',
  );
});

test('a damaged, cut-off or missing file is refused by name and the one before it is taken', async (t) => {
  const bucket = await startBucket(t);
  const images = open();
  const [first, second] = [await images.publish(image(1)), await images.publish(image(2))];
  const path = `/images/pulse/eu/assistants/${second}`;
  const whole = bucket.objects.get(path)!;
  const damaged = Buffer.from(whole);
  damaged[damaged.length - 100]! ^= 1;
  for (const state of [damaged, whole.subarray(0, whole.length / 2), undefined]) {
    if (state === undefined) bucket.objects.delete(path);
    else bucket.objects.set(path, state);
    const refused: string[] = [];
    const loaded = await images.load((file) => refused.push(file));
    assert.deepEqual([refused, loaded?.file], [[second], first]);
  }
});

test('a check of a bucket compares the clocks by the date of its answer', async (t) => {
  const fake = await startBucket(t);
  for (const [aheadMs, least, most] of [
    [0, 0, 0],
    [-90_000, -90_000, -88_000],
    [90_000, 88_000, 90_000],
  ] as const) {
    fake.aheadMs = aheadMs;
    const found = await checkImagePlace('s3://images', 5000);
    assert.ok(found.offsetMs! >= least && found.offsetMs! <= most, JSON.stringify(found));
  }
});

test('a bucket that refuses or does not answer is a fault, not an empty bucket', async (t) => {
  await startBucket(t);
  process.env['AWS_ACCESS_KEY_ID'] = 'another-account';
  await assert.rejects(open().current());
  process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:1';
  await assert.rejects(open().current());
});
