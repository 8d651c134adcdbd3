import type { readOpening } from './read-opening.ts';

const request = (line: string, ...headers: readonly string[]): string => [line, ...headers, '', ''].join('\r\n');
const LANGUAGE = 'Accept-Language: en';
const OWN = 'Host: 198.51.100.7:8080';

export const OPENINGS: readonly (readonly [name: string, bytes: string, opening: ReturnType<typeof readOpening>])[] = [
  ['a program', request('GET / HTTP/1.1', OWN, 'User-Agent: Mozilla/5.0 zgrab/0.x', 'Accept: */*'), 'request'],
  ['a program that posts', request('POST / HTTP/1.0', 'Content-Length: 3'), 'request'],
  ['a form of another site', request('POST / HTTP/1.1', OWN, LANGUAGE, 'Origin: https://shop.example'), 'driven'],
  ['a form of a site that does not name itself', request('POST / HTTP/1.1', OWN, LANGUAGE, 'Origin: null'), 'driven'],
  [
    'a form of a page that sends no languages',
    request('POST / HTTP/1.1', OWN, 'origin: https://shop.example'),
    'driven',
  ],
  ['an image', request('GET /.env HTTP/1.1', OWN, LANGUAGE, 'Referer: https://shop.example/'), 'driven'],
  ['an image without a referrer', request('GET /.env HTTP/1.1', OWN, 'accept-language:'), 'driven'],
  [
    'a second image of a page that another site opened',
    request('GET /favicon.ico HTTP/1.1', OWN, LANGUAGE, 'Referer: http://198.51.100.7:8080/'),
    'driven',
  ],
  [
    'a preflight',
    request('OPTIONS / HTTP/1.1', OWN, 'Access-Control-Request-Method: PUT', 'Origin: http://198.51.100.7:8080'),
    'driven',
  ],
  ['a WebSocket', request('GET / HTTP/1.1', OWN, 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'), 'driven'],
  [
    'the own form',
    request(
      'POST / HTTP/1.1',
      OWN,
      LANGUAGE,
      'Origin: http://198.51.100.7:8080',
      'Referer: http://198.51.100.7:8080/a',
    ),
    'request',
  ],
  [
    'the own form over IPv6',
    request('POST / HTTP/1.1', 'Host: [2001:db8::7]', LANGUAGE, 'Origin: http://[2001:db8::7]'),
    'request',
  ],
  [
    'the own form, called by another site',
    request('POST / HTTP/1.1', OWN, 'Origin: http://198.51.100.7:8080', 'Referer: http://a.example/'),
    'driven',
  ],
  [
    'the own form, as the browser does not see it',
    request('POST / HTTP/1.1', OWN, 'Origin: http://198.51.100.7:8080', 'Sec-Fetch-Site: cross-site'),
    'driven',
  ],
  [
    'a name that points here',
    request('POST / HTTP/1.1', 'Host: a.example:8080', LANGUAGE, 'Origin: http://a.example:8080'),
    'driven',
  ],
  ['a method of a script under such a name', request('AUTH /root HTTP/1.1', 'Host: a.example', LANGUAGE), 'driven'],
  ['a head without an end', `GET /${'a'.repeat(9000)}`, 'driven'],
  ['headers without an end', request('GET / HTTP/1.1', `X: ${'a'.repeat(9000)}`), 'driven'],
  ['TLS', '\x16\x03\x01\x07f\x01', 'driven'],
  ['an alert of TLS to a server that greeted', '\x15\x03\x01\0\x02\x02F', 'driven'],
  ['TLS as SSL 2', '\x80\x46\x01\x03\x01', 'driven'],
  ['STUN of TURN', '\0\x03\0\x08\x21\x12\xa4\x42abcdefghijkl', 'driven'],
  ['STUN of ICE', '\0\x64\0\x01\0\x50\x21\x12\xa4\x42abcdefghijkl', 'driven'],
  ['HTTP as it was before headers', 'GET /\r\n', 'other'],
  ['SMTP', 'EHLO me\r\n', 'other'],
  ['a name', 'root\r\n', 'other'],
  ['options of telnet', '\xff\xfd\x01', 'other'],
  ['RESP', '*1\r\n$4\r\nPING\r\n', 'other'],
  ['SSH', 'SSH-2.0-Go\r\n', 'other'],
  ['SMB', '\0\0\0\x45\xffSMBr', 'other'],
  ['RDP', '\x03\0\0\x2c\x27\xe0\0\0\0\0\0', 'other'],
  ['PostgreSQL', '\0\0\0\x08\x04\xd2\x16\x2f', 'other'],
];
