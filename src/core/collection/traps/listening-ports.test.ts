import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LISTENING_PORTS, readListeningPorts } from './listening-ports.ts';

test('ports are read with the protocol they name, or the usual one of the public port', () => {
  const read = readListeningPorts(['22,10023:8023/http, 23:2300', '9/telnet']);
  assert.deepEqual(read, [
    { port: 22, publicPort: 22, protocol: 'ssh' },
    { port: 8023, publicPort: 10_023, protocol: 'http' },
    { port: 2300, publicPort: 23, protocol: 'telnet' },
    { port: 9, publicPort: 9, protocol: 'telnet' },
  ]);
});

test('a text that is not a port is refused with the text that is at fault', () => {
  for (const text of ['', '0', '65536', '22/gopher', '22/', 'ssh', '1:2:3', '-1', '22,,23'])
    assert.match(String(readListeningPorts([text])), /is not \[PUBLIC:\]PORT/, text);
  assert.equal(readListeningPorts(['22', '2222:22/ssh']), 'port 22 is named twice');
});

test('every default port is there once', () => {
  assert.equal(new Set(DEFAULT_LISTENING_PORTS.map(({ port }) => port)).size, DEFAULT_LISTENING_PORTS.length);
});
