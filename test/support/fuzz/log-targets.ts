import assert from 'node:assert/strict';
import { LOG_FORMATS, type LogFormat, makeLogReader } from '../../../src/core/collection/logs/make-log-reader.ts';
import { SCANNER_REQUESTS } from '../../../src/core/collection/logs/scanner-requests.ts';
import { formatAddress } from '../../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../../src/core/ip/parse-address.ts';
import { unixMs } from '../../../src/core/units.ts';
import { type FuzzTarget, text } from './fuzz-target.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const OPTIONS = { zone: 'Europe/Berlin', attempts: 2, alertsOnly: false, scanner: SCANNER_REQUESTS };

const SEEDS: Readonly<Record<LogFormat, readonly string[]>> = {
  cowrie: [
    '{"eventid":"cowrie.session.connect","src_ip":"198.14.0.1","dst_port":2222,"protocol":"ssh","session":"a1","timestamp":"2026-11-22T08:00:00.123456Z"}\n{"eventid":"cowrie.login.failed","src_ip":"198.14.0.1","session":"a1","timestamp":"2026-11-22T08:00:01Z"}',
  ],
  eve: [
    '{"timestamp":"2026-11-22T09:00:00.250000+0100","flow_id":1,"event_type":"http","http":{"url":"/"},"src_ip":"2a00:1::1","dest_port":80,"proto":"TCP"}\n{"timestamp":"2026-11-22T09:00:00.250000+0100","event_type":"alert","app_proto":"ssh","direction":"to_server","flow":{"pkts_toclient":1},"src_ip":"198.14.0.1","dest_port":80,"proto":"TCP"}',
  ],
  fail2ban: [
    '2026-11-22 09:00:00,123 fail2ban.actions        [812]: NOTICE  [sshd] Ban 198.14.0.3\n2026-10-25 02:30:00,123 fail2ban.actions [1]: NOTICE [x] Ban 2a00:1::1',
  ],
  nginx: [
    `${'198.14.0.6 - [u] [22/Nov/2026:03:30:00 -0430] "POST /wp-login.php HTTP/1.1" 404 153 "-" "x" languages="-"\n'.repeat(5)}198.14.0.6 - - [22/Nov/2026:03:30:00 -0430] "\\x16\\x03" 400 153 "-" "-"`,
  ],
  sshd: [
    '2026-11-22T09:00:00.123456+01:00 host sshd[812]: Failed password for root from 198.14.0.7 port 40000 ssh2\nNov 22 09:00:00 host sshd-session[1]: Invalid user x from 2a00:1::7 port 1\nNov 22 09:00:00 host sshd[1]: banner exchange: Connection from 198.14.0.10 port 4: invalid format',
  ],
};

/** Strangers write parts of each line of these logs. Accepted evidence has a sound address and time. */
export const LOG_TARGETS: readonly FuzzTarget[] = LOG_FORMATS.map((format) => ({
  name: `log-${format}`,
  seeds: SEEDS[format].map(text),
  read: (input) => {
    const reader = makeLogReader(format, OPTIONS);
    const events = input
      .toString('utf8')
      .split('\n')
      .map((line) => reader.read(line, NOW));
    for (const event of events) {
      if (event === undefined) continue;
      const address = parseAnyAddress(event.ip);
      assert.ok(
        address !== undefined && formatAddress(address) === event.ip && Number.isInteger(event.at),
        JSON.stringify(event),
      );
      assert.ok(event.port === undefined || (event.port >= 1 && event.port <= 65_535));
    }
    return events;
  },
}));
