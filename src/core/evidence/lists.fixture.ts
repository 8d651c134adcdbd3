/** These texts are not lists; beside each stand the sentence and its values. */
export const NO_LISTS: readonly (readonly [text: string, fault: RegExp])[] = [
  ['host;note\n5.188.10.1;x', /^line \{line\} names no address/],
  ['Server\n5.188.10.1', /^line \{line\} names no address/],
  ['name,start,end\nx,5.188.10.1,5.188.10.2', /^line \{line\} names no address/],
  ['src_ip,client_ip\n5.188.10.1,5.188.10.2', /^columns \{names\} may each be the address/],
  ['[\n  {"ip":"5.188.10.1"}\n]', /^it is a JSON document/],
  ['["5.188.10.1","5.188.10.2"]', /^it is a JSON document/],
  ['{\n  "ip": "5.188.10.1"\n}', /^it is a JSON document/],
  ['{"meta":{"generatedAt":"2026-11-01"},"data":[{"ipAddress":"5.188.10.1"}]}', / \.data\[\]$/],
  ['{"a":{"b c":["5.188.10.1"]},"tags":[1]}', / \.a\["b c"\]\[\]$/],
  ['<!DOCTYPE html>\n<p>5.188.10.1</p>', /^it is an HTML or XML document/],
];

/** Rows with a time that is not read, or not understood, and why. */
export const UNREAD_TIMES: readonly (readonly [text: string, reason: string])[] = [
  ['ip,heard\n5.188.30.1,2026-01-01T00:00:00Z', 'unread_time'],
  ['ip,heard\n5.188.30.1,1767225600', 'unread_time'],
  ['ip,Zeitpunkt\n5.188.30.1,22.08.2026', 'unread_time'],
  ['ip,blocked_on\n5.188.30.1,soon', 'unread_time'],
  ['ip,captured_at,heard\n5.188.30.1,,2026-01-01', 'unread_time'],
  ['ip,last_seen\n5.188.30.1,22/08/2026', 'not_a_time'],
  ['ip,last_seen\n5.188.30.1,2026-08-22 00:00 CET', 'not_a_time'],
  ['ip,last_seen\n5.188.30.1,3 days ago', 'not_a_time'],
  ['{"ip":"5.188.30.1","heard":"2026-01-01T00:00:00Z"}', 'unread_time'],
  ['{"ip":"5.188.30.1","meta":{"heard":1767225600}}', 'unread_time'],
  ['{"ip":"5.188.30.1","timestamp":"22/08/2026"}', 'not_a_time'],
  ['5.188.30.1 2026-01-01T00:00:00Z', 'unread_time'],
  ['5.188.30.1;proxy;2026-01-01', 'unread_time'],
  ['5.188.30.1,1767225600', 'unread_time'],
  ['5.188.30.1 # added 22.08.2026', 'unread_time'],
  ['5.188.30.1 - - [26/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200', 'unread_time'],
];

/** Lines with their prefixes and what is counted. */
export const ADDRESSES: readonly (readonly [
  text: string,
  rows: readonly string[],
  refused?: Readonly<Record<string, number>>,
])[] = [
  ['5.188.10.1 5.188.10.2', ['5.188.10.1/32', '5.188.10.2/32']],
  [
    '5.188.10.1,5.188.10.2;5.188.10.3|5.188.11.0/24',
    ['5.188.10.1/32', '5.188.10.2/32', '5.188.10.3/32', '5.188.11.0/24'],
  ],
  ['5.188.13.0 - 5.188.13.3', ['5.188.13.0/30']],
  ['5.188.13.0-5.188.13.4', ['5.188.13.0/30', '5.188.13.4/32']],
  ['2a00:1::1 2a00:1::2', ['2a00:1::1/128', '2a00:1::2/128']],
  ['1.1.1.1 ::2a', ['1.1.1.1/32'], { reserved_address: 1 }],
  ['[2a00:1::1]:443', ['2a00:1::1/128']],
  ['5.188.10.1:8080', ['5.188.10.1/32']],
  ['"5.188.10.1",', ['5.188.10.1/32']],
  ['- 5.188.10.1', ['5.188.10.1/32']],
  ['5.188.10[.]1', ['5.188.10.1/32']],
  ['hxxp://5.188.10[.]1/x?y=8.8.8.8', ['5.188.10.1/32']],
  ['socks5://u:p@5.188.10.1:1080', ['5.188.10.1/32']],
  ['// a comment\n5.188.10.1 // with words', ['5.188.10.1/32']],
  ['5.188.10.0/24 ; SBL256894', ['5.188.10.0/24']],
  ['5.188.10.1\tAS64500 Some name', ['5.188.10.1/32']],
  ['::ffff:5.188.21.0/120', ['5.188.21.0/24']],
  ['64:ff9b::5.188.21.1', ['5.188.21.1/32']],
  ['5.188.10.1 seen by 9.9.9.9', ['5.188.10.1/32'], { address_in_text: 1 }],
  ['5.188.10.1:80->5.188.10.3:80', [], { not_an_address: 1, address_in_text: 1 }],
  ['5.188.10.1 src=5.188.10.2', ['5.188.10.1/32'], { address_in_text: 1 }],
  ['5.188.10.1 5.188.10.400', ['5.188.10.1/32'], { not_an_address: 1 }],
  ['5.188.10.1\nsrc=5.188.10.2', ['5.188.10.1/32'], { not_an_address: 1 }],
  ['5.188.10.1\n95.32.221.040\n1.2.3', ['5.188.10.1/32'], { not_an_address: 2 }],
];

/** Rows of start and end, and what else two addresses mean. */
export const RANGES: readonly (readonly [text: string, rows: readonly string[]])[] = [
  ['5.188.44.0\t5.188.44.255\t24\t2100\tNAME', ['5.188.44.0/24']],
  ['5.188.8.0,5.188.9.255,Example,https://a.example/', ['5.188.8.0/23']],
  ['"5.188.8.0","5.188.10.255","Example"', ['5.188.8.0/23', '5.188.10.0/24']],
  ['5.188.8.0;5.188.8.255', ['5.188.8.0/24']],
  ['2a00:1::,2a00:1::ffff:ffff:ffff:ffff,x', ['2a00:1::/64']],
  ['5.188.8.0,5.188.8.9', ['5.188.8.0/32', '5.188.8.9/32']],
  ['5.188.8.0\n- 5.188.8.255', ['5.188.8.0/32', '5.188.8.255/32']],
];
