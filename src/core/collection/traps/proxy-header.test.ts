import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatAddress } from '../../ip/format-address.ts';
import { readProxyHeader } from './proxy-header.ts';

const V2 = '\r\n\r\n\0\r\nQUIT\n';
const v4 = '\x01\x02\x03\x04\x7f\0\0\x01\0\x50\x01\xbb';
const v6 = `\x2a\0${'\0'.repeat(13)}\x01${'\0'.repeat(16)}\0\x50\x01\xbb`;

/** [header, client, bytes of the header]. */
const READ: readonly (readonly [text: string, client: string | undefined, length: number])[] = [
  ['PROXY TCP4 1.2.3.4 10.0.0.1 5 22\r\nSSH-', '1.2.3.4', 34],
  ['PROXY TCP6 2a00::1 ::1 5 22\r\n', '2a00::1', 29],
  ['PROXY TCP6 ::ffff:1.2.3.4 ::1 5 22\r\n', '1.2.3.4', 36],
  ['PROXY UNKNOWN\r\n', undefined, 15],
  [`${V2}\x21\x11\0\x0c${v4}rest`, '1.2.3.4', 28],
  [`${V2}\x21\x21\0\x24${v6}`, '2a00::1', 52],
  [`${V2}\x21\x11\0\x0f${v4}\x04\0\0`, '1.2.3.4', 31],
  [`${V2}\x20\0\0\0`, undefined, 16],
  [`${V2}\x21\x31\0\x02ab`, undefined, 18],
];

describe('a header is read', () => {
  for (const [text, client, length] of READ)
    test(JSON.stringify(text), () => {
      const header = readProxyHeader(text);
      assert.ok(header.status === 'read');
      assert.deepEqual([header.client && formatAddress(header.client), header.length], [client, length]);
      // The header is incomplete until its last byte.
      for (let end = 0; end < length; end++)
        assert.equal(readProxyHeader(text.slice(0, end)).status, 'more', String(end));
    });
});

describe('anything else is refused', () => {
  const malformed = [
    'GET / HTTP/1.1',
    'PROXY TCP4 1.2.3.4\r\n',
    'PROXY TCP4 nowhere 1.1.1.1 1 2\r\n',
    'PROXY TCP9 1.2.3.4 1.1.1.1 1 2\r\n',
  ];
  const binary = [`${V2}\x11\x11\0\x0c${v4}`, `${V2}\x21\x11\0\x04\x01\x02\x03\x04`, `${V2}\x21\x11\xff\xff`];
  for (const text of [...malformed, ...binary, `PROXY ${'x'.repeat(110)}`])
    test(JSON.stringify(text), () => assert.equal(readProxyHeader(text).status, 'malformed'));
});
