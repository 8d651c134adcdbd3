import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatAddress } from '../ip/format-address.ts';
import { Fault } from '../texts/said.ts';
import { unixMs } from '../units.ts';
import { detectLayout, type LayoutOptions, SAMPLE_BYTES } from './detect-layout.ts';
import { LINE_MAX_BYTES, LineBlocks } from './line-blocks.ts';
import { LINE_FORMATS } from './line-format.ts';
import type { LineLayout } from './line-layout.ts';
import { makeLineReader } from './make-line-reader.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const layoutOf = (text: string, options?: LayoutOptions): LineLayout => {
  const layout = detectLayout(bytesOf(text).subarray(0, SAMPLE_BYTES), options);
  assert.ok(!(layout instanceof Fault), String(layout));
  return layout;
};

interface Read {
  readonly text: string;
  readonly address: string | undefined;
  readonly time: string | undefined;
}

/** Every record of a text, as the reader sees it. */
function recordsOf(text: string, layout: LineLayout): readonly Read[] {
  const blocks = new LineBlocks(layout);
  const bytes = Buffer.concat([blocks.push(bytesOf(text)), blocks.end()].flatMap((block) => block ?? []));
  const reader = makeLineReader(layout);
  const records: Read[] = [];
  for (let from = 0; from < bytes.length; ) {
    const next = reader.read(bytes, from);
    const time = reader.time();
    records.push({
      text: new TextDecoder().decode(bytes.subarray(from, reader.end)),
      address: reader.hasAddress ? formatAddress(reader.address) : undefined,
      time: time && new Date(time).toISOString(),
    });
    from = next;
  }
  return records;
}
const found = (text: string, options?: LayoutOptions): readonly (readonly [string | undefined, string | undefined])[] =>
  recordsOf(text, layoutOf(text, options)).map(({ address, time }) => [address, time]);

const COMBINED =
  '198.14.0.1 - frank [22/Nov/2026:08:00:00 +0100] "GET /a?b=[1] HTTP/1.1" 200 2326 "https://e.example/" "Mozilla/5.0 (X)"';
const COMMON = '2a00:1::0:1 - - [22/Nov/2026:08:00:00 -0130] "GET / HTTP/1.0" 304 -';

describe('access logs', () => {
  test('combined and common are seen, and address and time are read', () => {
    assert.deepEqual([layoutOf(COMBINED).format, layoutOf(`${COMMON}\n${COMMON}`).format], ['combined', 'common']);
    assert.deepEqual(found(`${COMBINED}\r\n${COMMON}\n`), [
      ['198.14.0.1', '2026-11-22T07:00:00.000Z'],
      ['2a00:1::1', '2026-11-22T09:30:00.000Z'],
    ]);
  });

  test('a line without an address or time has none, and the lines around it are read', () => {
    const lines = [
      COMBINED,
      'host.example - - [31/Feb/2026:08:00:00 +0000] "GET / HTTP/1.0" 200 1',
      '',
      '1.2.3.4.5 x',
      '1.2.3.0/24 x',
      COMBINED,
    ];
    assert.deepEqual(
      found(lines.join('\n')).map(([address, time]) => `${address} ${time}`),
      [
        '198.14.0.1 2026-11-22T07:00:00.000Z',
        'undefined undefined',
        'undefined undefined',
        'undefined undefined',
        'undefined undefined',
        '198.14.0.1 2026-11-22T07:00:00.000Z',
      ],
    );
  });

  test('another word is taken when its number is given; a text in quotes or brackets is one word', () => {
    const behindProxy = `www.example:443 ${COMBINED} "203.0.114.9"`;
    assert.equal(found(behindProxy, { format: 'combined', field: '2' })[0]![0], '198.14.0.1');
    assert.equal(found(behindProxy, { format: 'combined', field: '11' })[0]![0], '203.0.114.9');
    assert.match(String(detectLayout(bytesOf(COMBINED), { field: 'client' })), /--field takes their number/);
  });
});

describe('tables', () => {
  const CSV =
    'at,note,client_ip\n2026-11-22T08:00:00Z,"a, ""b""\nc",1.2.3.4\n2026-11-22 09:00:00,,"2a00:1::1"\n,plain,-\n';
  test('the column is found by its addresses, cells with separators and line ends are one, and times are read', () => {
    assert.deepEqual(found(CSV), [
      [undefined, undefined],
      ['1.2.3.4', '2026-11-22T08:00:00.000Z'],
      ['2a00:1::1', '2026-11-22T09:00:00.000Z'],
      [undefined, undefined],
    ]);
    assert.deepEqual(layoutOf(CSV).header, ['at', 'note', 'client_ip']);
  });

  test('of two columns with addresses the one with the better known name is taken, unless one is named', () => {
    const two = 'server,remote_addr\n9.9.9.9,1.2.3.4\n9.9.9.9,5.6.7.8\n';
    assert.equal(found(two)[1]![0], '1.2.3.4');
    assert.equal(found(two, { field: 'server' })[1]![0], '9.9.9.9');
    assert.equal(found(two, { field: '1' })[1]![0], '9.9.9.9');
    assert.match(String(detectLayout(bytesOf(two), { field: 'nothing' })), /no column "nothing"/);
    assert.match(String(detectLayout(bytesOf('a,b\nx,y\n'))), /no column has addresses/);
  });

  test('semicolons and tabs separate too, a file may have no header, and a beginning with a byte order mark is read', () => {
    assert.deepEqual(found('id;ip\n1;1.2.3.4\n')[1], ['1.2.3.4', undefined]);
    assert.equal(layoutOf('1.2.3.4\tx y\n5.6.7.8\tz\n').format, 'tsv');
    assert.deepEqual(layoutOf('1.2.3.4,a\n').header, undefined);
    assert.deepEqual(layoutOf('\uFEFFip,a\n1.2.3.4,b\n').header, ['ip', 'a']);
    assert.deepEqual([layoutOf('ip\n1.2.3.4\n5.6.7.8\n').header, layoutOf('note,ip\n').address], [['ip'], 1]);
  });

  test('a quote that is never closed takes its line alone', () => {
    assert.deepEqual(
      found('ip,note\n1.2.3.4,"open\n5.6.7.8,x\n').map(([address]) => address),
      [undefined, '1.2.3.4', '5.6.7.8'],
    );
  });

  test('records and addresses of any table are those of a plain reading of RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é', '1', '\r'), maxLength: 6 });
    const quoted = (text: string): string =>
      /[",\r\n]/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text;
    const address = fc
      .tuple(fc.ipV4(), fc.boolean())
      .map(([ip, inQuotes]) => ({ ip, text: inQuotes ? `"${ip}"` : ip }));
    const layout: LineLayout = { format: 'csv', address: 1, time: undefined, separator: 44, header: undefined };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, address, cell), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        (rows, lineEnd) => {
          const texts = rows.map(([a, { text }, b]) => [quoted(a), text, quoted(b)].join(','));
          const read = recordsOf(texts.join(lineEnd), layout);
          assert.deepEqual(
            read.map(({ text, address: ip }) => [text, ip]),
            texts.map((text, i) => [text, rows[i]![1].ip]),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('lines of JSON', () => {
  const row = (members: object): string => JSON.stringify(members);
  test('the member is found by its addresses and name, inside of objects too, and times are read', () => {
    const nested = [
      { server: { ip: '9.9.9.9' }, client: { ip: '1.2.3.4', port: 1 }, ts: 1_795_334_400.5 },
      { client: { ip: null }, ts: 'x' },
      { ts: 1_795_334_401 },
    ];
    assert.deepEqual(found(nested.map(row).join('\n')), [
      ['1.2.3.4', '2026-11-22T08:00:00.500Z'],
      [undefined, undefined],
      [undefined, '2026-11-22T08:00:01.000Z'],
    ]);
    const text = nested.map(row).join('\n');
    assert.equal(found(text, { field: 'server.ip' })[0]![0], '9.9.9.9');
    const dotted = row({ 'client.ip': '1.2.3.4', ts: '2026-11-22T08:00:00+01:00' });
    assert.deepEqual(found(dotted, { field: 'client.ip' }), [['1.2.3.4', '2026-11-22T07:00:00.000Z']]);
  });

  test('keys inside of texts and of other objects are not taken for the member', () => {
    const lines = [
      row({ a: '"ip":"9.9.9.9"', b: [{ ip: '8.8.8.8' }, '}'], ip: '1.2.3.4' }),
      row({ b: { ip: '8.8.8.8' } }),
      ' { "x" : -1.5e3 , "ip" : "5.6.7.8" } ',
      'not JSON',
      '{"ip":"1.2.3.4"',
      '[1]',
    ];
    assert.deepEqual(
      found(lines.join('\n'), { format: 'ndjson', field: 'ip' }).map(([address]) => address),
      ['1.2.3.4', undefined, '5.6.7.8', undefined, undefined, undefined],
    );
  });

  test('in any object the member is the one that JSON.parse sees', () => {
    const layout: LineLayout = { format: 'ndjson', address: ['ip'], time: undefined, separator: 0, header: undefined };
    const hostile = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), hostile), { maxLength: 4 }),
        fc.option(fc.ipV4(), { nil: undefined }),
        (members, ip) => {
          const object = Object.fromEntries([
            ...members.filter(([key]) => key !== 'ip' && key !== '__proto__'),
            ...(ip === undefined ? [] : [['ip', ip]]),
          ]);
          assert.equal(recordsOf(row(object), layout)[0]!.address, ip);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test('every format can be named, and a file of another kind is then read as it', () => {
  for (const format of LINE_FORMATS)
    assert.equal(layoutOf('1.2.3.4,{"ip":"1.2.3.4"}\n', { format, field: '1' }).format, format);
});

test('lists of addresses are lines, with words behind the address or without', () => {
  assert.deepEqual(
    found('# list\n1.2.3.4\n\n 5.6.7.8 \n2a00:1::1').map(([address]) => address),
    [undefined, '1.2.3.4', undefined, '5.6.7.8', '2a00:1::1'],
  );
  assert.equal(layoutOf('1.2.3.4 seen twice\n').format, 'lines');
  assert.match(String(detectLayout(bytesOf('just words here\n'))), /--format/);
});

describe('blocks', () => {
  test('any chunks of a table are cut into whole records, and nothing is lost', () => {
    const text = 'ip,note\n1.2.3.4,"a\nb ""c"""\n5.6.7.8,5" disk\n9.9.9.9,"x,\n"\n';
    const layout = layoutOf(text);
    const records = recordsOf(text, layout);
    fc.assert(
      fc.property(
        fc.array(fc.nat(text.length), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        (cuts, blockBytes) => {
          const places = [0, ...cuts, text.length].sort((a, b) => a - b);
          const blocks = new LineBlocks(layout, blockBytes);
          const textOf = (block: Uint8Array | undefined): readonly string[] =>
            block === undefined ? [] : [new TextDecoder().decode(block)];
          const given = places.slice(1).flatMap((to, i) => textOf(blocks.push(bytesOf(text.slice(places[i], to)))));
          const decoded = [...given, ...textOf(blocks.end())];
          assert.equal(decoded.join(''), text);
          assert.deepEqual(
            decoded.flatMap((block) => recordsOf(block, layout)),
            records,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a line without an end is bounded, and an open quote holds a few megabytes at most', () => {
    const layout = layoutOf('1.2.3.4,a\n');
    const chunk = new Uint8Array(4 * 1024 * 1024).fill(97);
    const long = new LineBlocks(layout);
    assert.throws(() => {
      for (let i = 0; i <= LINE_MAX_BYTES / chunk.length; i++) long.push(chunk);
    }, /a line is longer/);
    const open = new LineBlocks(layout);
    open.push(bytesOf('1.2.3.4,"open\n'));
    const row = bytesOf(`5.6.7.8,${'a'.repeat(1000)}\n`.repeat(1000));
    let first: Uint8Array | undefined;
    for (let i = 0; i < 8 && first === undefined; i++) first = open.push(row);
    assert.equal(new TextDecoder().decode(first!), '1.2.3.4,"open\n');
  });
});

describe('addresses of logs of every make are found', () => {
  const VHOST = 'shop.example:443 198.14.0.1 - - [22/Nov/2026:08:00:00 +0100] "GET / HTTP/1.1" 200 5 "-" "x"';
  const IIS =
    '#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Fields: date time s-ip cs-method cs-uri-stem c-ip sc-status\n2026-11-22 08:00:00 10.0.0.1 GET /a 198.14.0.1 200';
  const CLOUDFRONT =
    '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method\n2026-11-22\t08:00:00\tFRA2\t9\t198.14.0.1\tGET';
  const ALB =
    'h2 2026-11-22T08:00:00.1Z app/x/1 198.14.0.1:54321 10.0.0.1:80 0.0 0.0 0.0 200 200 1 1 "GET https://a.example:443/ HTTP/2" "x"';
  const FLOW =
    'version account-id interface-id srcaddr dstaddr srcport\n2 123 eni-1 198.14.0.1 10.0.0.9 443\n2 123 eni-1 198.14.0.1 10.0.0.9 443\n2 123 eni-1 198.14.0.1 10.0.0.9 443';
  const SSHD =
    'Nov 22 08:00:00 h sshd[1]: Failed password for root from 198.14.0.1 port 22 ssh2\nNov 22 08:00:00 h sshd[1]: Invalid user a, b from 198.14.0.1 port 22';
  const AZURE = '{"time":"2026-11-22T08:00:00Z","properties":{"clientIP":"198.14.0.1:54321","sent":1}}';
  for (const [name, text, options] of [
    ['vhost_combined', VHOST],
    ['W3C of IIS', IIS],
    ['CloudFront', CLOUDFRONT],
    ['AWS load balancer', ALB],
    ['VPC flow', FLOW],
    ['sshd by syslog', SSHD],
    ['Azure', AZURE],
    ['Cloudflare', '{"ClientIP":"198.14.0.1","ClientRequestHost":"a.example","EdgeStartTimestamp":1795334400}'],
    ['Fastly', '{"timestamp":"2026-11-22T08:00:00+0000","client_ip":"198.14.0.1","status":200}'],
    ['a JSON array', '[{"ip":"198.14.0.1"},\n{"ip":"198.14.0.1"}]'],
    ['a list behind proxies', `${COMBINED} "198.14.0.1, 10.0.0.9"`, { field: '10' }],
    [
      'an address with its port in a table',
      'when,client\n2026-11-22T08:00:00Z,198.14.0.1:99\n2026-11-22T08:00:00Z,[2a00:1::1]:99',
    ],
    ['prose', 'we saw 198[.]14[.]0[.]1 again'],
  ] as readonly (readonly [string, string, LayoutOptions?])[])
    test(name, () => {
      const addresses = found(text, options).flatMap(([address]) => address ?? []);
      assert.ok(
        addresses.length > 0 && addresses.every((address) => ['198.14.0.1', '2a00:1::1'].includes(address)),
        String(addresses),
      );
    });

  test('times of W3C logs and of lines of any text are read', () => {
    assert.deepEqual(found(IIS).at(-1), ['198.14.0.1', '2026-11-22T08:00:00.000Z']);
    assert.deepEqual(found(CLOUDFRONT).at(-1), ['198.14.0.1', '2026-11-22T08:00:00.000Z']);
    assert.deepEqual(found('{"ClientIP":"198.14.0.1","EdgeStartTimestamp":1795334400000000000}'), [
      ['198.14.0.1', '2026-11-22T08:00:00.000Z'],
    ]);
    assert.deepEqual(found('x 198.14.0.1 2026-11-22 08:00:00', { format: 'any' }), [
      ['198.14.0.1', '2026-11-22T08:00:00.000Z'],
    ]);
  });

  test('times of flow logs, and of old syslog as the newest year that the clock allows, are read', () => {
    const flow = FLOW.replaceAll('443', '443 1795334400 1795334460').replace('srcport', 'srcport start end');
    assert.deepEqual(found(flow).at(-1), ['198.14.0.1', '2026-11-22T08:00:00.000Z']);
    const now = unixMs(Date.UTC(2026, 10, 22, 7));
    const inAutumn = SSHD.replace('Nov 22', '<38>Dec  1');
    for (const options of [{}, { format: 'any' }] as const) {
      assert.deepEqual(found(SSHD, { ...options, now }).at(0), ['198.14.0.1', '2026-11-22T08:00:00.000Z']);
      assert.deepEqual(found(inAutumn, { ...options, now }).at(0), ['198.14.0.1', '2025-12-01T08:00:00.000Z']);
    }
    assert.deepEqual(found(SSHD).at(0), ['198.14.0.1', undefined]);
    assert.deepEqual(found(SSHD.replaceAll('Nov 22', 'Nov 31'), { now }).at(0), ['198.14.0.1', undefined]);
  });

  test('of several on a line the first public one, the last or each is a record', () => {
    const line = 'for=10.0.0.1, 198.14.0.1, 9.9.9.9, 10.0.0.2\nnone\n8.8.8.8';
    const ask = (which: 'first' | 'last' | 'all') => found(line, { format: 'any', which }).map(([address]) => address);
    assert.deepEqual(ask('first'), ['198.14.0.1', undefined, '8.8.8.8']);
    assert.deepEqual(ask('last'), ['9.9.9.9', undefined, '8.8.8.8']);
    assert.deepEqual(ask('all'), ['10.0.0.1', '198.14.0.1', '9.9.9.9', '10.0.0.2', undefined, '8.8.8.8']);
  });

  test('lists of several on a line lose none', () => {
    for (const list of [
      '185.220.101.1,8.8.8.8,1.1.1.1',
      '185.220.101.1 8.8.8.8 1.1.1.1',
      '185.220.101.1; 8.8.8.8; 1.1.1.1',
      '"185.220.101.1"\t"8.8.8.8"\n1.1.1.1',
    ])
      assert.deepEqual(
        found(list).map(([address]) => address),
        ['185.220.101.1', '8.8.8.8', '1.1.1.1'],
        list,
      );
    assert.match(String(detectLayout(bytesOf('nothing here\nor here'))), /--format common, combined/);
  });
});
