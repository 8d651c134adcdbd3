/**
 * What lookups read from a store is asked over SQLite and over PostgreSQL, before and after questions about the
 * past, refused ones too. Over PostgreSQL threads pass on what they have read.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../src/core/units.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { serveProcess } from '../support/serve-process.ts';
import { TECHNOLOGIES } from '../support/test-databases.ts';

/** Captured, allowed by the account, denied by the operator, allowed by the policy, unseen. */
const ASKED = ['62.7.0.1', '62.7.1.1', '62.7.2.1', '62.7.3.1', '8.8.8.8'] as const;
const [CAPTURED, ALLOWED, DENIED, BY_POLICY] = ASKED;
const TOOL = { name: 'ip_risk_lookup', arguments: { ip: ALLOWED } };
/** Paths, for each address where they name one; a body is posted. Lists and policies are those of the second key. */
const PATHS: readonly (readonly [path: string, key?: 1 | 2, body?: object])[] = [
  ...ASKED.flatMap((ip) => [
    ...([[`/v1/ip/${ip}`], [`/pulse/v1/ip/${ip}`], [`/pulse/v1/ip/${ip}/explain`]] as const),
    ...([[`/v1/decide?ip=${ip}`, 1], [`/api/v2/check?ipAddress=${ip}`]] as const),
  ]),
  ['/v1/ip/batch', 1, { ips: ASKED }],
  ['/pulse/v1/network/62.7.1.0/24'],
  ['/v1/allowlist'],
  ['/v1/lists'],
  ['/v1/decisions/stream?startup=true', 2],
  ['/mcp', 1, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: TOOL }],
];
/** Moments and identifiers are each answer's own. */
const lasting = (text: string): string =>
  text.replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z|"(?:duration|uuid|id|age_\w+|remaining|strength|risk)\\*":(?:"[^"]*"|[\d.]+)/g,
    '',
  );

for (const technology of TECHNOLOGIES)
  test(`lookups over ${technology} answer the same before and after questions about the past`, async (t) => {
    const postgres = technology === 'PostgreSQL' ? await sharedPostgres() : undefined;
    if (postgres !== undefined && 'skip' in postgres) return t.skip(postgres.skip);
    const env = {
      ...{ PULSE_SECRET: 'one-secret-for-both-stores-of-the-test', PULSE_WORKERS: '2' },
      ...(postgres !== undefined && { PULSE_DATABASE_URL: await postgres.createDatabase() }),
    };
    const server = await serveProcess({ env });
    t.after(() => server.dispose());
    const { key, accountId } = createKey(server.dataDir, 'own', ['--plan', 'enterprise', '--dpa'], [], env);
    const command = (line: string) => pulseJson(server.dataDir, line, env);
    const policed = command(`key create --account ${accountId} --per-day 5000`);
    const bouncer = command(`key create --account ${accountId} --bouncer --min-score 1`);
    const keys = [key, policed['key']!, bouncer['key']!] as const;
    const rows = join(server.dataDir, 'rows.txt');
    writeFileSync(rows, `${ASKED.slice(0, 4).join('\n')}\n`);
    const [captured, end] = [-MINUTE_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString());
    command(`policy set ${policed['key_id']} --challenge 1 --deny never --allow 62.7.3.0/24`);
    command(`evidence import ${rows} --source own --risk-type proxy --pool sold --captured-at ${captured}`);
    command(`override add 62.7.2.0/24 --deny vpn --reason seen --until ${end}`);
    command('list save own --min-score 1');

    const ask = async (path: string, nth: 0 | 1 | 2 = 0, body?: object, method = 'POST'): Promise<string> => {
      const response = await fetch(server.base + path, {
        ...(body !== undefined && { method, body: JSON.stringify(body) }),
        headers: {
          ...{ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
          'X-API-Key': keys[nth],
        },
      });
      const text = `${response.status} ${response.headers.get('X-Pulse-Action')} ${await response.text()}`;
      assert.ok(response.status < 500, `${path}: ${text}\n${server.output()}`);
      return text;
    };
    await ask('/v1/allowlist', 0, { entries: [{ prefix: '62.7.1.0/24', reason: 'our office' }] }, 'PUT');
    for (const [path, nth, expected] of [
      [`/pulse/v1/ip/${CAPTURED}`, 0, '"resource_pools":["'],
      [`/v1/decide?ip=${CAPTURED}`, 1, '204 challenge'],
      [`/v1/decide?ip=${BY_POLICY}`, 1, '204 allow'],
      ['/v1/decisions/stream?startup=true', 2, CAPTURED],
      [`/v1/ip/${ALLOWED}`, 0, '"override":true'],
      [`/v1/ip/${DENIED}`, 0, '"override":true'],
    ] as const)
      await eventually(async () => (await ask(path, nth)).includes(expected), { hint: () => path });
    const answers = () => Promise.all(PATHS.map(async (asked) => [asked[0], lasting(await ask(...asked))] as const));
    const before = await answers();
    for (const [path, text] of before) assert.match(text, /^20[04] /, path);
    for (const [at, status] of [
      [new Date().toISOString(), /^200/],
      ['2001-01-01T00:00:00Z', /^400/],
      ['never', /^400/],
    ] as const)
      for (const ip of ASKED)
        for (const nth of [0, 1] as const) assert.match(await ask(`/pulse/v1/ip/${ip}?at=${at}`, nth), status);
    for (let round = 0; round < 2; round++) assert.deepEqual(await answers(), before);
  });
