import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { covers } from '../../../test/spec/covers.ts';
import { fetchFeed } from '../feeds/fetch-feed.ts';
import { ReadingDeadline } from '../feeds/reading-deadline.ts';
import { PinnedHosts } from './pinned-hosts.ts';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'lists.example': ['45.1.1.1'],
  'cdn.example': ['46.1.1.1', '2a00::1'],
  'inside.example': ['46.1.1.1', '10.0.0.7'],
  'mirror.lan': ['192.168.1.5'],
  '::1': ['::1'],
  '2002:a00:1::1': ['2002:a00:1::1'],
  '2002:2d01:101::1': ['2002:2d01:101::1'],
  '169.254.169.254': ['169.254.169.254'],
  '127.0.0.1': ['127.0.0.1'],
};
const leadsInside = (from: string, to: string): Promise<boolean> =>
  new PinnedHosts(async (host) => ADDRESSES[host]!.map((address) => ({ address, family: 4 }))).isPrivateTarget(
    new URL(from),
    new URL(to),
  );

test('a redirect to another host at a private or reserved address is refused, whatever its name and wherever it comes from', async () => {
  const list = 'https://lists.example/list';
  assert.equal(await leadsInside(list, 'https://cdn.example/list'), false);
  for (const inside of [
    'https://inside.example/',
    'https://mirror.lan/',
    'http://[::1]/',
    'http://[2002:a00:1::1]/',
    'http://169.254.169.254/latest',
  ])
    assert.equal(await leadsInside(list, inside), true, inside);
  assert.equal(await leadsInside(list, 'http://[2002:2d01:101::1]/'), false, '6to4 of a public address');
  for (const [from, to] of [
    ['http://mirror.lan/list', 'http://[::1]/list'],
    ['http://mirror.lan/list', 'http://mirror.lan:9000/list'],
    ['http://127.0.0.1:8000/list', 'http://127.0.0.1:8001/list'],
  ] as const)
    assert.equal(await leadsInside(from, to), true, `${from} to ${to}: another service of the inside`);
  assert.equal(await leadsInside('http://mirror.lan/list', 'http://mirror.lan/newer'), false, 'the same host');
  assert.equal(await leadsInside('http://mirror.lan/list', 'https://cdn.example/list'), false);
});

test('a name that changes its address after it was judged is asked for once, and the connection goes to the address that was judged', async () => {
  covers('FEEDS-PINNED');
  const asked: string[] = [];
  const inside = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    if (request.url === '/start') response.writeHead(302, { location: `http://rebind.example:${port}/secret` }).end();
    else if (request.url === '/twice') response.writeHead(302, { location: '/list' }).end();
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('1.2.3.4\n'));
  });
  await once(inside.listen(0, '127.0.0.1'), 'listening');
  const { port } = inside.address() as AddressInfo;
  const questions: string[] = [];
  // A public address at the first question, which the check asks, and this machine at every later one.
  const resolve = async (host: string) => {
    questions.push(host);
    const isFirst = questions.filter((one) => one === host).length === 1;
    const address = host === 'rebind.example' && isFirst ? '192.0.0.9' : '127.0.0.1';
    return [{ address, family: 4 }];
  };
  const options = {
    maxBytes: 1000,
    timeoutMs: 500,
    deadline: new ReadingDeadline(5000),
    random: () => 0,
    attempts: 1,
    resolve,
  };
  try {
    await assert.rejects(fetchFeed(`http://mirror.example:${port}/start`, undefined, options));
    assert.deepEqual(asked, [`mirror.example:${port}/start`], 'the inside is not asked under the other name');
    assert.deepEqual(questions, ['mirror.example', 'rebind.example']);

    const { status, ...rest } = await fetchFeed(`http://mirror.example:${port}/twice`, undefined, options);
    assert.deepEqual([status, 'body' in rest && String(rest.body)], ['fresh', '1.2.3.4\n']);
    assert.deepEqual(questions.slice(2), ['mirror.example'], 'a redirect to the same host asks no second time');
  } finally {
    inside.closeAllConnections();
    inside.close();
  }
});
