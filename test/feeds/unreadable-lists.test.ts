/** Emptiness is not content, and an unread time is never now (decisions 12): lists of the catalogue out of mirror folders, as `feeds import` reads them. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { fileReader } from '../../src/adapters/feeds/open-feeds.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { readBody } from '../../src/adapters/system/read-body.ts';
import { said, worded } from '../../src/core/texts/said.ts';
import { unixMs } from '../../src/core/units.ts';
import { importMirror } from '../../src/service/feeds/import-mirror.ts';
import { covers } from '../spec/covers.ts';
import { feedParts } from '../support/feed-parts.ts';
import { testFolder } from '../support/test-folder.ts';

type Content = string | Uint8Array;

/** Imports files with these contents into a new store. @returns rows and time, or why not, for each feed */
async function imported(files: Readonly<Record<string, Content>>, runAt?: number) {
  const folder = testFolder('unreadable');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const store = new SqliteHistory(':memory:');
  const { parts, states } = feedParts(store);
  const scan = await scanMirror(folder);
  const readers = { ...parts, readerOf: fileReader, bodyOf: (path: string) => readBody(readFileSync(path), 2 ** 20) };
  const outcomes: Record<string, string> = {};
  for await (const { feed, outcome } of importMirror(scan, readers, {
    series: true,
    ...(runAt !== undefined && { runAt: unixMs(runAt) }),
  }))
    outcomes[feed.id] =
      outcome.status === 'accepted'
        ? `${outcome.rows} rows of ${new Date(outcome.runAt).toISOString().slice(0, 16)}`
        : worded(outcome.reason);
  store.close();
  return { outcomes, broken: scan.broken, states };
}

const reasonOf = async (name: string, content: Content): Promise<string> =>
  Object.values((await imported({ [name]: content })).outcomes)[0]!;

const FEODO =
  '# abuse.ch Feodo Tracker Botnet C2 IP Blocklist #\n# Last updated: 2026-11-20 10:00:00 UTC  #\n# DstIP\n';
const HTML = '<!DOCTYPE html>\n<html><body>This download has moved, says Feodo Tracker "Event"</body></html>\n';
const MAY_BE_EMPTY = {
  'feodo-ipblocklist.txt': FEODO,
  'circl-osint.jsonl': '{"Event":{"Attribute":[]}}\n',
  'botvrij.jsonl': '{"Event":{"info":"x"}}\n',
};

test('a list that may be empty is taken empty where its own header is there, and nothing else is taken for it', async () => {
  covers('LIST-EMPTY');
  for (const [name, empty] of Object.entries(MAY_BE_EMPTY)) {
    assert.match(await reasonOf(name, empty), /^0 rows of 2026-11/, name);
    for (const [body, reason] of [
      ['', /^the body is empty/],
      [' \n\n', /^the body is empty/],
      ['\uFEFF', /^the body is empty/],
      ['# under maintenance\n', /^(?:the body is empty|no row was taken)/],
      [HTML, /^the body is an HTML page/],
      ['<html><head>', /^the body is an HTML page/],
      ['<?xml version="1.0"?><Error/>', /^the body is an XML document/],
      ['{"error":"rate limited","Event":null}', /^(?:the body is a JSON document|no row was taken|the body is empty)/],
      ['{"message":"Not Found"}\n', /^(?:the body is a JSON document|no row was taken|the body is empty)/],
      ['404: Not Found', /^no row was taken; 1 refused as/],
      [Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'), /^the body is a file of ZIP/],
      [Buffer.from('BZh91AY&SY', 'latin1'), /^the body is a file of bzip2/],
      [Buffer.from('\xfd7zXZ\0\0\x04', 'latin1'), /^the body is a file of xz/],
      [Buffer.from([0, 1, 2, 3, 0, 255]), /^(?:the body is binary data|no row was taken)/],
      [gzipSync(HTML), /^the body is an HTML page/],
      [zstdCompressSync(HTML), /^the body is an HTML page/],
    ] as const)
      assert.match(await reasonOf(name, body), reason, `${name}: ${body.toString()}`);
  }
});

test('a list that is mostly unreadable is refused with the most frequent reason, rows that are not wanted apart', async () => {
  const good = Array.from({ length: 60 }, (_, i) => `8.8.4.${i}\n`).join('');
  const bad = (count: number): string => 'sorry, no address\n'.repeat(count);
  assert.match(
    await reasonOf('compromised-ips.txt', good + bad(61)),
    /^more than half of the rows cannot be read: 61 of 121; 61 refused as not_an_address$/,
  );
  assert.match(await reasonOf('compromised-ips.txt', good + bad(60)), /^60 rows/);
  const counted = Array.from({ length: 3000 }, (_, i) => `8.8.${i >> 8}.${i & 255}\t${i < 2001 ? 3 : 1}\n`).join('');
  assert.match(await reasonOf('ipsum.txt', counted), /^2001 rows/);
});

test('a list is read in every encoding and packing that people keep it in', async () => {
  const text = `${FEODO}5.188.10.1\r\n5.188.10.2\n`;
  const utf16 = Buffer.from(text, 'utf16le');
  for (const [name, content] of [
    ['as it is', text],
    ['UTF-8 with a mark', `\uFEFF${text}`],
    ['UTF-16', utf16],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['big-endian UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16()],
    ['lines that end with CR', text.replace(/\r?\n/g, '\r')],
    ['gzip', gzipSync(text)],
    ['zstd', zstdCompressSync(text)],
  ] as const)
    assert.equal(await reasonOf('feodo-ipblocklist.txt', content), '2 rows of 2026-11-20T10:00', name);
  assert.equal(await reasonOf('feodo-ipblocklist.txt.zst', zstdCompressSync(text)), '2 rows of 2026-11-20T10:00');
  const { outcomes, broken } = await imported({
    'feodo/2026-11-19.txt.zst': zstdCompressSync(`${FEODO}5.188.10.1\n`),
    'x.feedlog.jsonl.zst': zstdCompressSync('{"format":"feedlog/2"}\n'),
  });
  assert.deepEqual(outcomes, { feodo: '1 rows of 2026-11-20T10:00' });
  assert.deepEqual(broken, [{ path: 'x.feedlog.jsonl.zst', reason: said('not a feedlog/1 header') }]);
});

test('a time in the header that cannot be read refuses the list, unless the operator says when it was', async () => {
  covers('LIST-TIMES');
  const list = (header: string): string => `${header}\n5.188.10.1\n# Feodo Tracker\n`;
  for (const time of [
    '22/08/2026',
    '2026-08-22 00:00 CET',
    '2026-02-30 00:00:00 UTC',
    '22.08.26 10:00',
    'Aug 22nd 2026',
  ]) {
    const files = { 'feodo-ipblocklist.txt': list(`# Last updated: ${time}`) };
    assert.equal(
      Object.values((await imported(files)).outcomes)[0],
      `its header has a time that cannot be read: ${time}`,
    );
    const given = await imported(files, Date.UTC(2026, 7, 22));
    assert.equal(given.outcomes.feodo, '1 rows of 2026-08-22T00:00');
  }
  for (const [header, at] of [
    ['# Created: 2019-03-01\n# Last updated: 2026-11-20 10:00 UTC', '2026-11-20T10:00'],
    ['# Last updated: 2026-11-20 10:00 UTC\n# Created: 2019-03-01', '2026-11-20T10:00'],
    ['# Generated: 2026-11-18\n# Updated: 2026-11-19 08:00 +0800', '2026-11-19T00:00'],
    ['# Created: 2026-11-19', '2026-11-19T00:00'],
    ['# Updated: every 5 minutes\n# Generated: 2026-11-18 by a script', '2026-11-18T00:00'],
    ['# Last updated: 1763719200', '2025-11-21T10:00'],
  ] as const)
    assert.equal(await reasonOf('feodo-ipblocklist.txt', list(header)), `1 rows of ${at}`, header);
});

const entry = (published_at: unknown) => JSON.stringify({ files: { 'feodo-ipblocklist.txt': { published_at } } });

test('a manifest that cannot be understood is a fault of the files that it would date, named with the value', async () => {
  const undated = '# Feodo Tracker\n5.188.10.1\n';
  for (const [manifest, reason] of [
    [
      '{"files":{"feodo-ipblocklist.txt":{"published_at":"2026-08-22T00:00:00Z"},}}',
      'manifest.json is not a JSON object',
    ],
    ['<html>', 'manifest.json is not a JSON object'],
    ['[]', 'manifest.json is not a JSON object'],
    ['{"files":[]}', 'manifest.json: files is not a JSON object'],
    ...['22/08/2026', '2026-08-22 00:00 CET', 'yesterday', '', '2026-02-30'].map(
      (value) =>
        [
          entry(value),
          `manifest.json: published_at of feodo-ipblocklist.txt is not a time: ${JSON.stringify(value)}`,
        ] as const,
    ),
    [entry(true), 'manifest.json: published_at of feodo-ipblocklist.txt is not a time: true'],
    [
      '{"files":{"feodo-ipblocklist.txt":{"published":"2026-08-22"}}}',
      'manifest.json: published_at of feodo-ipblocklist.txt is not a time: {"published":"2026-08-22"}',
    ],
  ] as const) {
    const { outcomes, states } = await imported({ 'manifest.json': manifest, 'feodo-ipblocklist.txt': undated });
    assert.deepEqual(outcomes, { feodo: reason });
    assert.deepEqual([worded(states.get('feodo').error!), states.get('feodo').failures], [reason, 1]);
  }
  for (const [manifest, at] of [
    [entry('2026-08-22T08:00:00+08:00'), '2026-08-22T00:00'],
    [entry(1787356800), '2026-08-22T00:00'],
    [`\uFEFF${entry('2026-08-22')}`, '2026-08-22T00:00'],
  ] as const)
    assert.equal(
      (await imported({ 'manifest.json': manifest, 'feodo-ipblocklist.txt': undated })).outcomes.feodo,
      `1 rows of ${at}`,
    );
  const dated = await imported({ 'manifest.json': '{', 'feodo-ipblocklist.txt': `${FEODO}5.188.10.1\n` });
  assert.equal(dated.outcomes.feodo, '1 rows of 2026-11-20T10:00', 'a list that states its time needs no manifest');
});

test('a history or a dated file that cannot be read is named, and the others are taken in', async () => {
  const { outcomes, broken } = await imported({
    'x.feedlog.jsonl': '{"format":"feedlog/2"}\n',
    'feodo-ipblocklist.txt': `${FEODO}5.188.10.1\n`,
  });
  assert.deepEqual(broken, [{ path: 'x.feedlog.jsonl', reason: said('not a feedlog/1 header') }]);
  assert.deepEqual(outcomes, { feodo: '1 rows of 2026-11-20T10:00' });
});
