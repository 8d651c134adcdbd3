/**
 * The phone capability over the running service: numbers as people write them, libraries loaded by the
 * command line, charges read back from /v1/me.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { callTool } from '../support/call-tool.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { clearOfMinuteEnd, pulseOver, seenByThreads } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { M, READINGS, UNPARSEABLE } from './readings.fixture.ts';

const list = createRequire(import.meta.url)('@ip1sms/disposable-phone-numbers/number-list.json') as Readonly<
  Record<string, string>
>;
const LISTED = Object.keys(list).find((digits) => /^861[3-9]\d{9}$/.test(digits)) as string;
const ABROAD = Object.keys(list).find((digits) => /^447\d{9}$/.test(digits)) as string;
const ROOT = resolve(import.meta.dirname, '../..');
const DAY_MS = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: JSON bodies under test
type Body = any;
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

let server: ServeProcess;
let full: ReturnType<typeof createKey>;

before(async () => {
  server = await serveProcess({
    env: { PULSE_PHONE: 'on', PULSE_LOG: 'debug' },
    phones: 'shipped',
    clockAt: Date.now(),
  });
  full = createKey(server.dataDir, 'full', ['--plan', 'enterprise', '--phone']);
  await eventually(async () => (await post('lookup', { number: '+8613000000000' })).status === 200, {
    hint: server.output,
  });
});
after(() => server?.dispose());

async function ask(path: string, init: RequestInit, key: string | undefined): Promise<Answer> {
  const headers = { ...(key === undefined ? {} : { 'x-api-key': key }), ...(init.headers as object) };
  const response = await fetch(server.base + path, { ...init, headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const post = (what: 'lookup' | 'batch', body: unknown, key: string | undefined = full.key, type = 'application/json') =>
  ask(
    `/v1/phone/${what}`,
    { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers: { 'content-type': type } },
    key,
  );
const usage = async (key = full.key) => (await ask('/v1/me', {}, key)).body.capabilities.phone;
const seen = ({ status, body, headers }: Answer) => [status, body.error?.code, headers.get('x-billable-units')];

describe('reading numbers', () => {
  test('every way of writing is read as the rules say, in one batch, in order', async () => {
    covers('PHONE-B-ORDER PHONE-B-SHAPE');
    covers('PHONE-Q-INPUT PHONE-Q-E164 PHONE-Q-NATIONAL PHONE-Q-CODE PHONE-Q-ISO2 PHONE-Q-LENGTH');
    const asked = READINGS.flatMap(([inputs, ...expected]) => inputs.map((input) => ({ input, expected })));
    const { status, body } = await post('batch', { numbers: asked.map(({ input }) => input) });
    assert.equal(status, 200);
    assert.deepEqual([body.count, body.billable], [asked.length, asked.length]);
    for (const [index, { input, expected }] of asked.entries()) {
      const [e164, national, code, iso2, validLength] = expected;
      const { query, hit, miss_reason } = body.results[index];
      assert.deepEqual(
        query,
        { input, e164, national_number: national, country_code: code, country: { iso2 }, valid_length: validLength },
        JSON.stringify(input),
      );
      if (!hit)
        assert.equal(
          miss_reason,
          validLength === false ? 'unqueryable_bad_length' : 'not_in_risk_db',
          JSON.stringify(input),
        );
      if (validLength === false) assert.equal(hit, false);
    }
  });

  test('unreadable input is never guessed: inline in a batch, 400 with the input alone, billed nowhere', async () => {
    covers('PHONE-B-INLINE', 'PHONE-BILL-UNPARSEABLE', 'ERR-bad_number');
    const before = await usage();
    const { body, headers } = await post('batch', { numbers: UNPARSEABLE });
    assert.deepEqual(
      [body.count, body.billable, body.hit_count, headers.get('x-billable-units')],
      [UNPARSEABLE.length, 0, 0, '0'],
    );
    for (const [index, input] of UNPARSEABLE.entries()) {
      const { query, hit, error, ...more } = body.results[index];
      assert.deepEqual(
        [query, hit, error?.code, more],
        [{ input }, false, 'bad_number', {}],
        JSON.stringify(input.slice(0, 30)),
      );
    }
    for (const input of UNPARSEABLE.slice(0, 20)) {
      const answer = await post('lookup', { number: input });
      assert.deepEqual(
        [...seen(answer), answer.body.query],
        [400, 'bad_number', '0', { input }],
        JSON.stringify(input),
      );
      assert.equal(answer.headers.get('x-daily-limit'), null);
      assert.ok(answer.headers.get('x-request-id'));
    }
    assert.deepEqual(await usage(), before);
  });
});

describe('bodies', () => {
  test('only JSON in UTF-8 of the documented form is read; each other body is refused with its code and costs nothing', async () => {
    covers('ERR-bad_request', 'PHONE-NON-200');
    const before = await usage();
    const good = JSON.stringify({ number: M });
    for (const type of [
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ])
      assert.deepEqual(seen(await post('lookup', good, full.key, type)), [415, 'unsupported_media_type', '0'], type);
    const notJson = ['', ' ', '{', `${good}}`, `[${good}]`, 'null', '[]', '1', '"x"', '{}'];
    for (const body of [
      ...notJson,
      `{"number":${M.slice(1)}}`,
      '{"number":{}}',
      '{"number":null}',
      '{"number":["1"]}',
      '{"Number":"1"}',
      '{"numbers":["1"]}',
    ])
      assert.deepEqual(seen(await post('lookup', body)), [400, 'bad_request', '0'], body);
    for (const body of ['{}', good]) assert.deepEqual(seen(await post('batch', body)), [400, 'bad_request', '0'], body);
    for (const numbers of [['1', 2], [['1']], [null], [true], 'x', {}, { 0: '1' }, null, 13800138000])
      assert.deepEqual(seen(await post('batch', { numbers })), [400, 'bad_request', '0'], JSON.stringify(numbers));
    assert.deepEqual(await usage(), before);
  });

  test('JSON is taken with a charset, an upper-case type, a byte-order mark and unknown keys', async () => {
    covers('PHONE-LOOKUP');
    for (const [body, type] of [
      [JSON.stringify({ number: M }), 'application/json; charset=utf-8'],
      [JSON.stringify({ number: M }), 'Application/JSON'],
      [`\ufeff${JSON.stringify({ number: M })}`, 'application/json'],
      [JSON.stringify({ number: M, more: { a: [1] } }), 'application/json'],
    ] as const)
      assert.equal((await post('lookup', body, full.key, type)).status, 200, type);
  });

  test('a body of 1 MiB is read and one byte more is not, with a length and without; a thousand numbers are and one more is not', async () => {
    covers('PHONE-BODY-MAX', 'PHONE-BATCH-MAX', 'ERR-payload_too_large');
    const sized = (bytes: number): string => {
      const head = JSON.stringify({ number: M, numbers: ['x'], pad: '' }).slice(0, -2);
      return `${head}${'p'.repeat(bytes - head.length - 2)}"}`;
    };
    const send = (what: 'lookup' | 'batch', body: string, chunked: boolean) =>
      new Promise((done, failed) => {
        const headers = {
          'x-api-key': full.key,
          'content-type': 'application/json',
          ...(chunked ? {} : { 'content-length': body.length }),
        };
        const sent = request(`${server.base}/v1/phone/${what}`, { method: 'POST', headers }, (answer) => {
          let text = '';
          answer.on('data', (part) => (text += String(part)));
          answer.on('end', () =>
            done([answer.statusCode ?? 0, JSON.parse(text).error?.code, answer.headers['x-billable-units'] as string]),
          );
        });
        sent.on('error', failed);
        for (let at = 0; at < body.length; at += 100_000) sent.write(body.slice(at, at + 100_000));
        sent.end();
      });
    for (const [what, cost] of [
      ['lookup', '1'],
      ['batch', '0'],
    ] as const)
      for (const chunked of [false, true]) {
        assert.deepEqual(await send(what, sized(1_048_576), chunked), [200, undefined, cost]);
        assert.deepEqual(await send(what, sized(1_048_577), chunked), [413, 'payload_too_large', '0']);
      }
    const before = await usage();
    const numbers = Array.from({ length: 1001 }, (_, i) => (i % 2 === 0 ? M : 'x'));
    assert.deepEqual(seen(await post('batch', { numbers })), [413, 'payload_too_large', '0']);
    assert.deepEqual(await usage(), before);
    assert.deepEqual(seen(await post('batch', { numbers: numbers.slice(0, 1000) })), [200, undefined, '500']);
    assert.deepEqual(seen(await post('batch', { numbers: [] })), [200, undefined, '0']);
  });

  test('numbers travel in the body alone: there is no GET form, and a number in the query is not read', async () => {
    covers('PHONE-BODY-ONLY');
    for (const what of ['lookup', 'batch']) {
      const answer = await ask(`/v1/phone/${what}?number=13800138000`, {}, full.key);
      assert.deepEqual(
        [answer.status, answer.body.error.code, answer.headers.get('allow')],
        [405, 'method_not_allowed', 'POST'],
      );
    }
    assert.deepEqual(seen(await ask('/v1/phone/lookup?number=13800138000', { method: 'POST' }, full.key)), [
      400,
      'bad_request',
      '0',
    ]);
  });
});

describe('who may ask', () => {
  test('dictionary and coverage are free for every key, and have their shapes', async () => {
    covers('PHONE-TAGS-FREE', 'PHONE-COVERAGE-FREE', 'PHONE-TAGS-DICTIONARY', 'PHONE-HEADERS-NUMBERS');
    const free = createKey(server.dataDir, 'reader', ['--plan', 'free']).key;
    await seenByThreads(
      () => ask('/v1/me', {}, free),
      ({ status }) => status === 200,
    );
    const before = await usage();
    for (const key of [free, full.key]) {
      const tags = await ask('/v1/phone/meta/tags', {}, key);
      assert.deepEqual(
        Object.keys(tags.body),
        'version risk_tags card_attributes card_types evidence_states levels meta'.split(' '),
      );
      for (const group of ['risk_tags', 'card_attributes', 'card_types'])
        for (const row of tags.body[group]) {
          assert.deepEqual(Object.keys(row).sort(), ['code', 'description', 'label', 'slug']);
          assert.ok(
            Number.isInteger(row.code) && /^[a-z_]+$/.test(row.slug) && row.label !== '' && row.description !== '',
          );
        }
      assert.deepEqual([tags.body.risk_tags[0].code, tags.body.risk_tags[0].slug], [101, 'sim_farm']);
      const slugs = tags.body.evidence_states.map(({ slug }: Body) => slug);
      assert.deepEqual(slugs, ['active', 'stale', 'none']);
      assert.deepEqual(
        [tags.body.risk_tags.length, tags.body.card_attributes.length, tags.body.card_types.length],
        [16, 6, 7],
      );
      const coverage = await ask('/v1/phone/meta/coverage', {}, key);
      assert.deepEqual(Object.keys(coverage.body), ['libraries', 'stale_after_days', 'segments', 'meta']);
      assert.equal(coverage.body.stale_after_days, 90);
      assert.deepEqual(
        coverage.body.libraries.map(({ library }: Body) => library),
        ['cn', 'sg'],
      );
      // Filled once, by the release: no load has shown a cadence yet.
      for (const library of coverage.body.libraries)
        assert.ok(library.records > 1000 && !('cadence' in library) && !('last_increment_at' in library));
      for (const { headers } of [tags, coverage])
        assert.deepEqual(
          [headers.get('x-billable-units'), headers.get('x-quota-unit'), headers.get('cache-control')],
          ['0', 'phone_number', 'no-store'],
        );
      const shown = key === full.key ? ['100000', String(before.remaining), '10000'] : [null, null, null];
      for (const { headers } of [tags, coverage])
        assert.deepEqual(
          ['x-daily-limit', 'x-daily-remaining', 'x-ratelimit-limit'].map((name) => headers.get(name)),
          shown,
        );
      for (const { body, headers } of [tags, coverage]) assert.equal(body.meta.request_id, headers.get('x-request-id'));
    }
    assert.deepEqual(await usage(), before);
    for (const what of ['tags', 'coverage'])
      assert.equal((await ask(`/v1/phone/meta/${what}`, {}, undefined)).body.error.code, 'key_required');
  });
});

describe('charges', () => {
  test('a batch costs its parseable numbers, duplicates each time; a lookup costs one; addresses and numbers are counted apart', async () => {
    covers(
      'PHONE-BILL-LOOKUP PHONE-BILL-BATCH PHONE-B-COUNTS PHONE-UNIT PHONE-UNITS-COST PHONE-SEPARATE PHONE-HEADERS-NUMBERS ME-PHONE',
    );
    await clearOfMinuteEnd(server, 5);
    const before = await usage();
    const single = await post('lookup', { number: '10086' });
    assert.deepEqual(
      [...seen(single), single.body.query.valid_length, single.body.miss_reason],
      [200, undefined, '1', false, 'unqueryable_bad_length'],
    );
    const batch = await post('batch', { numbers: [M, M, 'x', '10086', M, ''] });
    assert.deepEqual([batch.body.count, batch.body.billable, ...seen(batch)], [6, 4, 200, undefined, '4']);
    assert.deepEqual(await usage(), {
      used_today: before.used_today + 5,
      refunded_today: before.refunded_today,
      remaining: before.remaining - 5,
    });
    const left = (header: string): number => Number(single.headers.get(header)) - Number(batch.headers.get(header));
    assert.deepEqual([left('x-daily-remaining'), left('x-ratelimit-remaining')], [4, 4]);
    assert.deepEqual([batch.headers.get('x-daily-limit'), batch.headers.get('x-ratelimit-limit')], ['100000', '10000']);
    assert.ok(Number(batch.headers.get('x-daily-reset')) * 1000 > Date.now());
    const me = (await ask('/v1/me', {}, full.key)).body;
    assert.deepEqual([me.used_today, me.remaining], [0, 2_000_000]);
  });

  test('a batch fits exactly or is refused whole: by the day quota_exceeded, by the minute batch_over_rate_limit', async () => {
    covers('PHONE-ALL-OR-NOTHING', 'PHONE-OVER-MINUTE', 'ERR-batch_over_rate_limit', 'ERR-quota_exceeded');
    const day = createKey(server.dataDir, 'day', ['--plan', 'enterprise', '--phone']);
    pulseJson(server.dataDir, ['account', 'set', day.accountId, '--phone-per-day', '10']);
    const minute = createKey(server.dataDir, 'minute', ['--plan', 'enterprise', '--phone']);
    pulseJson(server.dataDir, ['account', 'set', minute.accountId, '--phone-per-min', '8']);
    const of = (count: number): { readonly numbers: readonly string[] } => ({
      numbers: [...Array.from({ length: count }, () => M), 'x'],
    });
    await seenByThreads(
      () => usage(day.key),
      (phone) => phone?.remaining === 10,
    );
    await clearOfMinuteEnd(server, 8);

    assert.deepEqual(seen(await post('batch', of(4), day.key)), [200, undefined, '4']);
    const tooMany = await post('batch', of(7), day.key);
    assert.deepEqual(seen(tooMany), [429, 'quota_exceeded', '0']);
    assert.deepEqual([tooMany.headers.get('x-daily-limit'), tooMany.headers.get('x-daily-remaining')], ['10', '6']);
    assert.equal(tooMany.headers.get('retry-after'), String(tooMany.body.error.retry_after));
    assert.ok(Date.parse(tooMany.body.error.resets_at) > Date.now());
    assert.deepEqual(await usage(day.key), { used_today: 4, refunded_today: 0, remaining: 6 });
    assert.deepEqual(seen(await post('batch', of(6), day.key)), [200, undefined, '6']);
    assert.deepEqual(seen(await post('lookup', { number: M }, day.key)), [429, 'quota_exceeded', '0']);
    assert.deepEqual(seen(await post('batch', of(0), day.key)), [200, undefined, '0'], 'what costs nothing passes');
    assert.deepEqual(await usage(day.key), { used_today: 10, refunded_today: 0, remaining: 0 });

    const nine = await post('batch', of(9), minute.key);
    assert.deepEqual(seen(nine), [429, 'batch_over_rate_limit', '0']);
    assert.deepEqual(
      [
        nine.headers.get('x-ratelimit-limit'),
        nine.headers.get('x-ratelimit-remaining'),
        nine.headers.get('x-daily-limit'),
      ],
      ['8', '7', null],
    );
    assert.ok(Number(nine.headers.get('retry-after')) >= 1);
    const eight = await post('batch', of(8), minute.key);
    assert.deepEqual(seen(eight), [429, 'rate_limited', '0'], 'the refused request was one of the minute');
    assert.deepEqual([eight.headers.get('x-daily-limit'), eight.headers.get('x-ratelimit-limit')], [null, '8']);
    assert.deepEqual(seen(await post('batch', of(7), minute.key)), [200, undefined, '7']);
    assert.deepEqual(seen(await post('batch', of(9), minute.key)), [429, 'batch_over_rate_limit', '0'], 'minute used');
    assert.deepEqual(seen(await post('lookup', '{', minute.key)), [429, 'rate_limited', '0'], 'before the body');
    assert.deepEqual(await usage(minute.key), { used_today: 7, refunded_today: 0, remaining: 99_993 });
  });
});

describe('answers of the libraries', () => {
  const at = (ageMs: number): string => new Date(Date.now() - ageMs).toISOString();
  const hit = async (number: string): Promise<Body> => (await post('lookup', { number })).body;
  const load = (library: 'cn' | 'sg', rows: readonly object[]): void => {
    const file = join(server.dataDir, `${library}.ndjson`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    pulseJson(server.dataDir, ['phone', 'import', file, '--library', library, '--data-version', `${library}-minute-1`]);
  };

  test('a listed disposable number is a hit with every block, and the answer says its cost', async () => {
    const { status, body, headers } = await post('lookup', { number: `+${LISTED}` });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), 'query hit evidence_state risk activity carrier sources meta'.split(' '));
    assert.equal(body.hit, true);
    assert.deepEqual(body.risk.primary_tag, { code: 104, slug: 'public_sms_inbox' });
    assert.equal(body.activity.last_active, `${list[LISTED]}T00:00:00Z`);
    // The list states one date a number and nothing else: no score and no first sight are made up for it.
    assert.deepEqual([Object.keys(body.risk), body.risk.level], [['level', 'primary_tag', 'tags'], 'medium']);
    assert.deepEqual(
      [body.sources[0].risk, body.sources[0].first_seen, body.activity.first_seen],
      [undefined, undefined, undefined],
    );
    assert.match(body.carrier.province ?? 'CN-XX', /^CN-[A-Z]{2}$/);
    assert.equal(body.sources[0].library, 'cn');
    assert.equal(body.meta.request_id, headers.get('x-request-id'));
    assert.match(body.meta.data_version.cn, /^\d{8}$/);
    assert.equal(headers.get('x-quota-unit'), 'phone_number');
    assert.equal(headers.get('x-billable-units'), '1');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-daily-limit'), '100000');
    assert.equal(headers.get('x-ratelimit-limit'), '10000');
    const abroad = await post('lookup', { number: `00${ABROAD}` });
    assert.equal(abroad.body.hit, true);
    assert.equal('carrier' in abroad.body, false);
    assert.equal(abroad.body.sources[0].library, 'sg');
    const batch = await post('batch', { numbers: [`+${LISTED}`, 'x', M, `+${LISTED}`] });
    assert.deepEqual([batch.body.count, batch.body.billable, batch.body.hit_count], [4, 3, 2]);
    const apart = ({ meta: _, ...answer }: Body): Body => answer;
    assert.deepEqual(apart(batch.body.results[3]), apart(body), 'each item of a batch is the single answer');
  });

  test('an agent gets the very profile, charged as a number and not as an address', async () => {
    covers('MCP-ACCOUNT-TOOLS', 'MCP-STRUCTURED');
    const tool = (number: string, key = full.key): Promise<Body> =>
      callTool({ url: `${server.base}/mcp/account`, key, name: 'phone_risk_lookup', args: { number } });
    const apart = ({ meta: _, ...answer }: Body): Body => answer;
    const profile = (await post('lookup', { number: `+${LISTED}` })).body;
    const addresses = async () => (await ask('/v1/me', {}, full.key)).body.used_today;
    const before = [await usage(), await addresses()];
    assert.deepEqual(apart(await tool(`+${LISTED}`)), apart(profile));
    const miss = await tool(M);
    assert.deepEqual([miss.hit, miss.evidence_state, miss.miss_reason], [false, 'none', 'not_in_risk_db']);
    assert.equal((await tool('x')).error.code, 'bad_number');
    const { used_today: used } = await usage();
    assert.deepEqual([used, await addresses()], [before[0].used_today + 2, before[1]]);
    const plain = createKey(server.dataDir, 'no-phone-tool', ['--plan', 'professional']).key;
    assert.equal((await tool(M, plain)).error.code, 'capability_not_eligible');
  });

  test('the command line gives the same answers from the local libraries, and keeps the columns of a table', async () => {
    covers('CLI-PHONE');
    const { status, stdout } = pulseOver(server.dataDir, ['phone', 'lookup', `+${LISTED}`]);
    const apart = ({ meta: { data_version }, ...answer }: Body): Body => ({ ...answer, data_version });
    assert.equal(status, 0);
    assert.deepEqual(apart(JSON.parse(stdout)), apart((await post('lookup', { number: `+${LISTED}` })).body));
    const file = join(server.dataDir, 'customers.csv');
    writeFileSync(
      file,
      `name,手机号,note\n"Li, =x",${LISTED.slice(2)},=1+1\nMVNO,170 1234 5678,\nBob,none,\nEve,${M},b\n`,
    );
    const table = pulseOver(server.dataDir, ['phone', 'lookup', file, '--output', 'csv']);
    const rows = table.stdout.trimEnd().split('\r\n');
    assert.deepEqual([table.status, rows.length], [0, 5]);
    assert.match(rows[0]!, /^name,手机号,note,pulse_phone_e164,pulse_phone_country,/);
    assert.match(
      rows[1]!,
      new RegExp(`^"Li, =x",${LISTED.slice(2)},'=1\\+1,\\+${LISTED},CN,true,true,stale,,medium,public_sms_inbox,`),
    );
    assert.match(
      rows[2]!,
      /^MVNO,170 1234 5678,,\+8617012345678,CN,true,false,none,0,none,,,,,CTCC,virtual_operator,,not_in_risk_db$/,
    );
    assert.match(rows[3]!, /^Bob,none,,,+bad_number$/);
    assert.doesNotMatch(table.stderr, /\d{7}/);
  });

  test('a list in which numbers are not found is an error with its reason, without a text of the list', () => {
    covers('CLI-PHONE');
    const lookup = (input: string, ...options: readonly string[]) =>
      pulseOver(server.dataDir, ['phone', 'lookup', '-', ...options], input);
    const region = lookup('(415) 555-2671\n', '--region', 'US');
    assert.equal(JSON.parse(region.stdout).query.e164, '+14155552671');
    const few = `secret one\nsecret two\n${M}\n`;
    for (const [input, reason] of [
      ['secret\n', 'no phone number in 1 line ('],
      ['a,b\nsecret,1\n', 'no column has phone numbers in most rows'],
      [few, '2 of 3 lines have no phone number'],
    ] as const) {
      const { status, stderr } = lookup(input);
      assert.equal(status, 1, stderr);
      assert.ok(stderr.includes(reason), stderr);
      assert.doesNotMatch(stderr, /secret|\d{7}/);
    }
    assert.equal(lookup(few, '--allow-partial').status, 0);
    assert.equal(lookup('', '--region', 'XX').status, 2);
    assert.equal(pulseOver(server.dataDir, ['phone', 'lookup', 'secret']).status, 1);
  });

  test('two libraries: both are asked, the higher risk leads, and each has its version', async () => {
    covers('PHONE-HIT PHONE-META-VERSION PHONE-META-ID');
    const number = '+8613912340001';
    const seenAt = { first_seen: at(50 * DAY_MS), last_active: at(2 * DAY_MS), observed_days: 4 };
    load('cn', [{ number, risk: 4, tags: [105, 101], primary_tag: 105, ...seenAt }]);
    load('sg', [{ number, risk: 7, tags: [112, 105], primary_tag: 112, ...seenAt }]);
    await seenByThreads(
      () => hit(number),
      ({ meta }) => 'cn_minute' in meta.data_version && 'sg_minute' in meta.data_version,
    );
    const { risk, activity, sources, evidence_state, carrier, meta } = await hit(number);
    assert.deepEqual(
      [risk.score, risk.primary_tag.slug, risk.tags.length, evidence_state],
      [7, 'fraud_reported', 3, 'active'],
    );
    assert.deepEqual(
      sources.map(({ library, risk, tag }: Body) => `${library} ${risk} ${tag.slug}`),
      ['sg 7 fraud_reported', 'cn 4 account_farming'],
    );
    assert.deepEqual([activity.last_active_days_ago, activity.observed_days], [2, 4]);
    assert.deepEqual([meta.data_version.cn_minute, meta.data_version.sg_minute], ['cn-minute-1', 'sg-minute-1']);
    assert.match(carrier.city_code, /^\d{6}$/);
  });

  test('ten thousand records are loaded while lookups go on: every answer is whole, from the old library or the new one', async () => {
    covers('PHONE-LOOKUP', 'PHONE-META-VERSION');
    const args = ['phone', 'generate', '--library', 'cn', '--records', '10000', '--seed', '7', '--json'];
    const child = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args], {
      env: { ...pulseEnvironment, PULSE_DATA_DIR: server.dataDir },
      stdio: 'ignore',
    });
    let running = true;
    const ended = once(child, 'exit').then(([status]) => {
      running = false;
      return status as number;
    });
    const versions = new Set<string>();
    const faults: string[] = [];
    const asked = async (): Promise<boolean> => {
      const { status, body } = await post('batch', { numbers: ['+8613912340001', '10086'] });
      const [first] = body.results;
      versions.add(first.meta.data_version.cn);
      const oneView = body.results.every(({ meta }: Body) => meta.data_version.cn === first.meta.data_version.cn);
      // The other library holds the first number all the while.
      const whole = first.hit === true && first.sources.length === ('cn_minute' in first.meta.data_version ? 2 : 1);
      if (status !== 200 || !oneView || !whole) faults.push(JSON.stringify(body));
      return !running && versions.size === 2;
    };
    await eventually(asked, { withinMs: 120_000, hint: () => `${[...versions]} ${faults}` });
    assert.deepEqual(faults, []);
    assert.equal(await ended, 0);
    const coverage = (await ask('/v1/phone/meta/coverage', {}, full.key)).body.libraries.find(
      ({ library }: Body) => library === 'cn',
    );
    assert.equal(coverage.records, 10_000);
  });

  test('an import is seen, and a library taken away is 502 with nothing charged until it is back', async () => {
    covers('ERR-upstream_unavailable', 'CLI-SEEN');
    const file = join(server.dataDir, 'drop.ndjson');
    writeFileSync(
      file,
      `${JSON.stringify({ number: M, risk: 9, tags: [101, 417], first_seen: '2026-01-01T00:00:00Z', last_active: new Date().toISOString(), observed_days: 30 })}\n`,
    );
    pulseJson(server.dataDir, ['phone', 'import', file, '--library', 'cn', '--data-version', 'vendor-7']);
    await eventually(async () => (await post('lookup', { number: M })).body.hit === true);
    const { body } = await post('lookup', { number: M });
    assert.deepEqual(
      [body.evidence_state, body.risk.score, body.meta.data_version.cn_minute],
      ['active', 9, 'vendor-7'],
    );
    assert.deepEqual(body.risk.tags[1], { code: 417, slug: 'unknown_417' });

    const libraries = join(server.dataDir, 'phone.db');
    renameSync(libraries, `${libraries}.away`);
    await eventually(async () => (await post('lookup', { number: M })).status === 502);
    const before = await usage();
    const gone = await post('batch', { numbers: [M, `+${LISTED}`] });
    assert.deepEqual(seen(gone), [502, 'upstream_unavailable', '0']);
    assert.equal(gone.headers.get('retry-after'), '5');
    assert.deepEqual(seen(await post('lookup', { number: M })), [502, 'upstream_unavailable', '0']);
    const charged = await usage();
    assert.equal(charged.remaining, before.remaining);
    assert.equal(charged.refunded_today, before.refunded_today + 3);
    renameSync(`${libraries}.away`, libraries);
    await eventually(async () => (await post('lookup', { number: M })).status === 200);
  });
});

test('nothing the process wrote holds seven digits in a row of any number it was asked for', async () => {
  covers('PHONE-PRIVACY');
  const asked = [
    ...Object.keys(list)
      .slice(0, 1000)
      .map((digits) => `+${digits}`),
    M,
    `+${LISTED}`,
    ...READINGS.map(([, e164]) => e164).filter((e164) => /^\+\d{10,14}$/.test(e164)),
    '+8613912340001',
  ];
  await post('batch', { numbers: asked.slice(0, 1000) });
  await post('batch', JSON.stringify({ numbers: asked.concat(asked).slice(0, 1001) }));
  await post('batch', `{"numbers": ["${asked[0]}", `);
  await post('lookup', `{"number": ${M}}`);
  await post('lookup', { number: `${M}x` });
  await ask(`/v1/phone/${LISTED}`, {}, full.key);
  await ask(`/v1/phone/lookup?number=${LISTED}`, {}, full.key);
  const output = server.output();
  const runs = new Set(
    asked.flatMap((number) => Array.from({ length: number.length - 7 }, (_, at) => number.slice(1 + at, 8 + at))),
  );
  const found = [...output.matchAll(/\d{7,}/g)].filter(([digits]) =>
    Array.from({ length: digits.length - 6 }, (_, at) => digits.slice(at, at + 7)).some((run) => runs.has(run)),
  );
  const unexpected = found.map(([digits]) => digits.length);
  assert.deepEqual(unexpected, []);
});
