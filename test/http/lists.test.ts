/** Lists by URL, fetched as firewalls do: by curl, nft and ipset of Debian. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import type { ListOptions } from '../../src/contract/lists.ts';
import type { RiskType } from '../../src/contract/risk.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { readListOptions } from '../../src/core/lists/list-options.ts';
import { unixMs } from '../../src/core/units.ts';
import { ListThread } from '../../src/main/lists/list-thread.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { CODINGS, HIGH, REFUSED_LISTS, REFUSED_PARAMETERS, refusedPast } from './lists.fixture.ts';

const HOUR = 3_600_000;
const folder = testFolder('lists');
let server: ServeProcess;
let operator: string;
let customer: { readonly accountId: string; readonly keyId: string; readonly key: string };
let basic: string;
let second: string;

type Capture = readonly [prefix: string, type: RiskType, agoMs: number, source: string];

/** Into the store itself: commands refuse the names of lists. */
async function capture(rows: readonly Capture[]): Promise<void> {
  const store = await openHistory({ dataDir: server.dataDir });
  for (const [prefix, riskType, agoMs, id] of rows) {
    const batch = new CaptureBatchBuilder();
    batch.add(parsePrefix(prefix)!);
    const at = unixMs(server.now() - agoMs);
    await store.recordCaptures({ id, family: id, mode: 'events', riskType }, at, batch.build(), unixMs(server.now()));
  }
  await store.close();
}

before(async () => {
  server = await serveProcess({ clockAt: Date.now() - 12 * HOUR });
  operator = createKey(server.dataDir, 'operator', ['--operator', '--plan', 'professional']).key;
  customer = createKey(server.dataDir, 'customer', ['--plan', 'professional']);
  basic = createKey(server.dataDir, 'basic', []).key;
  second = createKey(server.dataDir, 'second', ['--plan', 'professional']).key;
  pulseOver(
    server.dataDir,
    [
      'evidence',
      'import',
      '-',
      '--source',
      'first',
      '--since',
      new Date(server.now() - 300 * HOUR).toISOString(),
      '--json',
    ],
    'ip,risk_type,captured_at\n',
  );
  await capture([
    ...[4, 5, 6, 7].map((host): Capture => [`45.80.1.${host}`, 'honeypot_credential', HOUR / 4, 'own']),
    ['45.80.2.9', 'proxy', 1000, 'own'],
    ['45.80.3.3', 'honeypot_credential', HOUR / 4, 'greensnow'],
    ['2001:4860:1::/64', 'cloud_phone', 1000, 'own'],
  ]);
  pulseJson(server.dataDir, ['list', 'save', 'high']);
});
after(() => server?.dispose());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(
  key: string,
  path: string,
  init: { method?: string; body?: unknown; headers?: object } = {},
): Promise<Answer> {
  const { method = 'GET', body, headers } = init;
  const response = await fetch(server.base + path, {
    method,
    headers: {
      ...(key !== '' && { 'X-API-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const codeOf = ({ text }: Answer): string => (JSON.parse(text) as { error: { code: string } }).error.code;
const lines = ({ text }: Answer): readonly string[] => text.split('\n').filter((line) => line !== '');

describe('a saved list', () => {
  test('is made, replaced and removed by its account, which alone sees it', async () => {
    covers('LISTS-SAVED');
    const made = await ask(customer.key, '/v1/lists/mine', {
      method: 'PUT',
      body: { levels: ['medium', 'high'], exclude: ['45.80.2.9'] },
    });
    assert.equal(made.status, 200, made.text);
    const { changed_at, ...said } = JSON.parse(made.text) as Record<string, unknown>;
    assert.deepEqual(said, {
      ...{ name: 'mine', shared: false, min_score: 0, levels: ['medium', 'high'], states: ['active'] },
      ...{ max_tier: 'T3', family: 'both', exclude: ['45.80.2.9/32'] },
    });
    assert.deepEqual(lines(await ask(customer.key, '/lists/mine.txt')), ['45.80.1.4/30', '2001:4860:1::/64']);
    assert.equal((await ask(second, '/lists/mine.txt')).status, 404);
    const all = JSON.parse((await ask(customer.key, '/v1/lists')).text) as { lists: object[] };
    assert.partialDeepStrictEqual(all.lists, [
      { name: 'high', shared: true },
      { name: 'mine', shared: false },
    ]);
    assert.equal(all.lists.length, 2);
    assert.equal((await ask(customer.key, '/v1/lists/high', { method: 'DELETE' })).status, 404, 'it is everyone’s');
    await ask(customer.key, '/v1/lists/mine', { method: 'PUT', body: { min_score: 90 } });
    assert.deepEqual(lines(await ask(customer.key, '/lists/mine.txt')), ['45.80.2.9/32']);
    assert.equal((await ask(customer.key, '/v1/lists/mine', { method: 'DELETE' })).status, 204);
    assert.equal((await ask(customer.key, '/v1/lists/mine')).status, 404);
  });

  test('says what is wrong with it', async () => {
    covers('LISTS-SAVED');
    for (const [name, body, about] of REFUSED_LISTS) {
      const answer = await ask(customer.key, `/v1/lists/${name}`, { method: 'PUT', body });
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'bad_request'], JSON.stringify(body));
      assert.match(answer.text, about);
    }
    assert.equal((await ask('', '/v1/lists')).status, 401);
  });

  test('belongs to the installation if the operator saved it; an account’s own of that name comes first', async () => {
    covers('LISTS-SAVED');
    assert.equal(lines(await ask(second, '/lists/high.txt')).length, 3);
    await ask(second, '/v1/lists/high', { method: 'PUT', body: { max: 1 } });
    assert.deepEqual(lines(await ask(second, '/lists/high.txt')), ['45.80.2.9/32']);
    assert.equal(lines(await ask(customer.key, '/lists/high.txt')).length, 3);
    await ask(second, '/v1/lists/high', { method: 'DELETE' });
    const shown = JSON.parse(pulseOver(server.dataDir, ['list', 'show', '--json']).stdout) as {
      name: string;
      last_fetch: object;
    }[];
    assert.deepEqual(
      shown.map(({ name, last_fetch }) => [name, Object.keys(last_fetch)]),
      [['high', ['at', 'key_id', 'prefixes', 'bytes']]],
    );
  });
});

describe('a list by URL', () => {
  test('holds the addresses whose lookups say so, folded without one more, and leaves out what may not be passed on', async () => {
    covers('LISTS-CONTENT');
    const open = await ask(customer.key, '/lists/high.txt');
    assert.deepEqual(lines(open), ['45.80.1.4/30', '45.80.2.9/32', '2001:4860:1::/64']);
    assert.equal(open.headers.get('x-pulse-left-out'), '1');
    const whole = await ask(operator, '/lists/high.txt');
    assert.deepEqual(lines(whole), ['45.80.1.4/30', '45.80.2.9/32', '45.80.3.3/32', '2001:4860:1::/64']);
    assert.equal(whole.headers.get('x-pulse-left-out'), null);
    for (const [ip, isHigh] of HIGH) {
      const { risk } = JSON.parse((await ask(operator, `/v1/ip/${ip}`)).text) as { risk?: { level: string } };
      assert.equal(risk?.level === 'high', isHigh, ip);
    }
  });

  test('is fetched with a key in a header or as a password, and with no other', async () => {
    covers('LISTS-KEY');
    const password = (key: string) => ({ headers: { Authorization: `Basic ${btoa(`firewall:${key}`)}` } });
    assert.equal((await ask('', '/lists/high.txt', password(customer.key))).status, 200);
    assert.equal(
      (await ask('', '/lists/high.txt', { headers: { Authorization: `Bearer ${customer.key}` } })).status,
      200,
    );
    assert.equal(codeOf(await ask('', '/lists/high.txt', password('pk_wrong'))), 'invalid_key');
    assert.equal(codeOf(await ask('', '/lists/high.txt')), 'key_required');
    assert.equal(codeOf(await ask('', `/lists/high.txt?key=${customer.key}`)), 'key_in_query');
    for (const path of ['/lists/none.txt', '/lists/high.xml', '/lists/high'])
      assert.equal((await ask(customer.key, path)).status, 404, path);
  });

  test('that takes long is refused, made meanwhile, and answered then', async () => {
    const threads = new ListThread({ dataDir: server.dataDir, databaseUrl: undefined }, { withinMs: 50 });
    after(() => threads.close());
    const settings = readListOptions({ min_score: 71 }) as ListOptions;
    const [isWithoutComments, isPacked, isOwn] = [false, false, true];
    const query = { settings, name: 'late', format: 'txt', isWithoutComments, isPacked, isOwn, allowed: [] } as const;
    const find = () => threads.find(query);
    await assert.rejects(find(), { code: 'not_ready' });
    await eventually(async () => (await find().catch(() => undefined)) !== undefined);
  });

  test('is fetched whole with the professional tier alone, one of its own too', async () => {
    covers('LISTS-KEY');
    await ask(basic, '/v1/lists/own', { method: 'PUT', body: {} });
    for (const path of ['/lists/own.txt', '/lists/high.json'])
      assert.equal(codeOf(await ask(basic, path)), 'professional_required', path);
  });

  test('refuses parameters that it does not know, in every path of lists', async () => {
    covers('LISTS-CONTENT');
    for (const [path, method] of REFUSED_PARAMETERS)
      assert.equal(
        codeOf(await ask(customer.key, path, { method, ...(method === 'PUT' && { body: {} }) })),
        'bad_request',
        path,
      );
  });

  test('comes as text, CSV, JSON and a script of nft, with its riskiest entries where it is cut', async () => {
    covers('LISTS-CONTENT');
    const csv = lines(await ask(operator, '/lists/high.csv'));
    assert.equal(csv[0], 'prefix,score,level,signals,evidence_state,asn,usage_type');
    assert.match(csv.find((line) => line.startsWith('45.80.2.9'))!, /^45\.80\.2\.9\/32,92,high,proxy,active/);
    const json = JSON.parse((await ask(customer.key, '/lists/high.json')).text) as {
      meta: { computed_at: string; left_out: { id: string }[] };
      prefixes: { prefix: string; risk: { score: number } }[];
    };
    assert.deepEqual(
      json.meta.left_out.map(({ id }) => id),
      ['greensnow'],
    );
    assert.equal(json.prefixes.find(({ prefix }) => prefix === '45.80.2.9/32')!.risk.score, 92);
    const nft = (await ask(operator, '/lists/high.nft')).text;
    assert.match(nft, /^# Pulse verdicts of/);
    assert.match((await ask(operator, '/lists/high.nft?plain')).text, /^table inet high \{/);
    assert.deepEqual(lines(await ask(operator, '/lists/high.txt?max=1')), ['45.80.2.9/32']);
    const some = await ask(operator, '/lists/high.txt?max=3');
    assert.equal(lines(some).length, 3);
    assert.ok(lines(some).includes('45.80.2.9/32'));
    assert.equal(some.headers.get('x-pulse-prefixes'), '3 of 4');
    assert.equal((await ask(operator, '/lists/high.txt')).headers.get('x-pulse-prefixes'), '4 of 4');
    assert.equal((JSON.parse((await ask(operator, '/lists/high.json?max=3')).text) as { total: number }).total, 4);
    assert.match((await ask(operator, '/lists/high.nft?max=3')).text, /^# The riskiest of 4 prefixes\.$/m);
    const family = async (wanted: string) => lines(await ask(operator, `/lists/high.txt?family=${wanted}`));
    assert.deepEqual(await family('6'), ['2001:4860:1::/64']);
    assert.deepEqual(await family('4'), ['45.80.1.4/30', '45.80.2.9/32', '45.80.3.3/32']);
    for (const max of ['0', 'x', '-1', '1.5'])
      assert.equal((await ask(operator, `/lists/high.txt?max=${max}`)).status, 400);
  });

  test('leaves out what the account allows, from that moment on', async () => {
    covers('LISTS-CONTENT');
    const put = (entries: readonly object[]) =>
      ask(customer.key, '/v1/allowlist', { method: 'PUT', body: { entries } });
    await put([{ prefix: '45.80.1.6', reason: 'our office' }]);
    await eventually(async () => !lines(await ask(customer.key, '/lists/high.txt')).includes('45.80.1.4/30'));
    assert.deepEqual(lines(await ask(customer.key, '/lists/high.txt')).slice(0, 2), ['45.80.1.4/31', '45.80.1.7/32']);
    assert.ok(lines(await ask(second, '/lists/high.txt')).includes('45.80.1.4/30'));
    await put([]);
    await eventually(async () => lines(await ask(customer.key, '/lists/high.txt')).includes('45.80.1.4/30'));
  });
});

const can = spawnSync('unshare', ['-rn', 'true']).status === 0 ? false : 'no network namespace may be made here';

describe('in the programs that fetch it', () => {
  const curl = (...args: readonly string[]): string => {
    const run = spawnSync('curl', ['-sS', ...args], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout;
  };

  test('curl gets it packed, once, and not again while it says the same', async (t) => {
    covers('LISTS-CONDITIONAL');
    if (findProgram('curl', 'curl') === undefined) return t.skip('curl is not installed');
    const [file, etag] = [join(folder, 'high.txt'), join(folder, 'etag')];
    const fetched = (...more: readonly string[]): string =>
      curl(
        '-u',
        `pulse:${customer.key}`,
        '--compressed',
        '-o',
        file,
        '-w',
        '%{http_code} %{size_download}',
        ...more,
        `${server.base}/lists/high.txt`,
      );
    writeFileSync(etag, '');
    const tagged = ['--etag-save', etag, '--etag-compare', etag];
    assert.match(fetched(...tagged), /^200 [1-9]/);
    assert.match(readFileSync(file, 'utf8'), /^45\.80\.1\.4\/30$/m);
    assert.equal(fetched(...tagged), '304 0');
    assert.match(fetched('-R'), /^200 /);
    const changed = statSync(file).mtimeMs;
    assert.equal(fetched('-z', file), '304 0', 'by the date of the file');
    await server.moveClock(HOUR / 2);
    assert.equal(fetched(...tagged), '304 0', 'scores fell, and the list is the same');
    assert.match(fetched('-R'), /^200 /);
    assert.equal(statSync(file).mtimeMs, changed);
    await capture([['45.80.2.10', 'proxy', 1000, 'own']]);
    await eventually(() => fetched(...tagged).startsWith('200 '));
    assert.match(readFileSync(file, 'utf8'), /^45\.80\.2\.10\/32$/m);
    for (const [accepted, coding] of CODINGS)
      assert.equal(
        (await ask(customer.key, '/lists/high.txt', { headers: { 'Accept-Encoding': accepted } })).headers.get(
          'content-encoding',
        ),
        coding,
        accepted,
      );
    const head = await ask(customer.key, '/lists/high.txt', {
      method: 'HEAD',
      headers: { 'Accept-Encoding': 'identity' },
    });
    assert.deepEqual(
      [head.status, head.text, Number(head.headers.get('content-length'))],
      [200, '', statSync(file).size],
    );
  });

  test('nft takes the script again and again', { skip: can }, async (t) => {
    covers('LISTS-PROGRAMS');
    if (findProgram('nft', 'nftables') === undefined) return t.skip('nft is not installed');
    const script = join(folder, 'high.nft');
    writeFileSync(script, (await ask(operator, '/lists/high.nft')).text);
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [
        ...['-rn', 'sh', '-ec'],
        `nft -f ${script}; nft -f ${script}; nft get element inet high high4 '{ 45.80.1.6 }'; nft list set inet high high6
        nft get element inet high high4 '{ 45.80.1.8 }' 2>/dev/null && exit 9 || true`,
      ],
      { encoding: 'utf8', timeout: 60_000, env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` } },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /45\.80\.1\.4\/30|45\.80\.1\.6/);
    assert.match(stdout, /2001:4860:1::\/64/);
  });

  test('ipset takes both families by the script of the manual, and keeps what it has when a line is broken', {
    skip: can,
  }, async (t) => {
    covers('LISTS-PROGRAMS');
    if (findProgram('ipset', 'ipset') === undefined) return t.skip('ipset is not installed');
    const manual = readFileSync(join(import.meta.dirname, '../../docs/enforcement.md'), 'utf8');
    const recipe = /^```sh\n(curl [^`]*ipset restore[^`]*)```/m.exec(manual)![1]!;
    // The namespace has no network: the list lies there as curl would have brought it.
    const [bin, text] = [join(folder, 'bin'), (await ask(operator, '/lists/high.txt')).text];
    mkdirSync(bin);
    writeFileSync(join(bin, 'curl'), '#!/bin/sh\ncp "$LIST" high.txt\n', { mode: 0o755 });
    writeFileSync(join(bin, 'recipe'), recipe);
    writeFileSync(join(folder, 'whole'), text);
    for (const [name, broken] of Object.entries({ four: '45.80.9.9/99', six: '2001:db8::/x', page: '<html>' }))
      writeFileSync(join(folder, name), `${text}${broken}\n`);
    writeFileSync(join(folder, 'empty'), '');
    const shown = 'for set in high4 high6; do ipset list $set | sed "1,/^Members/d"; done | sort | tr "\\n" " "; echo';
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [
        ...['-rn', 'sh', '-c'],
        `ipset create try hash:net || { echo no ipset; exit; }
        for list in page whole four six page empty whole; do LIST=../$list sh recipe 2>/dev/null; echo "$list $? $(${shown})"; done`,
      ],
      { cwd: bin, encoding: 'utf8', timeout: 60_000, env: { PATH: `${bin}:${process.env['PATH']}:/usr/sbin:/sbin` } },
    );
    assert.equal(status, 0, stdout + stderr);
    if (stdout.includes('no ipset')) return t.skip('the kernel has no ipset here');
    const held = '2001:4860:1::/64 45.80.1.4/30 45.80.2.10 45.80.2.9 45.80.3.3';
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim()),
      [
        'page 1',
        `whole 0 ${held}`,
        `four 1 ${held}`,
        `six 1 ${held}`,
        `page 1 ${held}`,
        `empty 1 ${held}`,
        `whole 0 ${held}`,
      ],
    );
  });
});

describe('the past of a list', () => {
  test('is what it was: at a moment, and what changed since', async () => {
    covers('LISTS-PAST');
    const then = new Date(server.now()).toISOString();
    const before4 = lines(await ask(customer.key, '/lists/high.txt')).filter((line) => !line.includes(':'));
    assert.ok(before4.includes('45.80.1.4/30'));
    await server.moveClock(6 * HOUR);
    await capture([['45.80.4.4', 'honeypot_credential', 1000, 'own']]);
    const now = await eventually(async () => {
      const found = lines(await ask(customer.key, '/lists/high.txt'));
      return found.includes('45.80.4.4/32') && found;
    });
    assert.ok(!now.includes('45.80.1.4/30'), 'it fell below the least score');
    assert.deepEqual(lines(await ask(customer.key, `/lists/high.txt?at=${then}`)), before4);
    const changes = JSON.parse((await ask(customer.key, `/lists/high.json?since=${then}`)).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [changes['since'], changes['added'], changes['removed']],
      [then, ['45.80.4.4/32'], ['45.80.1.4/30']],
    );
    const both = JSON.parse((await ask(customer.key, `/lists/high.json?since=${then}&at=${then}`)).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual([both['added'], both['removed']], [[], []]);
  });

  test('is refused by the rules of at', async () => {
    covers('LISTS-PAST');
    const moment = (agoHours: number): string => new Date(server.now() - agoHours * HOUR).toISOString();
    for (const [tier, query, code] of refusedPast(moment))
      assert.equal(
        codeOf(await ask(tier === 'basic' ? basic : customer.key, `/lists/high.json?${query}`)),
        code,
        query,
      );
    assert.equal(codeOf(await ask(customer.key, `/lists/high.txt?since=${moment(1)}`)), 'bad_request');
    await ask(customer.key, '/v1/lists/six', { method: 'PUT', body: { family: '6' } });
    assert.equal(codeOf(await ask(customer.key, `/lists/six.txt?at=${moment(1)}`)), 'history_no_ipv6');
    assert.deepEqual(lines(await ask(customer.key, '/lists/six.txt')), ['2001:4860:1::/64']);
    assert.equal(codeOf(await ask(customer.key, '/lists/six.txt?family=4')), 'bad_request');
  });
});
