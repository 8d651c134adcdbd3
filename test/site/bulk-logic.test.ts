/**
 * The workers of the bulk page and the phone page, without a browser: its memory of addresses and answers,
 * how batches are sent, and how files are read.
 */

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AddressRows } from '../../console/src/bulk/address-rows.ts';
import { BULK_MAX } from '../../console/src/bulk/bulk-request.ts';
import { logBlocks, UnclearLayout } from '../../console/src/bulk/log-blocks.ts';
import { PackedFile } from '../../console/src/bulk/open-blob.ts';
import { questionBeforeLeaving } from '../../console/src/bulk/question-before-leaving.ts';
import { type SendOptions, sendBatches } from '../../console/src/bulk/send-batches.ts';
import { PhoneRows } from '../../console/src/phone/phone-rows.ts';
import { loadSegments } from '../../src/adapters/phone-db/open-phone.ts';
import type { IPRisk } from '../../src/contract/documents.ts';
import { answersBeside } from '../../src/core/enrich/answers-beside.ts';
import type { Address } from '../../src/core/ip/address.ts';
import { detectLayout } from '../../src/core/logs/detect-layout.ts';
import { findNumbers } from '../../src/core/phone/find-numbers.ts';
import type { PhoneItem } from '../../src/core/phone/phone-item.ts';
import { Fault } from '../../src/core/texts/said.ts';
import { unixMs } from '../../src/core/units.ts';

const SEED = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const four = (w0: number): Address => ({ family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0 });
/** As Excel writes it, with a byte order mark. */
const utf16 = (text: string): Buffer<ArrayBuffer> => Buffer.from(`\uFEFF${text}`, 'utf16le');
const rowsOf = (count: number): AddressRows => {
  const rows = new AddressRows(SEED);
  for (let i = 0; i < count; i++) assert.ok(rows.add(four(0x0800_0000 + i)));
  return rows;
};

const verdict = (ip: string): IPRisk => ({
  ip,
  risk: { score: 71, level: 'high', signals: ['proxy'] },
  evidence_state: 'active',
  computed_at: '2026-11-22T08:00:00.000Z',
  network: { asn: 4134 },
  geo: { country: 'CN', city: '=HYPERLINK("x")' },
  meta: { data_version: { risk: 'r', geo: 'g' } },
});

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** Answers like the service; a refusal takes the place of an answer. @returns the batches that were sent */
function answered(refusals: readonly (object | undefined)[] = []): string[][] {
  const batches: string[][] = [];
  globalThis.fetch = async (_url, init) => {
    const { ips } = JSON.parse(String(init!.body)) as { readonly ips: string[] };
    const refusal = refusals[batches.length];
    batches.push(ips);
    if (refusal !== undefined)
      return new Response(JSON.stringify({ error: { message: '', ...refusal } }), { status: 429 });
    return new Response(JSON.stringify({ count: ips.length, billable: ips.length, results: ips.map(verdict) }));
  };
  return batches;
}

const options = (more: Partial<SendOptions> = {}): SendOptions => ({
  route: { path: '/console/api/ip/batch', member: 'ips', batchMax: 1000 },
  csrf: 'token',
  most: 1e6,
  perMin: 1e6,
  signal: new AbortController().signal,
  onProgress: () => {},
  onAnswered: async () => {},
  onWait: () => {},
  ...more,
});

describe('batches', () => {
  test('hold at most 1,000 addresses, and no more than a minute of the account', async () => {
    let batches = answered();
    await sendBatches(rowsOf(2500), options());
    assert.deepEqual(
      batches.map(({ length }) => length),
      [1000, 1000, 500],
    );
    batches = answered();
    await sendBatches(rowsOf(130), options({ perMin: 60 }));
    assert.deepEqual(
      batches.map(({ length }) => length),
      [60, 60, 10],
    );
  });

  test('one that can never fit the minute is halved, and no address is left out', async () => {
    const batches = answered([{ code: 'batch_over_rate_limit', retry_after: 60 }]);
    const rows = rowsOf(100);
    const problem = await sendBatches(rows, options());
    assert.deepEqual([problem, rows.answered, batches.map(({ length }) => length)], [undefined, 100, [100, 50, 50]]);
  });

  test('never ask for more addresses than was agreed to, and go on with those that are left', async () => {
    const rows = new AddressRows(SEED);
    for (let i = 0; i < 10; i++) for (let line = 0; line <= i; line++) rows.add(four(0x0800_0000 + i));
    const batches = answered();
    await sendBatches(rows, options({ most: 3 }));
    assert.deepEqual(batches, [['8.0.0.9', '8.0.0.8', '8.0.0.7']], 'the most frequent first');
    await sendBatches(rows, options());
    assert.deepEqual(batches[1], ['8.0.0.6', '8.0.0.5', '8.0.0.4', '8.0.0.3', '8.0.0.2', '8.0.0.1', '8.0.0.0']);
  });

  test('end with the refusal of the day, and answers stay', async () => {
    answered([undefined, { code: 'quota_exceeded', resets_at: '2026-11-23T00:00:00Z' }]);
    const rows = rowsOf(1500);
    const problem = await sendBatches(rows, options());
    assert.deepEqual([problem?.code, rows.answered], ['quota_exceeded', 1000]);
  });

  test('a wait for the next minute ends when it is stopped, without another request', async () => {
    const stopping = new AbortController();
    const batches = answered([{ code: 'rate_limited', retry_after: 3600 }]);
    await sendBatches(rowsOf(10), options({ signal: stopping.signal, onWait: () => stopping.abort() }));
    assert.equal(batches.length, 1);
  });
});

describe('rows', () => {
  test(`there is room for ${BULK_MAX.toLocaleString('en')} different addresses and not for one more`, () => {
    const rows = rowsOf(BULK_MAX);
    assert.equal(rows.add(four(0x0900_0000)), false);
    assert.equal(rows.add(four(0x0800_0000)), true, 'one that is there is counted');
    assert.equal(rows.size, BULK_MAX);
  });

  test('the riskiest stand first, expired evidence before none, and addresses without a verdict last', () => {
    const rows = rowsOf(5);
    const answer = (i: number, state: IPRisk['evidence_state'], score: number): void => {
      const document = verdict(rows.text(i));
      rows.answer(i, { ...document, evidence_state: state, risk: { ...document.risk, score } });
    };
    answer(0, 'none', 0);
    rows.answer(1, { ip: rows.text(1), error: { code: 'not_found', message: '' } });
    answer(2, 'active', 12);
    answer(3, 'stale', 0);
    assert.deepEqual(
      rows.ranked().map(({ ip }) => ip),
      [2, 3, 0, 1].map((i) => rows.text(i)),
    );
    assert.equal(rows.ranked().length, 4, 'one that was not asked about is left out');
  });

  test('the table has one line an address, quotes cells that need it, and disarms text that a spreadsheet would take for a formula', async () => {
    const rows = rowsOf(1);
    rows.add(four(0x0800_0000));
    answered();
    await sendBatches(rows, options());
    assert.equal(
      rows.csv().join(''),
      'ip,lines,evidence_state,score,level,signals,share_tier,usage_type,asn,country,region,city,problem\r\n' +
        '8.0.0.0,2,active,71,high,proxy,,,4134,CN,,"\'=HYPERLINK(""x"")",\r\n',
    );
    const text = new TextEncoder().encode('user;IP;country\nann;8[.]0.0.0;x\nbob;;"y;z"\n');
    const layout = detectLayout(text, { now: unixMs(0) });
    assert.ok(!(layout instanceof Fault));
    assert.equal(
      new TextDecoder().decode(answersBeside(layout, rows.rowOf).enrich(text, true).bytes),
      'user;IP;country;pulse.ip;lines;evidence_state;score;level;signals;share_tier;usage_type;asn;pulse.country;region;city;problem\n' +
        'ann;8[.]0.0.0;x;8.0.0.0;2;active;71;high;proxy;;;4134;CN;;"\'=HYPERLINK(""x"")";\nbob;;"y;z";;;;;;;;;;;;;\n',
    );
  });
});

describe('phone numbers', () => {
  const rowsOfTexts = (...texts: readonly string[]): PhoneRows => {
    const rows = new PhoneRows(loadSegments());
    for (const sought of texts) assert.ok(rows.add({ cells: [sought], sought, numbers: findNumbers(sought) }));
    return rows;
  };
  const query = {} as never;
  const hit = (state: 'active' | 'stale', score: number): PhoneItem => ({
    ...{
      query,
      hit: true,
      evidence_state: state,
      activity: { last_active: '2026-11-20T00:00:00Z', last_active_days_ago: 3 },
    },
    risk: { score, level: 'high', tags: [] },
  });
  const miss: PhoneItem = {
    ...{ query, hit: false, evidence_state: 'none', miss_reason: 'not_in_risk_db' },
    risk: { score: 0, level: 'none', tags: [] },
  };

  test('each is asked about once in international form, and none that can never hit', () => {
    const rows = rowsOfTexts('138 0013 8000', '+86 13800138000, +1 415 555 2671', '1380013', 'none');
    assert.deepEqual(
      rows.unanswered().map((number) => rows.text(number)),
      ['+8613800138000', '+14155552671'],
    );
  });

  test('active evidence stands before stale, misses with their number block behind, and then numbers not asked about', () => {
    const rows = rowsOfTexts('none', '1380013', '17012345678', '13800138001', '13800138002', '13800138003');
    for (const [number, item] of [miss, hit('stale', 9), hit('active', 1), hit('active', 7)].entries())
      rows.answer(number, item);
    const { counts, shown, of } = rows.summary()!;
    assert.deepEqual(
      shown.map(({ item }) => ('e164' in item.query ? item.query.e164 : item.query.input)),
      ['+8613800138003', '+8613800138002', '+8613800138001', '+8617012345678', 'none', '+861380013'],
    );
    assert.deepEqual([counts, of], [{ none: 0, low: 0, medium: 0, high: 2, stale: 1, miss: 1 }, 6]);
    assert.equal(shown[3]?.planned?.attribute, 202);
  });

  test('answers kept in the browser hold no number, and a run over the same list goes on with it', () => {
    const list = ['13800138001', '13800138002'];
    const [rows, later] = [rowsOfTexts(...list), rowsOfTexts(...list)];
    rows.answer(1, hit('active', 7));
    assert.doesNotMatch(JSON.stringify(rows.kept(1)), /1380013/);
    later.restore([rows.kept(1)!]);
    assert.deepEqual([later.unanswered(), later.digest() === rows.digest()], [[0], true]);
    assert.notEqual(later.digest(), rowsOfTexts(...list.toReversed()).digest());
  });
});

describe('files', () => {
  const addresses = async (source: Blob, anyText = false): Promise<readonly number[]> => {
    const found: number[] = [];
    for await (const { bytes, from, reader } of logBlocks(source, { anyText }))
      for (let at = from; at < bytes.length; ) {
        at = reader.read(bytes, at);
        if (reader.hasAddress) found.push(reader.address.w0);
      }
    return found;
  };

  test('every record is read once, whatever the size of the file, packed or not', async () => {
    for (const count of [1, 3, 60_000]) {
      const text = `when,client\n${Array.from({ length: count }, (_, i) => `2026-11-20T05:00:00Z,8.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`).join('\n')}`;
      const expected = Array.from({ length: count }, (_, i) => 0x0800_0000 + i);
      assert.deepEqual(await addresses(new Blob([text])), expected);
      const packed = [gzipSync(text), utf16(text), gzipSync(utf16(text))];
      for (const one of packed) assert.deepEqual(await addresses(new Blob([one])), expected);
    }
    const bigEndian = utf16('8.8.8.8\n');
    bigEndian.swap16();
    assert.deepEqual(await addresses(new Blob([bigEndian])), [0x0808_0808]);
  });

  test('a ZIP archive and other files without lines are refused as what they are, a damaged one as damaged', async () => {
    for (const head of ['PK\x03\x04', 'PAR1', '\xfd7zXZ\0', 'BZh91AY'])
      await assert.rejects(addresses(new Blob([Buffer.from(`${head}, 8.8.8.8`, 'latin1')])), PackedFile);
    const cut = addresses(new Blob([gzipSync('8.8.8.8\n'.repeat(1000)).subarray(0, 25)]));
    await assert.rejects(cut, (error) => !(error instanceof UnclearLayout || error instanceof PackedFile));
  });

  test('any text is read with all addresses of a line, a file as it is laid out', async () => {
    const text = 'used 8.8.8[.]1 and hxxp://8.8.8[.]2/x\nsrc=8.8.8.3 dst=8.8.8.4 8.8.9.0/24\n';
    assert.deepEqual(
      await addresses(new Blob([text]), true),
      [1, 2, 3, 4].map((host) => 0x0808_0800 + host),
    );
    assert.deepEqual(await addresses(new Blob(['8.8.8.1 8.8.8.9 x\n8.8.8.2 8.8.8.9 x\n'])), [0x0808_0801, 0x0808_0802]);
  });

  test('a file without addresses is refused, an empty one has no records', async () => {
    await assert.rejects(addresses(new Blob(['no address\nis here\n'])), UnclearLayout);
    assert.deepEqual(await addresses(new Blob([])), []);
  });
});

test('the page asks before it is left while a run goes on, and while answers that the browser does not keep were not downloaded', () => {
  const summary = {};
  const ask = (phase: 'found' | 'running' | 'ended', unkept: boolean, isSaved = false) =>
    questionBeforeLeaving({ phase, unkept, summary }, isSaved);
  assert.deepEqual(
    [ask('running', false), ask('running', true), ask('running', true, true)],
    ['leave', 'leaveLost', 'leaveLost'],
  );
  assert.deepEqual(
    [ask('ended', true), ask('ended', true, true), ask('ended', false)],
    ['unkept', undefined, undefined],
  );
  assert.equal(ask('found', true), undefined);
});
