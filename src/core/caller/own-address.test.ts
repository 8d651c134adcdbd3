import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownAddress, sameAddresses } from './client-address.ts';

test('a service on loopback has the loopback name that was asked, and no other header changes its address', () => {
  const base = 'http://127.0.0.1:8080';
  const cases: readonly (readonly [string | undefined, string])[] = [
    ['localhost:8080', 'http://localhost:8080'],
    ['LOCALHOST:8080', 'http://localhost:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['127.0.0.1:8080', base],
    ['localhost:9000', 'http://localhost:9000'],
    ['localhost', 'http://localhost'],
    ...[undefined, '', 'evil.example', 'evil.example:8080', '192.0.2.1:8080', '0.0.0.0:8080', '[::]:8080'].map(
      (host) => [host, base] as const,
    ),
    ...['localhost.evil.example', 'localhost@evil.example', 'localhost/x', 'localhost:99999', '127.1', 'a b'].map(
      (host) => [host, base] as const,
    ),
  ];
  for (const [host, address] of cases) assert.equal(ownAddress(base)(host), address, String(host));
  assert.equal(ownAddress('http://localhost:1')('127.0.0.1:1'), 'http://127.0.0.1:1');
});

test('a service with a public address has that one alone', () => {
  for (const base of ['https://pulse.example', 'http://192.0.2.1:8080'])
    for (const host of ['localhost:8080', '127.0.0.1', 'evil.example', undefined])
      assert.equal(ownAddress(base)(host), base);
  assert.deepEqual(sameAddresses('https://pulse.example'), ['https://pulse.example']);
});

test('the loopback names with one port are one service', () => {
  assert.deepEqual(sameAddresses('http://localhost:8080'), [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ]);
});
