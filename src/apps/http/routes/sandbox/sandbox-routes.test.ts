/**
 * The sandbox over HTTP: every row of its table answers as the table and the published description say,
 * without a key, a charge or a line in the log.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { covers } from '../../../../../test/spec/covers.ts';
import {
  DOCUMENTS,
  type ErrorBody,
  type IPRisk,
  type PulseIPRisk,
  type Sandbox,
  type SandboxRefusal,
  type SandboxVerdict,
} from '../../../../contract/documents.ts';
import { ERRORS, type ErrorCode } from '../../../../contract/errors.ts';
import { EVIDENCE_STATES, FRESHNESS, LEVELS, RISK_TYPES, SHARE_TIERS, SIGNALS } from '../../../../contract/risk.ts';
import { SANDBOX_PATHS, type SandboxPath } from '../../../../contract/sandbox.ts';
import { DAY_MS, unixMs } from '../../../../core/units.ts';
import { createHttpServer, type HttpServer } from '../../connection/create-http-server.ts';
import { openApiDocument } from '../../openapi/document.ts';
import type { HttpServices } from '../../services.ts';
import { sandboxRoutes } from './sandbox-routes.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const logged: unknown[] = [];
const taken: unknown[] = [];
const log = (...line: unknown[]): void => void logged.push(line);
const refused = (what: string) => () => assert.fail(`the sandbox asks for ${what}`);
/** Neither a key, nor data, nor a counter of lookups: asking for one of them fails the test. */
const services = {
  clock: { now: () => unixMs(Date.UTC(2027, 3, 1)) },
  log: { error: log, warn: log, info: log, debug: log },
  ledger: {
    charge: refused('a charge'),
    refund: refused('a refund'),
    usage: refused('usage'),
    flushed: () => undefined,
  },
  keys: { remembered: refused('a key'), find: refused('a key') },
  pulse: { checkMoment: refused('real history'), lookup: refused('a real lookup') },
  limiter: { take: (counters: unknown) => void taken.push(counters), giveBack: () => {} },
  view: () => undefined,
  trustedProxies: [],
  links: {
    signup: 'https://pulse.example/sign-up',
    pricing: 'https://pulse.example/plans',
    console: 'https://pulse.example/console',
  },
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

let http: HttpServer;
let base: string;
let table: Sandbox;
before(async () => {
  http = createHttpServer({ idPrefix: 't-', services, plugins: [sandboxRoutes] });
  base = `http://127.0.0.1:${await http.listen({ host: '127.0.0.1', port: 0, reusePort: false })}`;
  table = (await (await fetch(`${base}/sandbox`)).json()) as Sandbox;
});
after(() => http.close(100));

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(path: SandboxPath, ip: string, query = ''): Promise<Asked> {
  const response = await fetch(base + path.replace('{ip}', ip) + query, {
    headers: { 'x-api-key': 'pk_nothing_reads_it' },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const faultsOf = (schema: TSchema, text: string) =>
  [...Value.Errors(schema, JSON.parse(text))].map(({ instancePath, message }) => `${instancePath} ${message}`);
const [BASIC, PROFESSIONAL] = SANDBOX_PATHS;
const SCHEMAS = { [BASIC]: DOCUMENTS.IPRisk, [PROFESSIONAL]: DOCUMENTS.PulseIPRisk };
const verdicts = () => table.addresses.filter((row): row is SandboxVerdict => !('code' in row));
const refusals = () => table.addresses.filter((row): row is SandboxRefusal => 'code' in row);

test('every verdict of the table is the document of its lookup, the same each time', async () => {
  for (const row of verdicts()) {
    const [basic, professional] = [await ask(BASIC, row.ip), await ask(PROFESSIONAL, row.ip)];
    for (const [path, { status, text, headers }] of [
      [BASIC, basic],
      [PROFESSIONAL, professional],
    ] as const) {
      assert.equal(status, 200, `${path} ${row.ip}: ${text}`);
      assert.deepEqual(faultsOf(SCHEMAS[path], text), [], `${path} ${row.ip}`);
      assert.equal((await ask(path, row.ip)).text, text);
      assert.deepEqual(
        [headers.get('x-daily-remaining'), headers.get('x-ratelimit-remaining'), headers.get('cache-control')],
        ['999', '59', 'no-store'],
      );
    }
    const body = JSON.parse(professional.text) as PulseIPRisk;
    const { risk, evidence_state, computed_at } = JSON.parse(basic.text) as IPRisk;
    assert.deepEqual([risk, evidence_state, computed_at], [body.risk, body.evidence_state, table.computed_at], row.ip);
    assert.deepEqual(
      [
        body.evidence_state,
        body.risk.score,
        body.risk.level,
        body.share_tier,
        body.evidence.map(({ risk_type }) => risk_type),
      ],
      [row.evidence_state, row.score, row.level, row.share_tier, row.risk_types],
      row.ip,
    );
  }
});

test('the table has an address for every state, level, risk type, sharing tier, freshness and signal', async () => {
  covers('SANDBOX');
  const bodies = await Promise.all(
    verdicts().map(async ({ ip }) => JSON.parse((await ask(PROFESSIONAL, ip)).text) as PulseIPRisk),
  );
  const all = <T>(values: readonly T[]): readonly T[] => [...new Set(values)].sort();
  assert.deepEqual(all(bodies.map(({ evidence_state }) => evidence_state)), all(EVIDENCE_STATES));
  assert.deepEqual(all(bodies.map(({ risk }) => risk.level)), all(LEVELS));
  assert.deepEqual(all(bodies.map(({ share_tier }) => share_tier)), all(SHARE_TIERS));
  assert.deepEqual(all(bodies.flatMap(({ evidence }) => evidence.map(({ risk_type }) => risk_type))), all(RISK_TYPES));
  assert.deepEqual(all(bodies.flatMap(({ evidence }) => evidence.map(({ freshness }) => freshness))), all(FRESHNESS));
  assert.deepEqual(all(bodies.flatMap(({ risk }) => risk.signals ?? [])), all(SIGNALS));
});

test('a row shows the case that it names', async () => {
  const PROMISES: readonly (readonly [
    words: RegExp,
    holds: (body: PulseIPRisk, words: readonly string[]) => boolean,
  ])[] = [
    [/never seen/, ({ evidence_state, risk }) => evidence_state === 'none' && risk.score === 0],
    [
      /stale/,
      ({ evidence_state, risk, evidence }) => evidence_state === 'stale' && risk.score === 0 && evidence.length === 1,
    ],
    [/^(low|medium|high)\b/, ({ risk }, [, level]) => risk.level === level],
    [/close to 100/, ({ risk, evidence }) => risk.score >= 97 && evidence.length === 4],
    [/freshness (\w+)/, ({ evidence }, [, freshness]) => evidence[0]?.freshness === freshness],
    [
      /risk type (\w+)/,
      ({ evidence, evidence_state }, [, type]) =>
        evidence_state === 'active' && evidence.length === 1 && evidence[0]?.risk_type === type,
    ],
    [/without a signal/, ({ risk }) => !risk.signals?.some((signal) => signal !== 'hosting')],
    [/: high without/, ({ risk }) => risk.level === 'high'],
    [
      /signal (\w+), never/,
      ({ risk }, [, signal]) => risk.signals?.includes(signal as (typeof SIGNALS)[number]) === true,
    ],
    [/sharing tier (T\d)/, ({ share_tier }, [, tier]) => share_tier === tier],
    [/never vpn/, ({ risk }) => !risk.signals?.includes('vpn')],
    [/two resource pools/, ({ resource_pools }) => resource_pools?.length === 2],
    [/no place/, ({ geo, network }) => geo === undefined && network !== undefined],
    [
      /district/,
      ({ geo }) => geo?.district !== undefined && geo.admin_code !== undefined && geo.subdivision !== undefined,
    ],
    [/usage code that is not/, ({ network }) => network?.usage_type === 'QQQ'],
    [
      /no exact times/,
      ({ evidence, professional_degraded }) =>
        professional_degraded === 'dpa_required' && evidence[0]?.captured_at === undefined,
    ],
    [/degraded/, ({ evidence }) => evidence.length === 1],
  ];
  for (const { ip, shows } of verdicts()) {
    const body = JSON.parse((await ask(PROFESSIONAL, ip)).text) as PulseIPRisk;
    const promises = PROMISES.flatMap(([words, holds]) =>
      words.test(shows) ? [[words.exec(shows)!, holds] as const] : [],
    );
    assert.ok(promises.length > 0, `nothing checks "${shows}"`);
    for (const [words, holds] of promises)
      assert.ok(holds(body, words), `${ip} shows ${words[0]}: ${JSON.stringify(body)}`);
  }
  const degraded = verdicts().find(({ shows }) => shows.startsWith('degraded'))!;
  const answer = await ask(BASIC, degraded.ip);
  assert.deepEqual([(JSON.parse(answer.text) as IPRisk).degraded, answer.headers.get('x-pulse-degraded')], [true, '1']);
  assert.equal((await ask(BASIC, '192.0.2.1')).headers.get('x-pulse-degraded'), null);
});

/** Codes that the description of a lookup publishes. */
function published(path: string): readonly ErrorCode[] {
  const { paths } = openApiDocument('http://x') as {
    paths: Record<string, { get: { responses: Record<string, { description: string }> } }>;
  };
  const texts = Object.entries(paths[path]!.get.responses)
    .filter(([status]) => status !== '200')
    .map(([, { description }]) => description);
  return (Object.keys(ERRORS) as ErrorCode[])
    .filter((code) => texts.some((text) => new RegExp(`\\b${code}\\b`).test(text)))
    .sort();
}

describe('refusals', () => {
  test('there is one address for each code that the real lookup publishes, and no other', () => {
    covers('SANDBOX');
    for (const path of SANDBOX_PATHS) {
      const codes = refusals()
        .filter(({ paths }) => paths.includes(path))
        .map(({ code }) => code);
      assert.deepEqual(codes.sort(), published(path.replace('/sandbox', '')), path);
      assert.deepEqual(published(path), published(path.replace('/sandbox', '')), path);
    }
  });

  test('each has the status, body and headers of the real one', async () => {
    for (const { ip, code, status, paths } of refusals()) {
      for (const path of paths) {
        const answer = await ask(path, ip);
        const { error } = JSON.parse(answer.text) as ErrorBody;
        assert.deepEqual([answer.status, error.code, ERRORS[code].status], [status, code, status], `${path} ${ip}`);
        assert.deepEqual(faultsOf(DOCUMENTS.Error, answer.text), [], `${path} ${ip}`);
        const waits = status === 429 || status === 503;
        assert.equal(answer.headers.get('retry-after'), waits ? String(error.retry_after) : null, `${path} ${ip}`);
        assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
        assert.equal(answer.headers.get('x-ratelimit-limit'), status === 429 ? '60' : null);
        assert.equal(answer.headers.get('x-daily-remaining'), status === 429 && code !== 'rate_limited' ? '0' : null);
      }
      for (const path of SANDBOX_PATHS.filter((other) => !paths.includes(other)))
        assert.equal((JSON.parse((await ask(path, ip)).text) as IPRisk).evidence_state, 'none', `${path} ${ip}`);
    }
  });

  test('they carry the next step of callers', async () => {
    const errorOf = async (path: SandboxPath, ip: string) =>
      (JSON.parse((await ask(path, ip)).text) as ErrorBody).error;
    assert.equal((await errorOf(BASIC, '203.0.113.2')).retry_after, 3);
    const anonymous = await errorOf(BASIC, '203.0.113.5');
    assert.deepEqual(
      [anonymous.signup_url, anonymous.resets_at],
      ['https://pulse.example/sign-up', '2026-11-02T16:00:00.000Z'],
    );
    assert.equal((await errorOf(PROFESSIONAL, '203.0.113.3')).pricing_url, 'https://pulse.example/plans');
    assert.equal((await errorOf(PROFESSIONAL, '203.0.113.21')).window_from, '2026-10-03T12:00:00.000Z');
  });
});

describe('addresses and moments', () => {
  const outcome = async (path: SandboxPath, ip: string, query = ''): Promise<string> => {
    const { text } = await ask(path, ip, query);
    const body = JSON.parse(text) as Partial<ErrorBody> & Partial<PulseIPRisk>;
    return body.error?.code ?? `${body.evidence_state} at ${body.computed_at}`;
  };

  test('an address of the ranges that is not in the table was never seen; any other is refused', async () => {
    for (const ip of ['192.0.2.200', '2001:DB8:FFFF::9', '2001%3Adb8::9', '::ffff:192.0.2.200'])
      assert.match(await outcome(BASIC, ip), /^none at/, ip);
    assert.equal((JSON.parse((await ask(BASIC, '2001:DB8::0003')).text) as IPRisk).ip, '2001:db8::3');
    for (const [ip, code] of [
      ['8.8.8.8', 'not_found'],
      ['127.0.0.1', 'reserved_ip'],
      ['2001:db9::1', 'not_found'],
      ['x', 'invalid_ip'],
      ['2001%253Adb8::9', 'invalid_ip'],
    ] as const)
      assert.equal(await outcome(BASIC, ip), code, ip);
  });

  test('at is answered as by the real lookup, over the captures of the table', async () => {
    const at = (ms: number): string => `?at=${new Date(Date.parse(table.computed_at) + ms).toISOString()}`;
    assert.equal(await outcome(PROFESSIONAL, '192.0.2.5', at(0)), `active at ${table.computed_at}`);
    assert.equal((await ask(PROFESSIONAL, '192.0.2.5', at(0))).text, (await ask(PROFESSIONAL, '192.0.2.5')).text);
    assert.match(await outcome(PROFESSIONAL, '192.0.2.5', at(-6 * DAY_MS)), /^active/);
    assert.match(await outcome(PROFESSIONAL, '192.0.2.5', at(-20 * DAY_MS)), /^none/);
    assert.equal(await outcome(PROFESSIONAL, '192.0.2.5', at(1)), 'invalid_time');
    assert.equal(await outcome(PROFESSIONAL, '192.0.2.5', '?at=yesterday'), 'invalid_time');
    assert.equal(await outcome(PROFESSIONAL, '192.0.2.5', at(-40 * DAY_MS)), 'at_out_of_window');
    assert.equal(await outcome(PROFESSIONAL, '2001:db8::3', at(-1)), 'history_no_ipv6');
    assert.equal(await outcome(BASIC, '192.0.2.5', at(-1)), 'bad_request');
    assert.equal(await outcome(BASIC, '192.0.2.5', '?api_key=x'), 'key_in_query');
  });
});

test('the limiter counts each request, no ledger does, and nothing was written to the log', async () => {
  covers('SANDBOX');
  const before = taken.length;
  for (const path of ['/sandbox', '/sandbox/v1/ip/203.0.113.9', '/sandbox/pulse/v1/ip/203.0.113.24'])
    await fetch(base + path);
  assert.equal(taken.length, before + 3);
  assert.match(JSON.stringify(taken.at(-1)), /fixed 127\.0\.0\.1/);
  assert.deepEqual(logged, []);
});

test('docs/sandbox.md holds the table', () => {
  const rows = readFileSync(resolve(ROOT, 'docs/sandbox.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| `[\d:a-f.]+` \|/.test(line));
  assert.deepEqual(rows, table.addresses.map(docRow));
});

const ONLY: Readonly<Record<string, string>> = { [BASIC]: ', basic only', [PROFESSIONAL]: ', professional only' };

/** Row of an address in docs/sandbox.md. */
function docRow(row: SandboxVerdict | SandboxRefusal): string {
  if ('code' in row)
    return `| \`${row.ip}\` | ${row.status} \`${row.code}\`${row.paths.length === 1 ? ONLY[row.paths[0]!] : ''} |`;
  return `| \`${row.ip}\` | ${row.shows} | \`${row.evidence_state}\` | ${row.score} ${row.level} | ${row.share_tier} | ${row.risk_types.join(', ')} |`;
}
