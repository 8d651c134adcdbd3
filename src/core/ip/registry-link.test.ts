import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { parseAnyAddress } from './parse-address.ts';
import { registryLink } from './registry-link.ts';

test('each address leads to RDAP of its regional registry', () => {
  covers('CASE');
  for (const [ip, link] of [
    ['8.8.8.8', 'https://rdap.arin.net/registry/ip/8.8.8.8'],
    ['185.220.101.1', 'https://rdap.db.ripe.net/ip/185.220.101.1'],
    ['119.123.64.10', 'https://rdap.apnic.net/ip/119.123.64.10'],
    ['200.89.128.1', 'https://rdap.lacnic.net/rdap/ip/200.89.128.1'],
    ['196.25.1.1', 'https://rdap.afrinic.net/rdap/ip/196.25.1.1'],
    ['2a00:1450::1', 'https://rdap.db.ripe.net/ip/2a00:1450::1'],
    ['2400:cb00::1', 'https://rdap.apnic.net/ip/2400:cb00::1'],
    ['2606:4700::1', 'https://rdap.arin.net/registry/ip/2606:4700::1'],
  ] as const)
    assert.equal(registryLink(parseAnyAddress(ip)!, ip), link);
});
