import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateTarget } from './is-private-target.ts';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'lists.example': ['45.1.1.1'],
  'cdn.example': ['46.1.1.1', '2a00::1'],
  'inside.example': ['46.1.1.1', '10.0.0.7'],
  'mirror.lan': ['192.168.1.5'],
  '[::1]': ['::1'],
  '169.254.169.254': ['169.254.169.254'],
  '127.0.0.1': ['127.0.0.1'],
};
const leadsInside = (from: string, to: string): Promise<boolean> =>
  isPrivateTarget(new URL(from), new URL(to), async (host) => ADDRESSES[host]!);

test('a redirect to another host at a private or reserved address is refused, whatever its name and wherever it comes from', async () => {
  const list = 'https://lists.example/list';
  assert.equal(await leadsInside(list, 'https://cdn.example/list'), false);
  for (const inside of [
    'https://inside.example/',
    'https://mirror.lan/',
    'http://[::1]/',
    'http://169.254.169.254/latest',
  ])
    assert.equal(await leadsInside(list, inside), true, inside);
  for (const [from, to] of [
    ['http://mirror.lan/list', 'http://[::1]/list'],
    ['http://mirror.lan/list', 'http://mirror.lan:9000/list'],
    ['http://127.0.0.1:8000/list', 'http://127.0.0.1:8001/list'],
  ] as const)
    assert.equal(await leadsInside(from, to), true, `${from} to ${to}: another service of the inside`);
  assert.equal(await leadsInside('http://mirror.lan/list', 'http://mirror.lan/newer'), false, 'the same host');
  assert.equal(await leadsInside('http://mirror.lan/list', 'https://cdn.example/list'), false);
});
