/** Server lists that VPN brands publish, in the forms of their interfaces, and lists that name hosts in place of addresses. */

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { webReader } from '../../src/adapters/feeds/open-feeds.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { type AddressesOf, askNameService } from '../../src/adapters/http-client/pinned-hosts.ts';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { covers } from '../spec/covers.ts';
import { feedParts, NOW, recordingStore } from '../support/feed-parts.ts';

let body = '';
let asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(request.headers['if-none-match']);
  response.setHeader('etag', '"same"').setHeader('last-modified', 'Sat, 21 Nov 2020 09:00:00 GMT').end(body);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
after(() => server.close());

/** The brand's row of the catalogue, read from the server above, with room for a few rows. */
const brand = (id: string) => {
  const feed = feedById(id)!;
  return { ...feed, url, bounds: { ...feed.bounds, minRows: 1 } };
};

async function addressesOf(id: string, document: unknown, names?: AddressesOf): Promise<readonly string[]> {
  body = JSON.stringify(document);
  const { parsed } = await readFeed({
    from: 'web',
    feed: brand(id),
    urls: [url],
    validators: undefined,
    bodies: feedParts(recordingStore().store).bodies,
    ...(names === undefined ? {} : { addressesOf: names }),
  });
  const { batch } = parsed;
  return Array.from({ length: batch.length }, (_, row) => {
    const [w0, w1, w2, w3] = batch.words.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
    return formatAddress({ family: batch.family[row] === 6 ? 6 : 4, w0, w1, w2, w3 });
  });
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'us-nyc.prod.surfshark.com': ['8.8.4.1', '8.8.4.2'],
  'de-fra.prod.surfshark.com': ['8.8.4.3', '8.8.4.1'],
  'nl-ams.azirevpn.net': ['8.8.5.1', '2a00:1450:4001:81b::1'],
};
const known: AddressesOf = async (host) => {
  const found = NAMES[host];
  if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  return found;
};

test('servers of AirVPN, Mullvad, OVPN and Riseup are read with all their addresses, those that are off left out', async () => {
  covers('FEEDS-BRANDS');
  const airvpn = await addressesOf('airvpn', {
    servers: [
      {
        public_name: 'Achernar',
        ...Object.fromEntries([1, 2, 3, 4].map((n) => [`ip_v4_in${n}`, `8.8.8.${n}`])),
        ...Object.fromEntries([1, 2, 3, 4].map((n) => [`ip_v6_in${n}`, `2a00:1450::${n}`])),
      },
    ],
  });
  assert.deepEqual(
    airvpn,
    [1, 2, 3, 4].flatMap((n) => [`8.8.8.${n}`]).concat([1, 2, 3, 4].map((n) => `2a00:1450::${n}`)),
  );
  const mullvad = [
    { hostname: 'a', active: true, ipv4_addr_in: '8.8.8.1', ipv6_addr_in: '2a00:1450::f001' },
    { hostname: 'b', active: false, ipv4_addr_in: '8.8.8.2', ipv6_addr_in: null },
  ];
  assert.deepEqual(await addressesOf('mullvad', mullvad), ['8.8.8.1', '2a00:1450::f001']);
  const ovpn = {
    success: true,
    datacenters: [
      {
        slug: 'vienna',
        ping_address: '9.9.9.9',
        servers: [
          { ip: '8.8.8.1', ptr: 'vpn44.prd.vienna.ovpn.com', online: true },
          { ip: '8.8.8.2', ptr: 'vpn45.prd.vienna.ovpn.com', online: false },
        ],
      },
    ],
  };
  assert.deepEqual(await addressesOf('ovpn', ovpn), ['8.8.8.1']);
  const riseup = { gateways: [{ host: 'vpn01.example', ip_address: '8.8.8.7', location: 'Paris' }], serial: 3 };
  assert.deepEqual(await addressesOf('riseup', riseup), ['8.8.8.7']);
});

test('a list of host names is read as their addresses; names outside the brand’s domain are not asked', async () => {
  covers('FEEDS-BRANDS');
  const surfshark = [
    'us-nyc.prod.surfshark.com',
    'de-fra.prod.surfshark.com',
    'www.google.com',
    'prod.surfshark.com.example.net',
  ];
  const found = await addressesOf(
    'surfshark',
    surfshark.map((connectionName) => ({ connectionName, load: 9 })),
    known,
  );
  assert.deepEqual(found, ['8.8.4.1', '8.8.4.2', '8.8.4.3']);
  const azirevpn = { status: 'success', locations: [{ name: 'nl-ams', pool: 'NL-AMS.azirevpn.net' }] };
  assert.deepEqual(await addressesOf('azirevpn', azirevpn, known), ['8.8.5.1', '2a00:1450:4001:81b::1']);
});

test('names are asked again at each reading, each reading is a sighting of that moment, and names without an address are counted', async () => {
  covers('FEEDS-BRANDS');
  const { store, runs } = recordingStore();
  const { bodies, parts, clock, states } = feedParts(store);
  let answered = known;
  const reader = webReader(bodies, undefined, (request) =>
    readFeed(request.from === 'web' ? { ...request, pauseMs: 1, addressesOf: (host) => answered(host) } : request),
  );
  const list = [...Object.keys(NAMES).slice(0, 2), 'gone.prod.surfshark.com'];
  body = JSON.stringify(list.map((connectionName) => ({ connectionName })));
  asked = [];
  const surfshark = brand('surfshark');
  assert.equal((await refreshFeed(surfshark, reader, parts)).status, 'accepted');
  assert.deepEqual([states.get('surfshark').rows, states.get('surfshark').refused], [3, { not_an_address: 1 }]);
  clock.at = (NOW + 3_600_000) as typeof NOW;
  answered = async (host) => (host.startsWith('gone') ? ['8.8.4.9'] : known(host));
  assert.equal((await refreshFeed(surfshark, reader, parts)).status, 'accepted');
  assert.deepEqual(asked, [undefined, undefined], 'a document that did not change has names whose addresses did');
  assert.deepEqual(runs.map(({ at, rows }) => [at, rows]), [[NOW, 3], [NOW + 3_600_000, 4]]); // biome-ignore format: short
  answered = async () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  const failed = await refreshFeed(surfshark, reader, parts);
  assert.match(JSON.stringify(failed), /host names has an address.*ECONNREFUSED/);
  assert.equal(states.get('surfshark').rows, 4, 'the last good reading serves on');
  body = JSON.stringify([{ connectionName: 'www.google.com' }]);
  assert.match(JSON.stringify(await refreshFeed(surfshark, reader, parts)), /names no host/);
});

test('the name service is asked for IPv4 and IPv6, and a name that has neither is an error with its code', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.on('message', (query, from) => socket.send(nameAnswer(query), from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const ask = askNameService([`127.0.0.1:${socket.address().port}`]);
  assert.deepEqual(await ask('one.example'), ['8.8.4.4']);
  await assert.rejects(ask('none.example'), { code: 'ENOTFOUND' });
});

/** Answer of a name service (RFC 1035): 8.8.4.4 for questions of type A about `one…`, no such name for `none…`. */
function nameAnswer(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const question = query.subarray(12, end);
  const isA = question.readUInt16BE(question.length - 4) === 1;
  const exists = query.subarray(13, 16).toString() === 'one';
  const answers = isA && exists ? 1 : 0;
  const head = Buffer.from([query[0]!, query[1]!, 0x81, exists ? 0x80 : 0x83, 0, 1, 0, answers, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 8, 8, 4, 4]);
  return Buffer.concat([head, question, ...(answers === 1 ? [record] : [])]);
}
