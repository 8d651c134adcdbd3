/**
 * Evidence over the real service: captures go in by the command line, verdicts come out over HTTP, and a
 * second implementation gives the expected ones.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RiskType } from '../../src/contract/risk.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { expectedVerdict, type PlainCapture } from '../support/expected-verdict.ts';
import { pulseOver, seenByThreads } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { randomBelow } from '../support/random.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TYPES: readonly RiskType[] = [
  'proxy',
  'vpn',
  'dialup_pool',
  'hijacked_proxy',
  'cloud_service',
  'cloud_phone',
  'osint',
  'honeypot_scan',
  'honeypot_credential',
];

interface Body {
  readonly ip: string;
  readonly risk: { readonly score: number; readonly level: string; readonly signals?: readonly string[] };
  readonly evidence_state: string;
  readonly computed_at: string;
  readonly share_tier: string;
  readonly network?: { readonly usage_type?: string };
  readonly evidence: readonly Record<string, unknown>[];
  readonly resource_pools?: readonly string[];
}

let server: ServeProcess;
let dpa: ReturnType<typeof createKey>;
let dpaAgain: string;
let other: ReturnType<typeof createKey>;
let withoutDpa: ReturnType<typeof createKey>;

async function ask(path: string, key?: string) {
  const response = await fetch(server.base + path, { headers: key === undefined ? {} : { 'X-API-Key': key } });
  return { status: response.status, body: (await response.json()) as Body, headers: response.headers };
}
const pulse = async (ip: string, key = dpa.key): Promise<Body> => (await ask(`/pulse/v1/ip/${ip}`, key)).body;
const pulseAt = async (ip: string, at: string, key = dpa.key): Promise<Body> =>
  (await ask(`/pulse/v1/ip/${ip}?at=${encodeURIComponent(at)}`, key)).body;

interface Imported extends PlainCapture {
  readonly ip: string;
}

function importRows(source: string, rows: readonly Imported[]): void {
  const lines = rows.map(({ ip, riskType, at, pool }) =>
    JSON.stringify({ ip, risk_type: riskType, captured_at: new Date(at).toISOString(), pool }),
  );
  const run = pulseOver(
    server.dataDir,
    `evidence import - --source ${source} --since ${new Date(now - 31 * DAY).toISOString()} --allow-known-good --json`,
    lines.join('\n'),
  );
  assert.equal(run.status, 0, run.stderr);
  const outcome = JSON.parse(run.stdout) as { accepted: number; refused: object };
  assert.deepEqual([outcome.accepted, outcome.refused], [rows.length, {}]);
}

/** Waits until an imported address shows up in a verdict. */
const shown = (ip: string): Promise<Body> =>
  seenByThreads(
    () => pulse(ip),
    ({ evidence }) => evidence.length > 0,
  );

const now = Date.now();
const random = randomBelow(20260853);
const imported: Imported[] = [];
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;

/**
 * Captures of 60 addresses in 8.8.8.0/24 and 1.2.0.0/16: one to six types each, one to five captures a type,
 * ages from none to 60 days.
 */
function invent(): void {
  for (let host = 1; host <= 60; host++) {
    const ip = host % 2 === 0 ? `8.8.8.${host}` : `1.2.3.${host}`;
    // 1.2.3.0/24 is an access network: own collection with a proxy source would derive a capture there, which
    // this file does not recompute.
    const kinds = host % 2 === 0 ? TYPES : TYPES.filter((type) => !type.startsWith('honeypot_'));
    for (let types = 1 + random(6); types > 0; types--) {
      const riskType = pick(kinds);
      for (let captures = 1 + random(5); captures > 0; captures--) {
        const age = random(4) === 0 ? random(12 * HOUR) : random(2) === 0 ? random(14 * DAY) : random(60 * DAY);
        const pool = riskType === 'proxy' || riskType === 'vpn' ? pick([undefined, 'vendor-a', 'vendor-b']) : undefined;
        imported.push({
          ip,
          riskType,
          at: now - age,
          source: pick(['one', 'two', 'three']),
          bits: 32,
          ...(pool === undefined ? {} : { pool }),
        });
      }
    }
  }
  for (const [ip, bits, age] of [
    ['1.2.9.0/24', 24, 3 * HOUR],
    ['1.2.8.0/21', 21, 5 * HOUR],
    ['1.2.9.9', 32, 2 * DAY],
    ['14.0.0.9', 32, 4 * DAY],
  ] as const)
    imported.push({ ip, riskType: 'proxy', at: now - age, source: 'one', bits });
}

before(async () => {
  server = await serveProcess({ env: MANY_ANONYMOUS });
  dpa = createKey(server.dataDir, 'dpa', ['--plan', 'professional', '--dpa']);
  dpaAgain = pulseJson(server.dataDir, ['key', 'create', '--account', dpa.accountId])['key']!;
  other = createKey(server.dataDir, 'other', ['--plan', 'enterprise', '--dpa']);
  withoutDpa = createKey(server.dataDir, 'plain', ['--plan', 'professional']);
  for (const { accountId } of [dpa, other, withoutDpa])
    pulseJson(server.dataDir, ['account', 'set', accountId, '--per-min', '1000000']);
  invent();
  for (const source of ['one', 'two', 'three'])
    importRows(
      source,
      imported.filter((row) => row.source === source),
    );
  // Batches become visible in their order: with the last one, all are there.
  importRows('last', [{ ip: '5.5.5.254', riskType: 'osint', at: now - HOUR, source: 'last', bits: 32 }]);
  await shown('5.5.5.254');
});
after(() => server.dispose());

const capturesOf = (ip: string): readonly Imported[] => imported.filter((row) => row.ip === ip);
const addresses = () => [...new Set(imported.map(({ ip }) => ip))].filter((ip) => !/[/:]/.test(ip) && ip !== '1.2.9.9');

function hold(body: Body, captures: readonly PlainCapture[], at: number, what: string): void {
  const expected = expectedVerdict(captures, at, body.network?.usage_type);
  assert.deepEqual(
    [body.risk.score, body.risk.level, body.evidence_state, body.evidence],
    [expected.score, expected.level, expected.state, expected.evidence],
    what,
  );
  assert.equal(body.resource_pools?.length ?? 0, expected.pools.length, `${what}: pools`);
}

describe('the score contract, recomputed apart', () => {
  test('every live verdict comes out to the digit, with rows, days, freshness and order, on both endpoints', async () => {
    covers(
      'GEN-SCORE GEN-STATE GEN-SAME-SCORE RISK-SCORE RISK-LEVEL EV-SORTED EV-TYPE EV-FRESHNESS EV-OBS-DAYS EV-KEYS',
    );
    covers('SIG-TYPES', 'SIG-EXPIRED', 'SIG-NETWORK', 'EV-ALWAYS', 'PULSE-SAME-SHAPE', 'VER-SCORE');
    const levels = new Set<string>();
    for (const ip of addresses()) {
      const body = await pulse(ip);
      const at = Date.parse(body.computed_at);
      hold(body, capturesOf(ip), at, ip);
      const network = ip.startsWith('8.8.8.') ? ['hosting'] : [];
      assert.deepEqual(
        body.risk.signals ?? [],
        [...expectedVerdict(capturesOf(ip), at).signals, ...network].sort(),
        ip,
      );
      const basic = (await ask(`/v1/ip/${ip}`)).body;
      assert.equal('score' in body, false);
      const own = ['share_tier', 'evidence', 'resource_pools'];
      assert.deepEqual(
        Object.keys(body).filter((name) => !own.includes(name)),
        Object.keys(basic),
        'the rest is the basic body',
      );
      assert.deepEqual([basic.risk.level, basic.evidence_state], [body.risk.level, body.evidence_state]);
      assert.equal(
        basic.risk.score,
        expectedVerdict(capturesOf(ip), Date.parse(basic.computed_at), body.network?.usage_type).score,
      );
      if (ip === '14.0.0.9') assert.deepEqual([body.network?.usage_type, body.risk.score], ['GTW', 29]);
      levels.add(body.evidence_state === 'stale' ? 'stale' : body.risk.level);
    }
    assert.deepEqual([...levels].sort(), ['high', 'low', 'medium', 'stale'], 'the invented captures reach every level');
  });

  test('at= any moment of the window follows from the captures up to it, and signals stay today’s', async () => {
    covers('PULSE-AT', 'PULSE-AT-COMPUTED', 'PULSE-AT-RELATIVE', 'PULSE-AT-CAPTURES');
    for (const ip of addresses()) {
      const live = await pulse(ip);
      for (let asked = 0; asked < 4; asked++) {
        const at = now - random(29 * DAY);
        const body = await pulseAt(ip, new Date(at).toISOString());
        assert.equal(body.computed_at, new Date(at).toISOString());
        hold(body, capturesOf(ip), at, `${ip} at ${body.computed_at}`);
        assert.deepEqual(body.risk.signals, live.risk.signals);
        assert.deepEqual(
          Object.keys(body).filter((key) => key !== 'resource_pools'),
          Object.keys(live).filter((key) => key !== 'resource_pools'),
        );
      }
    }
  });

  test('a live verdict asked again with at=computed_at is the same verdict', async () => {
    covers('PULSE-AT', 'PULSE-AT-LIVE');
    for (const ip of addresses()) {
      const live = await pulse(ip);
      const { risk, evidence_state, evidence, share_tier, resource_pools, computed_at } = await pulseAt(
        ip,
        live.computed_at,
      );
      assert.deepEqual(
        { risk, evidence_state, evidence, share_tier, resource_pools, computed_at },
        {
          risk: live.risk,
          evidence_state: live.evidence_state,
          evidence: live.evidence,
          share_tier: live.share_tier,
          resource_pools: live.resource_pools,
          computed_at: live.computed_at,
        },
        ip,
      );
    }
  });

  test('prefixes that hold the address count with it, the newest capture wins', async () => {
    covers('EV-SORTED');
    const nested = imported.filter(({ ip }) => ip.startsWith('1.2.9.') || ip === '1.2.8.0/21');
    const body = await pulse('1.2.9.9');
    hold(body, nested, Date.parse(body.computed_at), '1.2.9.9');
    assert.equal(body.evidence.length, 1);
    assert.equal(body.evidence[0]!['captured_at'], new Date(now - 3 * HOUR).toISOString());
    assert.equal((await pulse('1.2.8.1')).evidence[0]!['captured_at'], new Date(now - 5 * HOUR).toISOString());
    assert.equal((await pulse('1.2.16.1')).evidence_state, 'none');
  });
});

describe('the view of each account', () => {
  const proxied = (): string => addresses().find((ip) => expectedVerdict(capturesOf(ip), Date.now()).pools.length > 0)!;

  test('pool handles are stable within an account and not comparable across accounts, and the name never leaves', async () => {
    covers('EV-POOLS', 'EV-POOLS-ABSENT');
    const ip = proxied();
    const [mine, mineAgain, theirs] = [await pulse(ip), await pulse(ip, dpaAgain), await pulse(ip, other.key)];
    assert.deepEqual(mine.resource_pools, mineAgain.resource_pools);
    assert.equal(mine.resource_pools!.length, theirs.resource_pools!.length);
    for (const handle of mine.resource_pools!) {
      assert.match(handle, /^rp_[\w-]{22}$/);
      assert.ok(!theirs.resource_pools!.includes(handle));
    }
    assert.doesNotMatch(JSON.stringify([mine, theirs]), /vendor/);
    assert.equal('resource_pools' in (await pulse('8.8.8.250')), false, 'absent where no pool is hit');
  });

  test('without a data-processing agreement exact times are left out and the body says so', async () => {
    covers('EV-EXACT', 'EV-KEYS', 'PULSE-DPA');
    for (const ip of addresses().slice(0, 10)) {
      const plain = (await ask(`/pulse/v1/ip/${ip}`, withoutDpa.key)).body as Body & { professional_degraded?: string };
      assert.equal(plain.professional_degraded, 'dpa_required');
      for (const row of plain.evidence)
        assert.deepEqual(Object.keys(row).sort(), ['freshness', 'obs_days', 'risk_type']);
      const full = (await pulse(ip)) as Body & { professional_degraded?: string };
      assert.equal(full.professional_degraded, undefined);
      for (const row of full.evidence)
        assert.deepEqual(Object.keys(row).sort(), ['age_min', 'captured_at', 'freshness', 'obs_days', 'risk_type']);
    }
  });

  test('an agreement that comes into force is seen within two seconds', async () => {
    covers('EV-EXACT');
    const late = createKey(server.dataDir, 'late', ['--plan', 'professional']);
    const ip = addresses()[0]!;
    assert.equal((await pulse(ip, late.key)).evidence[0]!['captured_at'], undefined);
    pulseJson(server.dataDir, ['account', 'set', late.accountId, '--dpa', 'on']);
    const seen = await seenByThreads(
      () => pulse(ip, late.key),
      ({ evidence }) => evidence[0]!['captured_at'] !== undefined,
    );
    assert.notEqual(seen.evidence[0]!['captured_at'], undefined);
  });
});

describe('captures as they come', () => {
  test('a late capture never moves the live row backwards, and the past takes it in', async () => {
    covers('PULSE-AT');
    const first = now - 2 * HOUR;
    const late = now - 5 * DAY;
    importRows('trap', [{ ip: '5.5.5.7', riskType: 'honeypot_credential', at: first, source: 'trap', bits: 32 }]);
    importRows('trap', [{ ip: '5.5.5.7', riskType: 'honeypot_credential', at: late, source: 'trap', bits: 32 }]);
    await seenByThreads(
      () => pulse('5.5.5.7'),
      ({ evidence }) => evidence[0]?.['obs_days'] === 2,
    );
    const body = await pulse('5.5.5.7');
    assert.deepEqual(
      [body.evidence[0]!['captured_at'], body.evidence[0]!['obs_days']],
      [new Date(first).toISOString(), 2],
    );
    assert.equal((await pulseAt('5.5.5.7', new Date(late + 1).toISOString())).evidence_state, 'active');
    assert.equal((await pulseAt('5.5.5.7', new Date(late - 1).toISOString())).evidence_state, 'none');
    assert.equal((await pulseAt('5.5.5.7', new Date(late).toISOString())).evidence_state, 'active', 'its own instant');
  });

  test('an import of which nothing can be taken ends with 1 and says why', () => {
    covers('EV-AHEAD');
    const ahead = JSON.stringify({
      ip: '5.5.5.6',
      risk_type: 'proxy',
      captured_at: new Date(Date.now() + 10 * MINUTE).toISOString(),
    });
    const run = pulseOver(server.dataDir, ['evidence', 'import', '-', '--source', 'fast-clock', '--json'], ahead);
    const { accepted, refused } = JSON.parse(run.stdout) as { accepted: number; refused: object };
    assert.deepEqual([run.status, accepted, Object.keys(refused)], [1, 0, ['ahead_of_clock']]);
  });
});
