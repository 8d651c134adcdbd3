import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, MINUTE_MS, unixMs } from '../../units.ts';
import { DistinctCounter } from '../tally/distinct-counter.ts';
import { type LogEvent, wallTimeIn } from './log-event.ts';
import { type LOG_FORMATS, makeLogReader } from './make-log-reader.ts';
import { asksAsScanner, SCANNER_REQUESTS } from './scanner-requests.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const OPTIONS = { zone: 'Europe/Berlin', attempts: 1, alertsOnly: false, scanner: SCANNER_REQUESTS };
const eventsOf = (format: (typeof LOG_FORMATS)[number], lines: readonly string[], options = OPTIONS) => {
  const reader = makeLogReader(format, options);
  return lines.map((line) => reader.read(line, NOW));
};
const brief = (event: LogEvent | undefined): string | undefined =>
  event &&
  `${event.ip} ${event.riskType.slice(9)} ${event.protocol}${event.port === undefined ? '' : `:${event.port}`} ${new Date(event.at).toISOString()}`;
const briefs = (...given: Parameters<typeof eventsOf>) => eventsOf(...given).map(brief);
const assertPassedOver = (format: Parameters<typeof briefs>[0], lines: readonly string[]): void =>
  assert.deepEqual(briefs(format, lines), Array(lines.length).fill(undefined));

describe('cowrie', () => {
  const row = (eventid: string, more: object = {}): string =>
    JSON.stringify({
      eventid,
      src_ip: '198.14.0.1',
      session: 'a1b2c3d4e5f6',
      timestamp: '2026-11-22T08:00:00.123456Z',
      sensor: 'trap',
      ...more,
    });
  const CONNECT = row('cowrie.session.connect', {
    src_port: 50_001,
    dst_ip: '10.0.0.2',
    dst_port: 2222,
    protocol: 'ssh',
    message: 'New connection',
  });
  const LOGIN = row('cowrie.login.failed', {
    username: 'root',
    password: 'hunter2',
    message: 'login attempt [root/hunter2] failed',
  });

  test('a client that spoke is a scan, one that offered credentials an attempt, one that only connected nothing', () => {
    const telnet = { session: 't', src_ip: '2a00:1::0:1' };
    assert.deepEqual(
      briefs('cowrie', [
        CONNECT,
        row('cowrie.client.version', { version: 'SSH-2.0-Go' }),
        LOGIN,
        row('cowrie.session.closed'),
        row('cowrie.session.connect', { ...telnet, dst_port: 2323, protocol: 'telnet' }),
        row('cowrie.login.success', telnet),
      ]),
      [
        undefined,
        '198.14.0.1 scan ssh:2222 2026-11-22T08:00:00.123Z',
        '198.14.0.1 credential ssh:2222 2026-11-22T08:00:00.123Z',
        undefined,
        undefined,
        '2a00:1::1 credential telnet:2323 2026-11-22T08:00:00.123Z',
      ],
    );
  });

  test('a browser that another site sends to a prompt is passed over, with all that follows', () => {
    const lines = [
      row('cowrie.client.version', { version: 'GET / HTTP/1.1' }),
      row('cowrie.client.version', { session: 'b', version: "b'\\x16\\x03\\x01'" }),
      row('cowrie.login.failed', { session: 'c', username: 'POST / HTTP/1.1', password: 'Host: 198.51.100.1' }),
      row('cowrie.login.success', { session: 'c', username: 'root', password: 'toor' }),
      row('cowrie.command.input', { session: 'c', input: 'sh' }),
      row('cowrie.login.failed', { session: 'd', username: '\x16\x03\x01' }),
    ];
    assertPassedOver('cowrie', lines);
    assert.ok(brief(eventsOf('cowrie', [row('cowrie.client.version', { version: "b'SSH-2.0-Go'" })])[0]));
  });

  test('a session whose beginning was not read names no port, and nothing a client chose is kept', () => {
    const [event] = eventsOf('cowrie', [LOGIN]);
    assert.equal(brief(event), '198.14.0.1 credential ssh 2026-11-22T08:00:00.123Z');
    assert.ok(!JSON.stringify(event).includes('hunter2') && !JSON.stringify(event).includes('root'));
  });

  test('other lines are passed over', () => {
    const lines = [
      '',
      '{',
      '[]',
      'null',
      row('cowrie.session.params'),
      row('cowrie.login.failed', { src_ip: 'host.example' }),
      row('cowrie.login.failed', { timestamp: 'now' }),
    ];
    assertPassedOver('cowrie', lines);
  });
});

describe('eve', () => {
  const row = (event_type: string, more: object = {}): string =>
    JSON.stringify({
      timestamp: '2026-11-22T09:00:00.250000+0100',
      flow_id: 1_234_567_890_123,
      event_type,
      src_ip: '198.14.0.2',
      src_port: 40_000,
      dest_ip: '192.0.2.5',
      dest_port: 8080,
      proto: 'TCP',
      ...more,
    });

  test('application layers, flows in which something was said, and alerts about clients are evidence', () => {
    const answered = { flow: { pkts_toserver: 3, pkts_toclient: 2 } };
    assert.deepEqual(
      briefs('eve', [
        row('http', { http: { url: '/' } }),
        row('ssh', { dest_port: 22 }),
        row('flow', { app_proto: 'mqtt', dest_port: 9999 }),
        row('flow', { dest_port: 9999 }),
        row('alert', {
          direction: 'to_server',
          app_proto: 'http',
          http: { url: '/', http_user_agent: 'Mozilla/5.0 zgrab/0.x' },
          ...answered,
        }),
        row('alert', { direction: 'to_server', app_proto: 'rfb', dest_port: 5900, ...answered }),
        row('ftp', { dest_port: 21, ftp: { command: 'PASS', command_data: 'secret' } }),
      ]),
      [
        '198.14.0.2 scan http:8080 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan ssh:22 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan tcp:9999 2026-11-22T08:00:00.250Z',
        undefined,
        '198.14.0.2 scan http:8080 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan vnc:5900 2026-11-22T08:00:00.250Z',
        '198.14.0.2 credential ftp:21 2026-11-22T08:00:00.250Z',
      ],
    );
  });

  test('a request that a page of another site can make a browser send is passed over', () => {
    const alert = { direction: 'to_server', flow: { pkts_toclient: 2 } };
    const engine = {
      url: '/.env',
      http_user_agent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    };
    const lines = [
      row('http', { http: engine }),
      row('http', { http: { url: '/.env', http_refer: 'https://a.example/', http_user_agent: 'x' } }),
      row('http'),
      row('alert', { ...alert, app_proto: 'http', http: engine }),
      ...['tls', 'http', 'http2', 'failed', undefined].flatMap((app_proto) => [
        row('flow', { app_proto }),
        row('alert', { ...alert, app_proto }),
      ]),
      row('tls', { dest_port: 443 }),
    ];
    assertPassedOver('eve', lines);
  });

  test('traffic that may carry a false sender, or that the server sent, is passed over', () => {
    const lines = [
      row('dns', { proto: 'UDP' }),
      row('http', { proto: 'UDP' }),
      row('alert', { direction: 'to_server', flow: { pkts_toclient: 0 } }),
      row('alert', { direction: 'to_server' }),
      row('alert', { direction: 'to_client', flow: { pkts_toclient: 2 } }),
      row('stats'),
      row('constructor'),
      row('http', { dest_port: '8080' }),
    ];
    assertPassedOver('eve', lines);
  });

  test('where people are served, alerts alone count', () => {
    const alert = row('alert', { direction: 'to_server', app_proto: 'ssh', flow: { pkts_toclient: 2 } });
    assert.deepEqual(
      eventsOf('eve', [row('ssh'), alert], { ...OPTIONS, alertsOnly: true }).map((event) => event !== undefined),
      [false, true],
    );
  });
});

describe('fail2ban', () => {
  const line = (jail: string, what: string, time = '2026-11-22 09:00:00,123'): string =>
    `${time} fail2ban.actions        [812]: NOTICE  [${jail}] ${what}`;

  test('a ban is evidence about the service that the jail guards, at its time in the zone of the machine', () => {
    assert.deepEqual(
      briefs('fail2ban', [
        line('sshd', 'Ban 198.14.0.3'),
        line('postfix-sasl', 'Ban 2a00:1::3'),
        line('postfix', 'Ban 198.14.0.4'),
        line('dovecot', 'Ban 198.14.0.5', '2026-07-01 09:00:00,000'),
      ]),
      [
        '198.14.0.3 credential ssh 2026-11-22T08:00:00.123Z',
        '2a00:1::3 credential smtp 2026-11-22T08:00:00.123Z',
        '198.14.0.4 scan smtp 2026-11-22T08:00:00.123Z',
        '198.14.0.5 credential tcp 2026-07-01T07:00:00.000Z',
      ],
    );
  });

  test('a line of an earlier ban, of none, or of a jail that browsers can be sent to, is passed over', () => {
    const lines = [
      line('sshd', 'Restore Ban 198.14.0.3'),
      line('sshd', 'Unban 198.14.0.3'),
      line('recidive', 'Ban 198.14.0.3'),
      line('custom', 'Ban 198.14.0.3'),
      ...['nginx-botsearch', 'apache-auth', 'phpmyadmin-syslog', 'mysql-web-login'].map((jail) =>
        line(jail, 'Ban 198.14.0.3'),
      ),
      line('sshd', 'Ban host.example'),
      '2026-11-22 09:00:00,123 fail2ban.filter         [812]: INFO    [sshd] Found 198.14.0.3 - 2026-11-22 09:00:00',
      line('sshd', 'Ban 198.14.0.3', '2026-02-30 09:00:00,123'),
    ];
    assertPassedOver('fail2ban', lines);
  });
});

describe('nginx', () => {
  const CHROME =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  interface Logged {
    readonly status?: number;
    readonly client?: string;
    readonly user?: string;
    readonly referrer?: string;
    readonly agent?: string;
    readonly rest?: string;
    readonly second?: number;
  }
  const line = (
    request: string,
    {
      status = 404,
      client = '198.14.0.6',
      user = '-',
      referrer = '-',
      agent = 'odd \\"x\\"',
      rest = '',
      second = 0,
    }: Logged = {},
  ): string =>
    `${client} - ${user} [22/Nov/2026:03:${30 + Math.floor(second / 60)}:0${second % 10} -0430] "${request}" ${status} 153 "${referrer}" "${agent}"${rest}`;
  const PATHS = ['/.env', '/blog/wp-login.php?x=1', '/.git/config', '/boaform/a', '/actuator/health'];
  const fiveOf = (logged: Logged): readonly string[] => PATHS.map((path) => line(`GET ${path} HTTP/1.1`, logged));

  test('five distinct paths within ten minutes that only scanners ask for and the server did not serve are a scan', () => {
    const scan = '198.14.0.6 scan http 2026-11-22T08:00:00.000Z';
    assert.deepEqual(briefs('nginx', [...fiveOf({}), line('GET /.env HTTP/1.1')]), [
      undefined,
      undefined,
      undefined,
      undefined,
      scan,
      scan,
    ]);
    const several = [
      ...fiveOf({}).slice(0, 4),
      line('GET /.ENV?2 HTTP/1.1'),
      line('SSH-2.0-Go', { status: 400, agent: '-' }),
    ];
    assert.deepEqual(briefs('nginx', several), [undefined, undefined, undefined, undefined, undefined, scan]);
    const late = PATHS.map((path, at) => line(`GET ${path} HTTP/1.1`, { second: at * 180 }));
    assert.deepEqual(
      eventsOf('nginx', late),
      late.map(() => undefined),
    );
  });

  test('five POSTs within ten minutes to log-in pages that the server does not have are attempts, one is not', () => {
    const post = line('POST /wp-login.php HTTP/1.1', { status: 403 });
    assert.deepEqual(briefs('nginx', Array(6).fill(post)), [
      undefined,
      undefined,
      undefined,
      undefined,
      ...Array(2).fill('198.14.0.6 credential http 2026-11-22T08:00:00.000Z'),
    ]);
  });

  test('a path that a page of another site can make a browser ask for is passed over', () => {
    const common = fiveOf({}).map((one) => one.slice(0, one.indexOf(' "-"')));
    const hidden = [
      fiveOf({ referrer: 'https://a.example/' }),
      fiveOf({ agent: CHROME }),
      fiveOf({ agent: CHROME, rest: ' "-"' }),
      fiveOf({ rest: ' languages="en"' }),
      fiveOf({ rest: ' languages=""' }),
      common,
    ];
    for (const lines of hidden)
      assert.deepEqual(
        eventsOf('nginx', lines),
        lines.map(() => undefined),
      );
    const garbage = ['\\x16\\x03\\x01\\x02', '\\x15\\x03\\x01', '\\x00\\x01\\x00P!\\x12\\xA4Babc', '', '-'].map((one) =>
      line(one, { status: 400, agent: '-' }),
    );
    assert.deepEqual(brief(eventsOf('nginx', [...fiveOf({}).slice(1), ...garbage]).at(-1)), undefined);
  });

  test('a log of the languages knows a scanner that takes the name of a browser', () => {
    assert.ok(eventsOf('nginx', fiveOf({ agent: CHROME, rest: ' "203.0.113.7" languages="-" 0.001' }))[4]);
  });

  test('a user name with brackets hides nothing', () => {
    for (const user of [
      'a[b',
      'a]b',
      '[01/Jan/2020:00:00:00 +0000]',
      'x [01/Jan/2020:00:00:00 +0000] \\x22GET',
      'a\\"b',
    ])
      assert.equal(
        brief(eventsOf('nginx', fiveOf({ user }))[4]),
        '198.14.0.6 scan http 2026-11-22T08:00:00.000Z',
        user,
      );
  });

  test('a served path, a common path, and text that is not a line of an address and a time are passed over', () => {
    for (const lines of [
      fiveOf({ status: 200 }),
      fiveOf({ client: 'host.example' }),
      fiveOf({}).map((one) => one.replace('22/Nov', '99/Nov')),
      PATHS.map((_, at) => line(`GET /about${at} HTTP/1.1`)),
    ])
      assert.deepEqual(
        eventsOf('nginx', lines),
        lines.map(() => undefined),
      );
  });

  test('paths of the operator stand in place of ours', () => {
    const scanner = { paths: ['/trap'], statuses: [418] };
    const lines = [1, 2, 3, 4, 5].map((at) => line(`GET /TRAP/${at} HTTP/1.1`, { status: 418 }));
    assert.ok(eventsOf('nginx', lines, { ...OPTIONS, scanner })[4]);
    assert.equal(eventsOf('nginx', fiveOf({ status: 418 }), { ...OPTIONS, scanner })[4], undefined);
    for (const path of SCANNER_REQUESTS.paths)
      assert.ok(
        path.startsWith('/') && path === path.toLowerCase() && asksAsScanner(path.toUpperCase(), SCANNER_REQUESTS),
        path,
      );
  });
});

describe('sshd', () => {
  const iso = (message: string, process = 'sshd[812]'): string =>
    `2026-11-22T09:00:00.123456+01:00 host ${process}: ${message}`;

  test('attempts and clients of other kinds of SSH are evidence, in both forms of time', () => {
    assert.deepEqual(
      briefs('sshd', [
        iso('Failed password for root from 198.14.0.7 port 40000 ssh2'),
        iso('Invalid user admin from 2a00:1::7 port 40001', 'sshd-session[813]'),
        'Nov  2 09:00:00 host sshd[1]: Failed password for invalid user x from 198.14.0.8 port 1 ssh2',
        iso(
          'Unable to negotiate with 198.14.0.11 port 40004: no matching key exchange method found. Their offer: x [preauth]',
        ),
      ]),
      [
        '198.14.0.7 credential ssh 2026-11-22T08:00:00.123Z',
        '2a00:1::7 credential ssh 2026-11-22T08:00:00.123Z',
        '198.14.0.8 credential ssh 2026-11-02T08:00:00.000Z',
        '198.14.0.11 scan ssh 2026-11-22T08:00:00.123Z',
      ],
    );
  });

  test('a user name cannot put another address into the line, and services that a browser can be sent to are passed over', () => {
    const name = 'x from 203.0.114.9 port 22 ssh2';
    assert.deepEqual(
      eventsOf('sshd', [
        iso(`Failed password for invalid user ${name} from 198.14.0.7 port 40000 ssh2`),
        iso(`Invalid user ${name} from 198.14.0.7 port 40000`),
        iso(`Accepted password for ${name} from 198.14.0.7 port 40000 ssh2`),
        // A client that does not speak SSH may be a browser.
        iso("Bad protocol version identification 'GET / HTTP/1.1' from 198.14.0.9 port 40002"),
        iso('banner exchange: Connection from 198.14.0.10 port 40003: invalid format'),
      ]).map((event) => event?.ip),
      ['198.14.0.7', '198.14.0.7', undefined, undefined, undefined],
    );
  });

  test('folded repeats count as often as they say; lines without a port, a priority and an offset without a colon are read', () => {
    const plain = 'Nov 22 09:00:00 host sshd[811]: Failed password for root from 198.14.0.7 port 22022 ssh2';
    const folded = plain.replace(/: (Failed.*)$/, ': message repeated 5 times: [ $1]');
    const options = { ...OPTIONS, attempts: 5 };
    assert.deepEqual(
      eventsOf('sshd', [plain, folded], options).map((event) => event && (event.times ?? 1)),
      [undefined, 2],
    );
    const [invalid] = eventsOf('sshd', ['<38>2026-11-22T09:00:00+0100 host sshd[1]: Invalid user x from 198.14.0.7']);
    assert.deepEqual([invalid?.ip, invalid?.at], ['198.14.0.7', Date.UTC(2026, 10, 22, 8)]);
    // Cut off behind an address that the client chose.
    const cut = `Nov 22 09:00:00 host sshd[1]: Invalid user ${'x'.repeat(400)} from 198.14.0.8`;
    assert.deepEqual(eventsOf('sshd', [cut]), [undefined]);
  });

  test('a time without a year is the newest that is not more than a day ahead', () => {
    const at = (time: string) =>
      eventsOf('sshd', [`${time} host sshd[1]: Failed password for root from 198.14.0.8 port 1 ssh2`])[0]?.at;
    assert.equal(at('Nov 23 11:00:00'), Date.UTC(2026, 10, 23, 10));
    assert.equal(at('Nov 24 11:00:00'), Date.UTC(2025, 10, 24, 10));
    assert.equal(at('Feb 29 11:00:00'), Date.UTC(2024, 1, 29, 10));
    assert.equal(at('Feb 30 11:00:00'), undefined);
  });

  test('slips of people are passed over: attempts count from the fifth within ten minutes', () => {
    const attempts = new DistinctCounter(5, 10 * MINUTE_MS);
    const counted = (ip: string, minute: number): boolean => attempts.add(ip, unixMs(NOW + minute * MINUTE_MS));
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((minute) => counted('198.14.0.1', minute)),
      [false, false, false, false, true, true],
    );
    assert.deepEqual(
      [0, 5, 10, 15, 20].map((minute) => counted('198.14.0.2', minute)),
      [false, false, false, false, false],
    );
    const line = iso('Failed password for root from 198.14.0.7 port 40000 ssh2');
    assert.deepEqual(
      eventsOf('sshd', Array(6).fill(line), { ...OPTIONS, attempts: 5 }).map((event) => event !== undefined),
      [false, false, false, false, true, true],
    );
  });
});

test('a clock that is put back shows an hour twice: it is the first; one put forward leaves an hour out: the offset from before holds', () => {
  const berlin = wallTimeIn('Europe/Berlin');
  const at = (month: number, day: number, hour: number) =>
    berlin({ year: 2026, month, day, hour, minute: 30, second: 0, ms: 0 });
  assert.equal(at(10, 25, 2), Date.UTC(2026, 9, 25, 0, 30));
  assert.equal(at(10, 25, 3), Date.UTC(2026, 9, 25, 2, 30));
  assert.equal(at(3, 29, 2), Date.UTC(2026, 2, 29, 1, 30));
  assert.equal(at(3, 29, 3), Date.UTC(2026, 2, 29, 1, 30));
  assert.throws(() => wallTimeIn('Nowhere/At_all'), RangeError);
  // Each hour of a year converts back to itself.
  for (let hour = Date.UTC(2026, 0, 1); hour < Date.UTC(2026, 0, 1) + 365 * DAY_MS; hour += 60 * MINUTE_MS) {
    const shown = new Date(hour + 5.75 * 60 * MINUTE_MS);
    const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()];
    assert.equal(
      KATHMANDU({ year, month, day, hour: shown.getUTCHours(), minute: shown.getUTCMinutes(), second: 0, ms: 0 }),
      hour,
    );
  }
});
const KATHMANDU = wallTimeIn('Asia/Kathmandu');
