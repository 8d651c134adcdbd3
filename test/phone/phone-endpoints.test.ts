import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { clearOfMinuteEnd } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const list = createRequire(import.meta.url)('@ip1sms/disposable-phone-numbers/number-list.json') as Readonly<Record<string, string>>;
const LISTED = Object.keys(list).find((digits) => /^861[3-9]\d{9}$/.test(digits)) as string;
const ABROAD = Object.keys(list).find((digits) => /^447\d{9}$/.test(digits)) as string;
const UNLISTED = '+8613800138000';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body under test
  readonly body: any;
}

describe('phone endpoints of a running server', () => {
  let server: ServeProcess;
  let keys: Record<'full' | 'none' | 'free' | 'off' | 'small' | 'tight' | 'revoked', string>;

  const pulse = (...args: string[]): Record<string, string> => pulseJson(server.dataDir, args);
  const keyOf = (account: string, ...more: string[]) => pulse('key', 'create', '--account', account, ...more);

  before(async () => {
    server = await serveProcess({ env: { PULSE_PHONE: 'on', PULSE_LOG: 'debug' }, clockAt: Date.now() });
    const account = (name: string, plan: string, ...more: string[]): string =>
      pulse('account', 'create', '--email', `${name}@example.org`, '--plan', plan, ...more).account_id as string;
    const full = account('full', 'enterprise', '--phone');
    const small = account('small', 'enterprise', '--phone');
    pulse('account', 'set', small, '--phone-per-min', '6');
    const tight = account('tight', 'enterprise', '--phone');
    pulse('account', 'set', tight, '--phone-per-day', '5');
    const revoked = keyOf(full);
    keys = {
      full: keyOf(full).key as string,
      off: keyOf(full, '--no-phone').key as string,
      none: keyOf(account('none', 'enterprise')).key as string,
      free: keyOf(account('free', 'free')).key as string,
      small: keyOf(small).key as string,
      tight: keyOf(tight).key as string,
      revoked: revoked.key as string,
    };
    pulse('key', 'revoke', revoked.key_id as string);
    await eventually(async () => (await post('lookup', { number: UNLISTED })).status === 200);
  });
  after(() => server?.dispose());

  const ask = async (path: string, init: RequestInit, key: string | undefined): Promise<Answer> => {
    const headers = { ...(key === undefined ? {} : { 'x-api-key': key }), ...(init.body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${server.base}${path}`, { ...init, headers: { ...headers, ...(init.headers as object) } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const post = (what: 'lookup' | 'batch', body: unknown, key: string | undefined = keys.full): Promise<Answer> =>
    ask(`/v1/phone/${what}`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }, key);
  const get = (path: string, key: string | undefined = keys.full): Promise<Answer> => ask(path, {}, key);
  const usage = async (key = keys.full) =>
    (await get('/v1/me', key)).body.capabilities.phone as { used_today: number; refunded_today: number; remaining: number };
  const refused = ({ status, body, headers }: Answer, expected: number, code: string): void => {
    assert.deepEqual([status, body.error.code], [expected, code]);
    assert.equal(headers.get('x-billable-units'), '0');
    assert.ok(headers.get('x-request-id'));
  };

  test('a listed disposable number is a hit with every block, and the answer says what it cost', async () => {
    const { status, body, headers } = await post('lookup', { number: `+${LISTED}` });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['query', 'hit', 'evidence_state', 'risk', 'activity', 'carrier', 'sources', 'meta']);
    assert.equal(body.hit, true);
    assert.deepEqual(body.risk.primary_tag, { code: 104, slug: 'public_sms_inbox' });
    assert.equal(body.activity.last_active, `${list[LISTED]}T00:00:00Z`);
    // The list states one date a number and nothing else: no score and no first sight are made up for it.
    assert.deepEqual([Object.keys(body.risk), body.risk.level], [['level', 'primary_tag', 'tags'], 'high']);
    assert.deepEqual([body.sources[0].risk, body.sources[0].first_seen, body.activity.first_seen], [undefined, undefined, undefined]);
    assert.match(body.carrier.province ?? 'CN-XX', /^CN-[A-Z]{2}$/);
    assert.equal(body.sources[0].library, 'cn');
    assert.equal(body.meta.request_id, headers.get('x-request-id'));
    assert.match(body.meta.data_version.cn, /^\d{8}-r2$/);
    assert.equal(headers.get('x-quota-unit'), 'phone_number');
    assert.equal(headers.get('x-billable-units'), '1');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-daily-limit'), '100000');
    assert.equal(headers.get('x-ratelimit-limit'), '10000');
    const abroad = await post('lookup', { number: `00${ABROAD}` });
    assert.equal(abroad.body.hit, true);
    assert.equal('carrier' in abroad.body, false);
    assert.equal(abroad.body.sources[0].library, 'sg');
  });

  test('a miss holds the six keys of a miss', async () => {
    const { body } = await post('lookup', { number: UNLISTED });
    assert.deepEqual(Object.keys(body), ['query', 'hit', 'evidence_state', 'risk', 'miss_reason', 'meta']);
    assert.equal(body.miss_reason, 'not_in_risk_db');
    const short = await post('lookup', { number: '1380013800' });
    assert.equal(short.body.miss_reason, 'unqueryable_bad_length');
    assert.equal(short.headers.get('x-billable-units'), '1');
  });

  test('a batch keeps the order, charges duplicates each time and unparseable items never, and each item is the single answer', async () => {
    const before = await usage();
    const numbers = [`+${LISTED}`, 'not a number', UNLISTED, `+${LISTED}`, '', '10086'];
    const { status, body, headers } = await post('batch', { numbers });
    assert.equal(status, 200);
    assert.deepEqual([body.count, body.billable, body.hit_count], [6, 4, 2]);
    assert.deepEqual(
      body.results.map((result: Answer['body']) => result.query.input),
      numbers,
    );
    assert.deepEqual(Object.keys(body.results[1]), ['query', 'hit', 'error']);
    assert.deepEqual([body.results[1].hit, body.results[1].error.code, Object.keys(body.results[1].query)], [false, 'bad_number', ['input']]);
    assert.equal(headers.get('x-billable-units'), '4');
    assert.equal((await usage()).used_today, before.used_today + 4);
    const { meta: _, ...single } = (await post('lookup', { number: `+${LISTED}` })).body;
    const { meta: __, ...inBatch } = body.results[0];
    assert.deepEqual(inBatch, single);
    const nothing = await post('batch', { numbers: ['x'] });
    assert.deepEqual([nothing.status, nothing.body.billable, nothing.headers.get('x-billable-units')], [200, 0, '0']);
  });

  test('a thousand numbers pass and one more does not', async () => {
    assert.equal((await post('batch', { numbers: Array.from({ length: 1000 }, () => UNLISTED) })).body.billable, 1000);
    refused(await post('batch', { numbers: Array.from({ length: 1001 }, () => UNLISTED) }), 413, 'payload_too_large');
  });

  test('a body of one mebibyte passes and one byte more does not, chunked too', async () => {
    const sized = (bytes: number): string => {
      const body = JSON.stringify({ number: UNLISTED, pad: '' });
      return body.replace('"pad":""', `"pad":"${'x'.repeat(bytes - body.length)}"`);
    };
    assert.equal((await post('lookup', sized(1_048_576))).status, 200);
    const over = sized(1_048_577);
    refused(await post('lookup', over), 413, 'payload_too_large');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const chunked = request(
        `${server.base}/v1/phone/lookup`,
        { method: 'POST', headers: { 'x-api-key': keys.full, 'content-type': 'application/json' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      chunked.on('error', reject);
      for (let at = 0; at < over.length; at += 65_536) chunked.write(over.slice(at, at + 65_536));
      chunked.end();
    });
    assert.equal(status, 413);
  });

  test('an unparseable number answers bad_number with its input, and costs nothing', async () => {
    const before = await usage();
    const answer = await post('lookup', { number: '138 0013 800x' });
    refused(answer, 400, 'bad_number');
    assert.deepEqual(answer.body.query, { input: '138 0013 800x' });
    assert.deepEqual(await usage(), before);
  });

  test('bodies that are not of the documented form are bad_request and cost nothing', async () => {
    const before = await usage();
    for (const body of ['', '{', 'null', '[]', '"x"', '{}', '{"number":13800138000}', '{"number":null}', '{"number":["1"]}', '{"numbers":["1"]}'])
      refused(await post('lookup', body), 400, 'bad_request');
    for (const body of ['{}', '{"numbers":"1"}', '{"numbers":[1]}', '{"numbers":[null]}', '{"numbers":{"0":"1"}}', '{"number":"1"}'])
      refused(await post('batch', body), 400, 'bad_request');
    const typed = await ask(
      '/v1/phone/lookup',
      { method: 'POST', body: 'number=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      keys.full,
    );
    refused(typed, 415, 'unsupported_media_type');
    assert.deepEqual(await usage(), before);
  });

  test('a caller who may not ask gets the reason, before the body is looked at, and nothing is charged', async () => {
    for (const what of ['lookup', 'batch'] as const) {
      for (const body of [{ number: UNLISTED, numbers: [UNLISTED] }, '{']) {
        refused(await ask(`/v1/phone/${what}`, { method: 'POST', body: JSON.stringify(body) }, undefined), 401, 'key_required');
        refused(await post(what, body, 'pk_unknown'), 401, 'invalid_key');
        refused(await post(what, body, keys.revoked), 401, 'revoked_key');
        refused(await post(what, body, keys.free), 403, 'capability_not_eligible');
        refused(await post(what, body, keys.none), 403, 'capability_not_enabled');
        refused(await post(what, body, keys.off), 403, 'capability_not_enabled');
      }
    }
    refused(await ask(`/v1/phone/lookup?key=${keys.full}`, { method: 'POST', body: '{}' }, undefined), 400, 'key_in_query');
  });

  test('there is no GET form', async () => {
    const { status, body } = await get('/v1/phone/lookup');
    assert.deepEqual([status, body.error.code], [405, 'method_not_allowed']);
  });

  test('dictionary and coverage need a key, any key, and cost nothing', async () => {
    const before = await usage();
    const tags = await get('/v1/phone/meta/tags', keys.free);
    assert.deepEqual(Object.keys(tags.body), ['version', 'risk_tags', 'card_attributes', 'card_types', 'evidence_states', 'levels', 'meta']);
    assert.deepEqual(tags.body.risk_tags[0], {
      code: 101,
      slug: 'sim_farm',
      label: tags.body.risk_tags[0].label,
      description: tags.body.risk_tags[0].description,
    });
    assert.deepEqual(
      tags.body.evidence_states.map(({ slug }: { slug: string }) => slug),
      ['active', 'stale', 'none'],
    );
    const coverage = await get('/v1/phone/meta/coverage', keys.free);
    assert.deepEqual(
      coverage.body.libraries.map(({ library }: { library: string }) => library),
      ['cn', 'sg'],
    );
    assert.ok(coverage.body.libraries.every(({ records }: { records: number }) => records > 1000));
    // Filled once, by the release: no load has shown a cadence yet.
    assert.ok(coverage.body.libraries.every((library: object) => !('cadence' in library) && !('last_increment_at' in library)));
    assert.equal(coverage.body.stale_after_days, 90);
    assert.deepEqual(await usage(), before);
    assert.equal((await ask('/v1/phone/meta/tags', {}, undefined)).body.error.code, 'key_required');
  });

  test('a batch is charged whole or not at all', async () => {
    const whole = await post('batch', { numbers: Array.from({ length: 6 }, () => UNLISTED) }, keys.tight);
    refused(whole, 429, 'quota_exceeded');
    assert.equal(whole.headers.get('x-daily-limit'), '5');
    assert.equal(whole.headers.get('x-daily-remaining'), '5');
    assert.ok(Number(whole.headers.get('retry-after')) >= 1);
    assert.deepEqual(await usage(keys.tight), { used_today: 0, refunded_today: 0, remaining: 5 });
    assert.equal((await post('batch', { numbers: ['x', ...Array.from({ length: 5 }, () => UNLISTED)] }, keys.tight)).status, 200);
    refused(await post('lookup', { number: UNLISTED }, keys.tight), 429, 'quota_exceeded');
    assert.deepEqual(await usage(keys.tight), { used_today: 5, refunded_today: 0, remaining: 0 });
  });

  test('a batch above the minute can never pass, and a used-up minute carries its own headers alone', async () => {
    await clearOfMinuteEnd(server);
    const seven = await post('batch', { numbers: Array.from({ length: 7 }, () => UNLISTED) }, keys.small);
    refused(seven, 429, 'batch_over_rate_limit');
    assert.ok(Number(seven.headers.get('retry-after')) >= 1);
    assert.equal(seven.headers.get('x-ratelimit-limit'), '6');
    let answer = await post('batch', { numbers: [UNLISTED, UNLISTED, UNLISTED] }, keys.small);
    for (let tries = 0; tries < 7 && answer.status === 200; tries += 1) answer = await post('lookup', { number: UNLISTED }, keys.small);
    refused(answer, 429, 'rate_limited');
    assert.equal(answer.headers.get('x-daily-limit'), null);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '6');
    refused(await post('lookup', '{', keys.small), 429, 'rate_limited');
  });

  test('an import is seen, and a library taken away is 502 with nothing charged until it is back', async () => {
    covers('ERR-upstream_unavailable', 'CLI-SEEN');
    const file = join(server.dataDir, 'drop.ndjson');
    writeFileSync(
      file,
      `${JSON.stringify({ number: UNLISTED, risk: 9, tags: [101, 417], first_seen: '2026-01-01T00:00:00Z', last_active: new Date().toISOString(), observed_days: 30 })}\n`,
    );
    pulse('phone', 'import', file, '--library', 'cn', '--data-version', 'vendor-7');
    await eventually(async () => (await post('lookup', { number: UNLISTED })).body.hit === true);
    const { body } = await post('lookup', { number: UNLISTED });
    assert.deepEqual([body.evidence_state, body.risk.score, body.meta.data_version.cn_minute], ['active', 9, 'vendor-7']);
    assert.deepEqual(body.risk.tags[1], { code: 417, slug: 'unknown_417' });

    const folder = join(server.dataDir, 'phone', 'sg');
    renameSync(folder, `${folder}.away`);
    await eventually(async () => (await post('lookup', { number: UNLISTED })).status === 502);
    const before = await usage();
    const gone = await post('batch', { numbers: [UNLISTED, `+${LISTED}`] });
    refused(gone, 502, 'upstream_unavailable');
    assert.equal(gone.headers.get('retry-after'), '5');
    refused(await post('lookup', { number: UNLISTED }), 502, 'upstream_unavailable');
    const charged = await usage();
    assert.equal(charged.remaining, before.remaining);
    assert.equal(charged.refunded_today, before.refunded_today + 3);
    renameSync(`${folder}.away`, folder);
    await eventually(async () => (await post('lookup', { number: UNLISTED })).status === 200);
  });

  test('nothing the process wrote holds seven digits in a row of any number it was asked for', async () => {
    covers('PHONE-PRIVACY');
    const asked = [
      ...Object.keys(list)
        .slice(0, 1000)
        .map((digits) => `+${digits}`),
      UNLISTED,
      `+${LISTED}`,
    ];
    await post('batch', { numbers: asked.slice(0, 1000) });
    await post('batch', JSON.stringify({ numbers: asked }));
    await post('batch', `{"numbers": ["${asked[0]}", `);
    await post('lookup', `{"number": ${UNLISTED}}`);
    await post('lookup', { number: `${UNLISTED}x` });
    await ask(`/v1/phone/${LISTED}`, {}, keys.full);
    await ask(`/v1/phone/lookup?number=${LISTED}`, {}, keys.full);
    const output = server.output();
    const runs = new Set(asked.flatMap((number) => Array.from({ length: number.length - 7 }, (_, at) => number.slice(1 + at, 8 + at))));
    const found = [...output.matchAll(/\d{7,}/g)].filter(([digits]) =>
      Array.from({ length: digits.length - 6 }, (_, at) => digits.slice(at, at + 7)).some((run) => runs.has(run)),
    );
    assert.deepEqual(
      found.map(([digits]) => digits.length),
      [],
    );
  });
});

test('with the capability switched off an entitled key gets phone_disabled', async () => {
  covers('ERR-phone_disabled');
  const server = await serveProcess({ env: { PULSE_PHONE: 'off' } });
  try {
    const { key } = createKey(server.dataDir, 'p', ['--plan', 'enterprise', '--phone']);
    const response = await fetch(`${server.base}/v1/phone/lookup`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ number: UNLISTED }),
    });
    const { error } = (await response.json()) as { error: { code: string } };
    assert.deepEqual([response.status, error.code], [503, 'phone_disabled']);
  } finally {
    await server.dispose();
  }
});
