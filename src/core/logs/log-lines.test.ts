import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { formatAddress } from '../ip/format-address.ts';
import { parseRecord } from '../kit/json.ts';
import { Fault } from '../texts/said.ts';
import { unixMs } from '../units.ts';
import { candidatesIn, candidatesInText } from './candidates-in-text.ts';
import { detectLayout, type LayoutOptions } from './detect-layout.ts';
import { LineBlocks } from './line-blocks.ts';
import type { LineLayout } from './line-layout.ts';
import type { LineReader } from './line-reader.ts';
import { LOG_FORMATS } from './log-formats.ts';
import { LOG_LINES } from './log-lines.fixture.ts';
import { makeLineReader } from './make-line-reader.ts';

const NOW = unixMs(Date.UTC(2026, 10, 26, 9));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const layoutOf = (text: string, options?: LayoutOptions): LineLayout | Fault =>
  detectLayout(bytesOf(text), { now: NOW, ...options });

interface Read {
  readonly client: string;
  readonly time: string | undefined;
}

/** Records of a text, its header apart; none where it is refused. */
const recordsOf = (text: string, options?: LayoutOptions): readonly Read[] => readAll(text, options).found;

function readAll(text: string, options?: LayoutOptions): { found: readonly Read[]; doubts: LineReader['doubts'] } {
  const layout = layoutOf(text, options);
  if (layout instanceof Fault) return { found: [], doubts: [] };
  const blocks = new LineBlocks(layout);
  const bytes = Buffer.concat([blocks.push(bytesOf(text)), blocks.end()].flatMap((block) => block ?? []));
  const reader = makeLineReader(layout);
  const found: Read[] = [];
  for (let from = 0; from < bytes.length; ) {
    from = reader.read(bytes, from);
    const time = reader.time();
    found.push({
      client: reader.hasAddress ? formatAddress(reader.address) : 'none',
      time: time === undefined ? undefined : new Date(time).toISOString(),
    });
  }
  return { found: found.slice(layout.header === undefined ? 0 : 1), doubts: reader.doubts };
}
const clients = (text: string, options?: LayoutOptions) => recordsOf(text, options).map(({ client }) => client);

describe('client and time of a line of each format', () => {
  for (const [name, client, time, text] of LOG_LINES)
    test(name, () => {
      const record = recordsOf(text).at(-1);
      assert.equal(record?.client ?? 'none', client, String(layoutOf(text)));
      if (record !== undefined) assert.equal(record.time, time);
    });

  test('every row of the table has a line', () => {
    covers('CLI-CLIENT');
    const names = new Set(
      LOG_LINES.flatMap(([, , , text]) =>
        text
          .split('\n')
          .flatMap((line) => [...candidatesInText(line), ...candidatesIn(parseRecord(line))])
          .map(({ name }) => name),
      ),
    );
    assert.deepEqual(
      LOG_FORMATS.filter(({ client }) => client.length > 0).flatMap(({ name }) => (names.has(name) ? [] : name)),
      [],
    );
  });
});

test('documents of JSON are their records: lists, objects around a list, objects over several lines', () => {
  for (const list of [
    '[{"ip":"9.9.9.9"},{"ip":"1.1.1.1"},{"ip":"8.8.8.8"}]',
    '[{"ip":"9.9.9.9"},\n{"ip":"1.1.1.1"},\n{"ip":"8.8.8.8"}]\n',
    '{"ip":"9.9.9.9"\n}\n{"ip":"1.1.1.1"\n}{"ip":"8.8.8.8"}',
    '{"Records":[{"ip":"9.9.9.9"},{"ip":"1.1.1.1"},{"ip":"8.8.8.8","x":[{"a":"]}"}]}]}',
    '{"records":[{"ip":"9.9.9.9"}]}\n{"records":[{"ip":"1.1.1.1"},{"ip":"8.8.8.8"}]}\n',
  ])
    assert.deepEqual(clients(list), ['9.9.9.9', '1.1.1.1', '8.8.8.8'], list);
  // A list inside of a record does not make it a document.
  assert.deepEqual(clients('{"ip":"9.9.9.9","events":[{"a":1}]}\n{"ip":"1.1.1.1","events":[{"a":1},{"a":2}]}'), [
    '9.9.9.9',
    '1.1.1.1',
  ]);
  assert.deepEqual(clients('{"events":[{"a":1}],"ip":"9.9.9.9"}\n{"events":[{"a":1}],"ip":"1.1.1.1"}'), [
    '9.9.9.9',
    '1.1.1.1',
  ]);
});

test('each record is read by its own names: one file may have several', () => {
  const lines = [
    '{"client_ip":"9.9.9.9"}',
    '{"source":{"ip":"9.9.9.9"},"destination":{"ip":"8.8.8.8"}}',
    '{"remote_addr":"9.9.9.9"}',
    '{"clientIP":"9.9.9.9"}',
    '{"ClientIp":"9.9.9.9"}',
    '{"SourceAddress":"9.9.9.9"}',
    '{"destination":{"ip":"8.8.8.8"}}',
  ];
  assert.deepEqual(clients(lines.join('\n')), [...Array<string>(6).fill('9.9.9.9'), 'none']);
  const access = '9.9.9.9 - - [26/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl"';
  const error =
    '2026/11/26 08:00:00 [error] 1#1: *1 x, client: 9.9.9.9, server: _, request: "GET / HTTP/1.1", host: "8.8.8.8"';
  assert.deepEqual(
    clients(
      [access, access, error, access.replace('9.9.9.9', 'host.example').replace('/ ', '/?ip=8.8.8.8 ')].join('\n'),
    ),
    ['9.9.9.9', '9.9.9.9', '9.9.9.9', 'none'],
  );
  assert.deepEqual(clients('time,client_ip,x_remote_ip\n1,9.9.9.9,8.8.8.8\n2,9.9.9.9,8.8.8.8\n3,-,9.9.9.9'), [
    '9.9.9.9',
    '9.9.9.9',
    'none',
  ]);
});

describe('where neither format nor name says which address is the client', () => {
  const doubtOf = (text: string) => readAll(text).doubts[0];
  test('what was read and what else was there is reported with an example', () => {
    const [ip, gateway] = [
      { name: 'ip', example: '9.9.9.9' },
      { name: 'gateway', example: '8.8.8.8' },
    ];
    assert.deepEqual(doubtOf('{"gateway":"8.8.8.8","ip":"9.9.9.9"}'), { taken: ip, others: [gateway], lines: 1 });
    assert.deepEqual(doubtOf('gateway,ip\n8.8.8.8,9.9.9.9'), { taken: ip, others: [gateway], lines: 1 });
    const access = '9.9.9.9 - - [26/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl" "8.8.8.8"';
    assert.deepEqual(doubtOf(access), {
      taken: { name: '1', example: '9.9.9.9' },
      others: [{ name: '10', example: '8.8.8.8' }],
      lines: 1,
    });
    assert.deepEqual(doubtOf('{"DestinationIP":"8.8.8.8"}'), {
      taken: { name: 'DestinationIP', example: '8.8.8.8' },
      others: [],
      lines: 1,
    });
    for (const clear of [
      '{"dst":"8.8.8.8","src":"9.9.9.9"}',
      access.replace(' "8.8.8.8"', ''),
      'srcip=9.9.9.9 dstip=8.8.8.8 a=1',
      '9.9.9.9',
      access.replace('curl', 'Chrome/121.0.0.0').replace(' "8.8.8.8"', ''),
    ])
      assert.equal(doubtOf(clear), undefined, clear);
  });

  test('of a public proxy in front of an access log the proxy is read by its form, and the other address is named; a private one gives way', () => {
    const rest = '- - [26/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl"';
    const proxy = { name: '1', example: '172.68.1.1' };
    for (const [line, read, doubt] of [
      [
        `172.68.1.1 ${rest} "9.9.9.9, 10.0.0.1"`,
        '172.68.1.1',
        { taken: proxy, others: [{ name: '10', example: '9.9.9.9' }], lines: 1 },
      ],
      [
        `172.68.1.1 ${rest} xff="9.9.9.9"`,
        '172.68.1.1',
        { taken: proxy, others: [{ name: '', example: '9.9.9.9' }], lines: 1 },
      ],
      [
        `10.0.0.9 ${rest} "9.9.9.9"`,
        '9.9.9.9',
        { taken: { name: '10', example: '9.9.9.9' }, others: [{ name: '1', example: '10.0.0.9' }], lines: 1 },
      ],
      [
        `9.9.9.9, 172.68.1.1 ${rest}`,
        '9.9.9.9',
        { taken: { name: '1', example: '9.9.9.9' }, others: [{ name: '2', example: '172.68.1.1' }], lines: 1 },
      ],
      [`10.0.0.5, 9.9.9.9 ${rest}`, '9.9.9.9', undefined],
      [`172.68.1.1 ${rest} ref=172.68.1.1`, '172.68.1.1', undefined],
    ] as const) {
      assert.deepEqual(clients(line), [read], line);
      assert.deepEqual(doubtOf(line), doubt, line);
    }
  });

  test('each kind of lines has its own doubt with their number, wherever they stand', () => {
    const clear = '{"client_ip":"9.9.9.9"}\n'.repeat(5000);
    const [one, other] = ['{"ip":"9.9.9.9","gateway":"8.8.8.8"}\n', '{"host":{"addr":"9.9.9.9"},"x":"8.8.8.8"}\n'];
    const { doubts } = readAll(`${clear}${one}${other}${one}`);
    assert.deepEqual(
      doubts.map(({ taken, lines }) => [taken.name, lines]),
      [
        ['ip', 2],
        ['x', 1],
      ],
    );
  });

  test('two members that are named as well give a doubt, as two columns do', () => {
    const [a, b] = [
      { name: 'a.client.ip', example: '9.9.9.9' },
      { name: 'b.client.ip', example: '8.8.8.8' },
    ];
    assert.deepEqual(doubtOf('{"a":{"client":{"ip":"9.9.9.9"}},"b":{"client":{"ip":"8.8.8.8"}}}'), {
      taken: a,
      others: [b],
      lines: 1,
    });
    assert.equal(doubtOf('{"sourceIPs":["9.9.9.9","8.8.8.8"]}'), undefined);
  });

  test('a table of numbers is no listing of addresses', () => {
    assert.match(String(layoutOf('2026-11-26 08:00:00\t9.9.9.9\t50000\t8.8.8.8\t22')), /--field 2 or --field 4/);
    for (const listing of ['9.9.9.9, 8.8.8.8:53 (1.1.1.0/24)', '1. 9.9.9.9 8.8.8.8', '9.9.9.9 2620:fe::9 [8.8.8.8]'])
      assert.equal((layoutOf(listing) as LineLayout).which, 'all', listing);
  });

  test('two that are equally good are refused, and either can be chosen', () => {
    for (const text of ['{"one":"9.9.9.9","two":"8.8.8.8"}', 'one,two\n9.9.9.9,8.8.8.8']) {
      assert.match(String(layoutOf(text)), /one \(9\.9\.9\.9\) and in two \(8\.8\.8\.8\).*--field one or --field two/);
      assert.deepEqual([clients(text, { field: 'one' }), clients(text, { field: 'two' })], [['9.9.9.9'], ['8.8.8.8']]);
    }
  });
});

test('a table of a Chinese spreadsheet is read by its names, in GB 18030', () => {
  // GB 18030 of 目的IP,源IP
  const bytes = Buffer.from('c4bfb5c449502cd4b449500a382e382e382e382c392e392e392e390a', 'hex');
  const layout = detectLayout(bytes, { now: NOW });
  assert.ok(!(layout instanceof Fault), String(layout));
  assert.deepEqual([layout.header, layout.address], [['目的IP', '源IP'], 1]);
});

test('a byte order mark hides no line', () => {
  for (const text of ['{"ip":"9.9.9.9"}\n{"ip":"9.9.9.9"}', '9.9.9.9 a\n9.9.9.9 b', 'ip,a\n9.9.9.9,1\n9.9.9.9,2'])
    assert.deepEqual(clients(`\uFEFF${text}`), ['9.9.9.9', '9.9.9.9'], text);
});
