import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, MINUTE_MS, unixMs } from '../../units.ts';
import { DistinctCounter } from '../distinct-counter.ts';
import type { LogEvent } from './log-event.ts';
import { type LOG_FORMATS, makeLogReader } from './make-log-reader.ts';
import { asksAsScanner, SCANNER_REQUESTS } from './scanner-requests.ts';
import { wallTimeIn } from './wall-time.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const OPTIONS = { zone: 'Europe/Berlin', attempts: 1, alertsOnly: false, scanner: SCANNER_REQUESTS };
const eventsOf = (format: (typeof LOG_FORMATS)[number], lines: readonly string[], options = OPTIONS): readonly (LogEvent | undefined)[] => {
  const reader = makeLogReader(format, options);
  return lines.map((line) => reader.read(line, NOW));
};
/** What an event says, in short. */
const brief = (event: LogEvent | undefined): string | undefined =>
  event && `${event.ip} ${event.riskType.slice(9)} ${event.protocol}${event.port === undefined ? '' : `:${event.port}`} ${new Date(event.at).toISOString()}`;
const briefs = (...given: Parameters<typeof eventsOf>) => eventsOf(...given).map(brief);

describe('cowrie', () => {
  const row = (eventid: string, more: object = {}): string =>
    JSON.stringify({ eventid, src_ip: '198.14.0.1', session: 'a1b2c3d4e5f6', timestamp: '2026-11-22T08:00:00.123456Z', sensor: 'trap', ...more });
  const CONNECT = row('cowrie.session.connect', { src_port: 50_001, dst_ip: '10.0.0.2', dst_port: 2222, protocol: 'ssh', message: 'New connection' });
  const LOGIN = row('cowrie.login.failed', { username: 'root', password: 'hunter2', message: 'login attempt [root/hunter2] failed' });

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
    assert.deepEqual(
      briefs('cowrie', lines),
      lines.map(() => undefined),
    );
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
        row('flow', { app_proto: 'failed', dest_port: 9999 }),
        row('flow', { dest_port: 9999 }),
        row('alert', { direction: 'to_server', ...answered }),
        row('alert', { direction: 'to_server', app_proto: 'rfb', dest_port: 5900, ...answered }),
        row('ftp', { dest_port: 21, ftp: { command: 'PASS', command_data: 'secret' } }),
      ]),
      [
        '198.14.0.2 scan http:8080 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan ssh:22 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan tcp:9999 2026-11-22T08:00:00.250Z',
        undefined,
        '198.14.0.2 scan tcp:8080 2026-11-22T08:00:00.250Z',
        '198.14.0.2 scan vnc:5900 2026-11-22T08:00:00.250Z',
        '198.14.0.2 credential ftp:21 2026-11-22T08:00:00.250Z',
      ],
    );
  });

  test('what may carry a false sender, or what the server sent, is passed over', () => {
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
    assert.deepEqual(
      briefs('eve', lines),
      lines.map(() => undefined),
    );
  });

  test('where people are served, alerts alone count', () => {
    const alert = row('alert', { direction: 'to_server', flow: { pkts_toclient: 2 } });
    assert.deepEqual(
      eventsOf('eve', [row('http'), alert], { ...OPTIONS, alertsOnly: true }).map((event) => event !== undefined),
      [false, true],
    );
  });
});

describe('fail2ban', () => {
  const line = (jail: string, what: string, time = '2026-11-22 09:00:00,123'): string => `${time} fail2ban.actions        [812]: NOTICE  [${jail}] ${what}`;

  test('a ban is evidence of what the jail guards, at its time in the zone of the machine', () => {
    assert.deepEqual(
      briefs('fail2ban', [
        line('sshd', 'Ban 198.14.0.3'),
        line('postfix-sasl', 'Ban 2a00:1::3'),
        line('nginx-botsearch', 'Ban 198.14.0.4'),
        line('custom', 'Ban 198.14.0.5', '2026-07-01 09:00:00,000'),
      ]),
      [
        '198.14.0.3 credential ssh 2026-11-22T08:00:00.123Z',
        '2a00:1::3 credential smtp 2026-11-22T08:00:00.123Z',
        '198.14.0.4 scan http 2026-11-22T08:00:00.123Z',
        '198.14.0.5 scan tcp 2026-07-01T07:00:00.000Z',
      ],
    );
  });

  test('what was seen before, or is not a ban, is passed over', () => {
    const lines = [
      line('sshd', 'Restore Ban 198.14.0.3'),
      line('sshd', 'Unban 198.14.0.3'),
      line('recidive', 'Ban 198.14.0.3'),
      line('sshd', 'Ban host.example'),
      '2026-11-22 09:00:00,123 fail2ban.filter         [812]: INFO    [sshd] Found 198.14.0.3 - 2026-11-22 09:00:00',
      line('sshd', 'Ban 198.14.0.3', '2026-02-30 09:00:00,123'),
    ];
    assert.deepEqual(
      briefs('fail2ban', lines),
      lines.map(() => undefined),
    );
  });
});

describe('nginx', () => {
  const line = (request: string, status: number, client = '198.14.0.6'): string =>
    `${client} - - [22/Nov/2026:03:30:00 -0430] "${request}" ${status} 153 "-" "Mozilla/5.0 (\\"odd\\")"`;

  test('what only scanners ask for and the server did not serve is a scan, a log-in that it does not have an attempt', () => {
    assert.deepEqual(
      briefs('nginx', [
        line('GET /.env HTTP/1.1', 404),
        line('POST /wp-login.php HTTP/1.1', 404),
        line('GET /blog/wp-login.php?x=1 HTTP/2.0', 403),
        line('\\x16\\x03\\x01\\x02', 400),
        '2a00:1::6 - alice [22/Nov/2026:08:00:00 +0000] "GET /.git/config HTTP/1.1" 404 -',
      ]),
      [
        '198.14.0.6 scan http 2026-11-22T08:00:00.000Z',
        '198.14.0.6 credential http 2026-11-22T08:00:00.000Z',
        '198.14.0.6 scan http 2026-11-22T08:00:00.000Z',
        '198.14.0.6 scan http 2026-11-22T08:00:00.000Z',
        '2a00:1::6 scan http 2026-11-22T08:00:00.000Z',
      ],
    );
  });

  test('what was served, what anybody asks for, and silence are passed over', () => {
    const lines = [
      line('GET /.env HTTP/1.1', 200),
      line('GET /wp-login.php HTTP/1.1', 302),
      line('GET /about HTTP/1.1', 404),
      line('', 400),
      line('-', 400),
      line('GET /.env HTTP/1.1', 404, 'host.example'),
      '198.14.0.6 - - [99/Nov/2026:08:00:00 +0000] "GET /.env HTTP/1.1" 404 1 "-" "-"',
    ];
    assert.deepEqual(
      briefs('nginx', lines),
      lines.map(() => undefined),
    );
  });

  test('paths of the operator stand in place of ours', () => {
    const scanner = { paths: ['/trap'], statuses: [418] };
    assert.deepEqual(
      eventsOf('nginx', [line('GET /TRAP/1 HTTP/1.1', 418), line('GET /.env HTTP/1.1', 418), line('GET /trap HTTP/1.1', 404)], { ...OPTIONS, scanner }).map(
        (event) => event !== undefined,
      ),
      [true, false, false],
    );
    for (const path of SCANNER_REQUESTS.paths)
      assert.ok(path.startsWith('/') && path === path.toLowerCase() && asksAsScanner(path.toUpperCase(), SCANNER_REQUESTS), path);
  });
});

describe('sshd', () => {
  const iso = (message: string, process = 'sshd[812]'): string => `2026-11-22T09:00:00.123456+01:00 host ${process}: ${message}`;

  test('attempts and clients that do not speak SSH are evidence, in both forms of time', () => {
    assert.deepEqual(
      briefs('sshd', [
        iso('Failed password for root from 198.14.0.7 port 40000 ssh2'),
        iso('Invalid user admin from 2a00:1::7 port 40001', 'sshd-session[813]'),
        'Nov  2 09:00:00 host sshd[1]: Failed password for invalid user x from 198.14.0.8 port 1 ssh2',
        iso("Bad protocol version identification 'GET / HTTP/1.1' from 198.14.0.9 port 40002"),
        iso('banner exchange: Connection from 198.14.0.10 port 40003: invalid format'),
        iso('Unable to negotiate with 198.14.0.11 port 40004: no matching key exchange method found. Their offer: x [preauth]'),
      ]),
      [
        '198.14.0.7 credential ssh 2026-11-22T08:00:00.123Z',
        '2a00:1::7 credential ssh 2026-11-22T08:00:00.123Z',
        '198.14.0.8 credential ssh 2026-11-02T08:00:00.000Z',
        '198.14.0.9 scan ssh 2026-11-22T08:00:00.123Z',
        '198.14.0.10 scan ssh 2026-11-22T08:00:00.123Z',
        '198.14.0.11 scan ssh 2026-11-22T08:00:00.123Z',
      ],
    );
  });

  test('a user name cannot put another address into the line', () => {
    const name = 'x from 203.0.114.9 port 22 ssh2';
    assert.deepEqual(
      eventsOf('sshd', [
        iso(`Failed password for invalid user ${name} from 198.14.0.7 port 40000 ssh2`),
        iso(`Invalid user ${name} from 198.14.0.7 port 40000`),
        iso(`Bad protocol version identification '${name}' from 198.14.0.7 port 40000`),
        iso(`Accepted password for ${name} from 198.14.0.7 port 40000 ssh2`),
      ]).map((event) => event?.ip),
      ['198.14.0.7', '198.14.0.7', '198.14.0.7', undefined],
    );
  });

  test('a time without a year is the newest that is not more than a day ahead', () => {
    const at = (time: string) => eventsOf('sshd', [`${time} host sshd[1]: Failed password for root from 198.14.0.8 port 1 ssh2`])[0]?.at;
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
  const at = (month: number, day: number, hour: number) => berlin({ year: 2026, month, day, hour, minute: 30, second: 0, ms: 0 });
  assert.equal(at(10, 25, 2), Date.UTC(2026, 9, 25, 0, 30));
  assert.equal(at(10, 25, 3), Date.UTC(2026, 9, 25, 2, 30));
  assert.equal(at(3, 29, 2), Date.UTC(2026, 2, 29, 1, 30));
  assert.equal(at(3, 29, 3), Date.UTC(2026, 2, 29, 1, 30));
  assert.throws(() => wallTimeIn('Nowhere/At_all'), RangeError);
  // Each hour of a year is read back as it is shown.
  for (let hour = Date.UTC(2026, 0, 1); hour < Date.UTC(2026, 0, 1) + 365 * DAY_MS; hour += 60 * MINUTE_MS) {
    const shown = new Date(hour + 5.75 * 60 * MINUTE_MS);
    const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()];
    assert.equal(KATHMANDU({ year, month, day, hour: shown.getUTCHours(), minute: shown.getUTCMinutes(), second: 0, ms: 0 }), hour);
  }
});
const KATHMANDU = wallTimeIn('Asia/Kathmandu');
