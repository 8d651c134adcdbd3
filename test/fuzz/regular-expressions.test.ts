/**
 * Regular expressions take time in proportion to their text: no caller and no publisher can hold a thread
 * with one line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverRegexes, slowRegexes } from '../support/regex-pumps.ts';

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
  'src/adapters/feeds/feed-reader.ts /\\/*$/': "the operator's mirror",
  'src/core/logs/candidates-in-text.ts /((?:[A-Z][\\w-]* ){0,3}[\\w.@/-]+)["\']?\\s?(?:=>?|:|\\|)\\s?["\'[(<{\\\\]*$/':
    NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /<(?:\\w+:)?([\\w.-]+)(?:\\s[^<>]*?name=["\']([\\w.:-]+)["\'])?[^<>/]*>["\'[(]?$/':
    NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /[\\w.-]*\\s?[[(]+["\']?$/': NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /^[^\\s<>]*(?:\\s*-+>|\\s*=+>|\\s>|\\s*\\u2192|\\s+to\\b)/': NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /(?:-+>|=+>|\\s>|\\u2192)\\s*[\\w-]*[:/]?\\s?[[("\']*$/': NEAR_ADDRESS,
  'src/core/logs/candidates-in-text.ts /^\\s*(?::\\d+)?\\s*,\\s*"?$/': NEAR_ADDRESS,
  'src/apps/site/docs-files.ts /```[^\\n]*\\n[\\s\\S]*?\\n```(?:\\s*```[^\\n]*\\n[\\s\\S]*?\\n```)+/': 'our own pages',
  'src/core/logs/client-rank.ts /([A-Z]+)([A-Z][a-z])/': 'the first 200 characters of a name',
};
/** The ends of names of Chinese districts: names of a layer file, read in a thread that answers nothing. */
const DIVISIONS = 'src/core/place/divisions.ts';

test('no text of 100,000 characters holds a regular expression of the server', async () => {
  const all = serverRegexes();
  assert.ok(all.length > 100);
  const tried = all.filter(
    ({ where, source }) =>
      !Object.hasOwn(SHORT_TEXTS, `${where} /${source}/`) && !(where === DIVISIONS && source.endsWith(')+$')),
  );
  assert.ok(all.length - tried.length <= Object.keys(SHORT_TEXTS).length + 3);
  assert.deepEqual(await slowRegexes(tried), []);
});

test('a quadratic or worse expression is found', async () => {
  const slow = [
    { where: 'x', source: '\\s+$', flags: '' },
    { where: 'x', source: '^(a+)+$', flags: '' },
  ];
  assert.deepEqual(await slowRegexes(slow), slow);
});
