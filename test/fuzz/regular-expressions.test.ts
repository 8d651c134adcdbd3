/**
 * Regular expressions take time in proportion to their text: no caller and no publisher can hold a thread
 * with one line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtRegexes, serverRegexes, slowRegexes } from '../support/regex-pumps.ts';

const NEAR_ADDRESS = 'the 120 characters before or after an address';

/** These are quadratic in a text of 100,000 characters; the reason says why none of their texts is long and from outside. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
  'src/config.ts /\\/+$/': "the operator's base URL",
  'src/cli/receiver-of.ts /\\/+$/': "the operator's own service",
  'src/service/accounts/password.ts /=+$/': 'Base64 of our own',
  'src/core/place/merge-place.ts /(00)+$/': 'an administrative code of six digits',
  'src/core/feeds/read-time.ts /[#\\s]+$/': 'the first 4 KiB of a list',
  'src/adapters/phone-db/formats/read-phone-file.ts /^[^\\n\\d]*[A-Za-z_][^\\n]*[,\\t;]/': 'the first 4 KiB of a file',
  'src/adapters/phone-db/feeds/phone-readers.ts /\\/*$/': "the operator's mirror",
  'src/adapters/feeds/open-feeds.ts /\\/*$/': "the operator's mirror",
  'src/core/logs/candidates-in-text.ts /((?:[A-Z][\\w-]* ){0,3}[\\p{L}_.@/-][\\p{L}\\p{N}_.@/-]*)(?:\\(\\d{1,5}\\))?["\']?\\s?(?:=>?|:|\\|)\\s?["\'[(<{\\\\]*$/':
    NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /(?:[\\w.-]*[[(]+|(?<![\\w.-])(?!(?:from|by|to|client|with)\\s)[\\w.-]+\\s\\(+)["\']?$/':
    NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /(?:-+>|=+>|\\s>|\\u2192)\\s*[\\w-]*[:/]?\\s?[[("\']*$/': NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /^\\s*(?::\\d+)?\\s*,\\s*"?$/': NEAR_ADDRESS,
  'built /^[^\\s<>]*(?:\\s*[-=]+>|\\s>|\\s*\\u2192|\\s+to\\b)\\s*\\S*?(?:\\d(?:\\.\\d{1,3}){3}|[\\da-f]*:[\\da-f]*:|[\\w.-]:\\d)/':
    NEAR_ADDRESS,
  'built /([\\w-]+)[\\s(]+(?:(?:ip|ipv[46]|addr|address|host|hostname|tcp|udp)\\b[^\\w]{0,3})+$/': NEAR_ADDRESS,
  'src/core/logs/client-rank.ts /^(src|source|client|remote|caller|user|peer|orig|origin|dst|dest|destination|server|srv|local|loc|upstream|resp|nat|public|private|external|internal|device|dvc|sender|attacker|target|translated|mapped|gateway|proxy|host|login|login|rem|real|actor|visitor|requester|requestor|tunnel|assigned|observer|sensor|initiator|responder|downstream|from|to)(ip|ips|ipv4|ipv6|ipaddr|ipaddress|ipv4address|ipv6address|addr|address|host|hostname|name|nat|xlated|translated|mapped)+$/':
    'the first 200 characters of a name',
  'src/core/logs/log-formats.ts /(?:(?<!^)\\.|\\\\[Sw]|\\[\\^[^\\]]+\\])[*+]/': 'our own table',
  'src/core/place/gazetteer.ts / \\(.*\\)$/': 'a name of our own gazetteer',
  'src/core/place/merge-place.ts /^(.*\\S) \\((.+)\\)$/': 'a name of a layer file',
  'src/cli/language/chinese-help.ts /^(.*?) ?\\(((?:choices|default): .*)\\)$/': 'our own help',
  'src/apps/site/docs-files.ts /<!--[\\s\\S]*?-->\\n?/': 'our own pages',
  'src/apps/site/docs-files.ts /!\\[[^\\]]*\\]\\([^)]*\\)/': 'our own pages',
  'src/apps/site/docs-files.ts /```[^\\n]*\\n[\\s\\S]*?\\n```(?:\\s*```[^\\n]*\\n[\\s\\S]*?\\n```)+/': 'our own pages',
  'src/core/logs/client-rank.ts /([A-Z]+)([A-Z][a-z])/': 'the first 200 characters of a name',
};
/** The ends of names of Chinese districts: names of a layer file, read in a thread that answers nothing. */
const DIVISIONS = 'src/core/place/divisions.ts';

test('no text of 100,000 characters holds a regular expression of the server', async () => {
  const all = [...serverRegexes(), ...(await builtRegexes())];
  assert.ok(all.length > 100);
  const tried = all.filter(
    ({ where, source }) =>
      !Object.hasOwn(SHORT_TEXTS, `${where} /${source}/`) && !(where === DIVISIONS && /\)(?:\+)?\$$/.test(source)),
  );
  // Five are of DIVISIONS, and one of the table stands twice.
  assert.ok(all.length - tried.length <= Object.keys(SHORT_TEXTS).length + 6);
  assert.deepEqual(await slowRegexes(tried), []);
});

test('a quadratic or worse expression is found', async () => {
  const slow = [
    { where: 'x', source: '\\s+$', flags: '' },
    { where: 'x', source: '^(a+)+$', flags: '' },
  ];
  assert.deepEqual(await slowRegexes(slow), slow);
});
