/**
 * What lookups read from a store is asked over SQLite and over PostgreSQL, before and after questions about the
 * past, refused ones too. Over PostgreSQL threads pass on what they have read.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../src/core/units.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { serveProcess } from '../support/serve-process.ts';
import { TECHNOLOGIES } from '../support/test-databases.ts';

/** Captured, allowed by the account, denied by the operator, allowed by the policy, unseen. */
const ASKED = ['62.7.0.1', '62.7.1.1', '62.7.2.1', '62.7.3.1', '8.8.8.8'] as const;
const [CAPTURED, ALLOWED, DENIED, BY_POLICY] = ASKED;
const SECRET = 'one-secret-for-both-stores-of-the-test';

type Keys = Readonly<Record<'plain' | 'policed' | 'bouncer', string>>;
type Ask = (path: string, key: keyof Keys, body?: object, method?: string) => Promise<string>;

/** Every surface that reads something stored. */
async function answersOf(ask: Ask): Promise<Readonly<Record<string, string>>> {
  const seen: Record<string, string> = {};
  const keep = async (path: string, key: keyof Keys, body?: object): Promise<void> => {
    seen[`${key} ${path}`] = lasting(await ask(path, key, body));
  };
  for (const ip of ASKED) {
    await keep(`/v1/ip/${ip}`, 'plain');
    await keep(`/pulse/v1/ip/${ip}`, 'plain');
    await keep(`/pulse/v1/ip/${ip}/explain`, 'plain');
    await keep(`/v1/decide?ip=${ip}`, 'policed');
    await keep(`/api/v2/check?ipAddress=${ip}`, 'plain');
  }
  await keep('/v1/ip/batch', 'plain', { ips: ASKED });
  await keep('/pulse/v1/ip/batch', 'policed', { ips: ASKED });
  await keep('/pulse/v1/network/62.7.1.0/24', 'plain');
  await keep('/v1/allowlist', 'plain');
  await keep('/v1/lists', 'plain');
  await keep('/v1/decisions/stream?startup=true', 'bouncer');
  await keep('/mcp', 'plain', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'ip_risk_lookup', arguments: { ip: ALLOWED } },
  });
  return seen;
}

/** Moments and identifiers are each answer's own. */
const lasting = (text: string): string =>
  text.replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z|"(?:duration|uuid|id|age_\w+|remaining|strength|risk)\\*":(?:"[^"]*"|[\d.]+)/g,
    '',
  );

describe('stored things', () => {
  for (const technology of TECHNOLOGIES)
    test(`lookups over ${technology} answer the same before and after questions about the past`, async (t) => {
      const postgres = technology === 'PostgreSQL' ? await sharedPostgres() : undefined;
      if (postgres !== undefined && 'skip' in postgres) return t.skip(postgres.skip);
      const env = {
        ...{ PULSE_SECRET: SECRET, PULSE_WORKERS: '2' },
        ...(postgres !== undefined && { PULSE_DATABASE_URL: await postgres.createDatabase() }),
      };
      const server = await serveProcess({ env });
      t.after(() => server.dispose());
      const own = createKey(server.dataDir, 'own', ['--plan', 'enterprise', '--dpa'], [], env);
      const command = (line: string) => pulseJson(server.dataDir, line, env);
      const make = (options: string) => command(`key create --account ${own.accountId} ${options}`);
      const policed = make('--per-day 5000');
      const bouncer = make('--bouncer --min-score 1');
      const keys: Keys = { plain: own.key, policed: policed['key']!, bouncer: bouncer['key']! };
      command(`policy set ${policed['key_id']} --challenge 1 --allow 62.7.3.0/24`);
      const rows = join(server.dataDir, 'rows.txt');
      writeFileSync(rows, `${ASKED.slice(0, 4).join('\n')}\n`);
      const later = new Date(Date.now() + DAY_MS).toISOString();
      const captured = new Date(Date.now() - MINUTE_MS).toISOString();
      command(`evidence import ${rows} --source own --risk-type proxy --pool sold --captured-at ${captured}`);
      command(`override add 62.7.2.0/24 --deny vpn --reason seen --until ${later}`);
      command('list save own --min-score 1');

      const ask: Ask = async (path, key, body, method = 'POST') => {
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
        const response = await fetch(server.base + path, {
          ...(body !== undefined && { method, body: JSON.stringify(body) }),
          headers: { ...headers, 'X-API-Key': keys[key] },
        });
        const text = await response.text();
        assert.ok(response.status < 500, `${path}: ${response.status} ${text}\n${server.output()}`);
        return `${response.status} ${response.headers.get('X-Pulse-Action')} ${text}`;
      };
      await ask('/v1/allowlist', 'plain', { entries: [{ prefix: '62.7.1.0/24', reason: 'our office' }] }, 'PUT');
      const says = (path: string, key: keyof Keys, expected: string) =>
        eventually(async () => (await ask(path, key)).includes(expected), { hint: () => `${path}: ${expected}` });
      await says(`/pulse/v1/ip/${CAPTURED}`, 'plain', '"resource_pools":["');
      await says(`/v1/decide?ip=${CAPTURED}`, 'policed', '204 challenge');
      await says(`/v1/decide?ip=${BY_POLICY}`, 'policed', '204 allow');
      await says('/v1/decisions/stream?startup=true', 'bouncer', CAPTURED);
      for (const ip of [ALLOWED, DENIED]) await says(`/v1/ip/${ip}`, 'plain', '"override":true');
      const before = await answersOf(ask);
      assert.deepEqual(
        Object.entries(before).filter(([, text]) => !/^(200|204 (allow|challenge))/.test(text)),
        [],
      );
      for (const [at, status] of [
        [new Date().toISOString(), 200],
        ['2001-01-01T00:00:00Z', 400],
        ['never', 400],
      ] as const)
        for (const key of ['plain', 'policed'] as const)
          for (const ip of ASKED)
            assert.match(await ask(`/pulse/v1/ip/${ip}?at=${at}`, key), new RegExp(`^${status}`), `${key} ${ip} ${at}`);
      for (let round = 0; round < 2; round++) assert.deepEqual(await answersOf(ask), before);
    });
});
