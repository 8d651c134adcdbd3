import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { cases } from './client-address.fixture.ts';
import { clientAddress, clientPrefix, countedClient } from './client-address.ts';

const PROXIES = ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'].map((text) => parsePrefix(text)!);
const clientOf = (peer: string, forwardedFor: string | undefined, trusted = PROXIES): string =>
  formatAddress(clientAddress(parseAnyAddress(peer)!, forwardedFor, trusted));

for (const [peer, forwardedFor, client] of cases) {
  test(`peer ${peer} with X-Forwarded-For ${JSON.stringify(forwardedFor)} is ${client}`, () =>
    assert.equal(clientOf(peer, forwardedFor), client));
}

test('without configured proxies the header means nothing', () =>
  assert.equal(clientOf('127.0.0.1', '203.0.113.1', []), '127.0.0.1'));

test('a header of thousands of trusted hops ends', () =>
  assert.equal(clientOf('127.0.0.1', Array(5000).fill('10.0.0.1').join(',')), '10.0.0.1'));

test('IPv4 is counted by address, IPv6 by its /64', () => {
  const counted = (text: string): string => countedClient(parseAnyAddress(text)!);
  assert.equal(counted('203.0.113.7'), '203.0.113.7');
  assert.equal(counted('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(counted('2001:db8:1:2:ffff::'), counted('2001:db8:1:2::1'));
  assert.notEqual(counted('2001:db8:1:3::1'), counted('2001:db8:1:2::1'));
});

test('the wider network of an IPv6 client is its /48; IPv4 has none', () => {
  assert.equal(clientPrefix('2001:db8:1:2::/64'), '2001:db8:1::/48');
  assert.equal(clientPrefix('::/64'), '::/48');
  for (const client of ['192.0.2.1', '2001:db8:1::/48', 'x/64']) assert.equal(clientPrefix(client), undefined);
});
