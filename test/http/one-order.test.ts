/** The table of cases, asked of every surface of a running service that acts or advises. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decide } from '../../clients/typescript/src/decide.ts';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import type { PulseIPRisk } from '../../src/contract/documents.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { contains, parsePrefix } from '../../src/core/ip/prefix.ts';
import { orderOf } from '../../src/core/policy/order.ts';
import {
  addressOf,
  blockOf,
  networkOf,
  ORDER_CASES,
  type OrderCase,
  observationsOf,
} from '../../src/core/policy/order-cases.fixture.ts';
import { DEFAULT_POLICY } from '../../src/core/policy/policy.ts';
import { verdictFacts } from '../../src/core/summary/verdict-facts.ts';
import type { TrialDocument } from '../../src/core/trial/trial-document.ts';
import { unixMs } from '../../src/core/units.ts';
import { covers } from '../spec/covers.ts';
import { createAccount, pulseJson } from '../support/cli.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { NOTHING, writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('one-order');
const [log, policyFile] = [join(dataDir, 'log.txt'), join(dataDir, 'policy.json')];
const DEFAULTS = ORDER_CASES.filter(({ policy }) => Object.keys(policy).length === 0);
const byPolicy = Map.groupBy(ORDER_CASES, ({ policy }) => JSON.stringify(policy));
/** Policies, each with its keys. */
const keys = new Map<string, Readonly<Record<'lookup' | 'bouncer', string>>>();
const lookupKey = (): string => keys.get('{}')!.lookup;
let server: ServeProcess;

before(async () => {
  const blocks = DEFAULTS.slice(0, 10).map((one) => ({
    ...{ prefix: blockOf(one), place: '{"country":"DE"}' },
    network: { ...NOTHING, ...networkOf(one), usageType: networkOf(one).usageType ?? '' },
  }));
  writeSyntheticGeo(dataDir, 'orders', [], blocks);
  const [store, now] = [await openHistory({ dataDir }), unixMs(Date.now())];
  for (const one of DEFAULTS)
    for (const { capturedAt, source: id, family, riskType, sharedBy } of observationsOf(one, now)) {
      const batch = new CaptureBatchBuilder();
      batch.add(parsePrefix(addressOf(one))!, { capturedAt });
      const source = { id, family, riskType, mode: 'events' as const, ...(sharedBy && { sharedBy }) };
      await store.recordCaptures(source, now, batch.build(), now);
    }
  await store.close();
  const account = createAccount(dataDir, 'orders', ['--plan', 'enterprise', '--dpa', '--operator']);
  for (const policy of byPolicy.keys()) {
    writeFileSync(policyFile, policy);
    const make = (...flags: readonly string[]): string => {
      const { key, key_id: id } = pulseJson(dataDir, ['key', 'create', '--account', account, ...flags]);
      pulseJson(dataDir, ['policy', 'set', id!, '--file', policyFile]);
      return key!;
    };
    keys.set(policy, { lookup: make(), bouncer: make('--bouncer', '--min-score', '1', '--single-addresses') });
  }
  server = await serveProcess({ dataDir });
});
after(() => server?.dispose());

async function ask(path: string, key: string, body?: object): Promise<Response> {
  return await fetch(server.base + path, {
    ...(body && { method: path.startsWith('/mcp') ? 'POST' : 'PUT', body: JSON.stringify(body) }),
    headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
  });
}

/** Compares what a surface does with the table, all rows at once. */
async function expectOrders(
  cases: readonly OrderCase[],
  orderAt: (one: OrderCase) => unknown,
  expected: (one: OrderCase) => unknown = ({ action }) => action,
): Promise<void> {
  const found: (readonly [string, unknown])[] = [];
  for (const one of cases) found.push([one.name, await orderAt(one)]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(cases.map((one) => [one.name, expected(one)])));
}

/** Orders of addresses that stand on lists to block by. */
function isOn(listed: string): (one: OrderCase) => boolean {
  const prefixes = listed.match(/^[\d.:a-f]+(?:\/\d+)?/gm)?.map((text) => parsePrefix(text)!) ?? [];
  return (one) => prefixes.some((prefix) => contains(prefix, parseAnyAddress(addressOf(one))!));
}
const isDenied = ({ action }: OrderCase): boolean => action === 'deny';

test('GET /v1/decide, by the policy of each key', async () => {
  covers('POLICY-JUDGE');
  await expectOrders(ORDER_CASES, async (one) => {
    const { lookup } = keys.get(JSON.stringify(one.policy))!;
    return (await ask(`/v1/decide?ip=${addressOf(one)}`, lookup)).headers.get('x-pulse-action');
  });
});

test('decisions of bouncers: a ban is a denial, a captcha a challenge, by the policy of each key', async () => {
  for (const [policy, cases] of byPolicy) {
    const answer = await ask('/v1/decisions/stream?startup=true', keys.get(policy)!.bouncer);
    const decisions = ((await answer.json()) as { new: { value: string; type: string }[] | null }).new ?? [];
    const types = new Map(decisions.map(({ value, type }) => [value, type]));
    const TYPES = { allow: undefined, challenge: 'captcha', deny: 'ban' };
    await expectOrders(
      cases,
      (one) => types.get(addressOf(one)),
      ({ action }) => TYPES[action],
    );
  }
});

test('lists by URL and exported files hold what is denied, with what is challenged from their least score on if asked', async () => {
  for (const include_shared of [false, true]) {
    await ask('/v1/lists/orders', lookupKey(), { include_shared });
    const more = include_shared ? ['--include-shared'] : [];
    const file = join(dataDir, 'export.txt');
    pulseJson(dataDir, ['export', '--format', 'nginx-geo', '--min-score', '70', ...more, '--out', file]);
    for (const listed of [await (await ask('/lists/orders.txt', lookupKey())).text(), readFileSync(file, 'utf8')])
      await expectOrders(DEFAULTS, isOn(listed), (one) =>
        include_shared ? one.action !== 'allow' && !/^(?:scan|vpn|tor) \d/.test(one.evidence) : isDenied(one),
      );
  }
});

test('pulse trial, with each policy', async () => {
  for (const [policy, cases] of byPolicy) {
    writeFileSync(log, cases.map((one) => `${addressOf(one)}\n`).join(''));
    writeFileSync(policyFile, policy);
    const { top } = pulseJson(dataDir, [
      'trial',
      log,
      '--policy',
      policyFile,
      '--top',
      '1000',
    ]) as unknown as TrialDocument;
    const actions = new Map(top.map(({ ip, action }) => [ip, action]));
    await expectOrders(cases, (one) => actions.get(addressOf(one)) ?? 'allow');
  }
});

test('the riskiest of a log, to block by', async () => {
  const file = join(dataDir, 'riskiest.csv');
  writeFileSync(log, DEFAULTS.map((one) => `${addressOf(one)}\n`).join(''));
  for (const more of [[], ['--include-shared']]) {
    const { status, stderr } = pulseOver(dataDir, ['summarize', log, '--riskiest', file, ...more]);
    assert.equal(status, 0, stderr);
    await expectOrders(DEFAULTS, isOn(readFileSync(file, 'utf8')), (one) =>
      more.length > 0 ? one.action !== 'allow' : isDenied(one),
    );
  }
});

describe('from documents', () => {
  const documentOf = async (one: OrderCase, tier: '' | '/pulse') => {
    const answer = await ask(`${tier}/v1/ip/${addressOf(one)}`, lookupKey());
    return (await answer.json()) as PulseIPRisk;
  };
  /** A document tells neither a Tor exit on the network of a carrier nor, to basic readers, Tor and relays at all. */
  const isTold = ({ evidence, network }: OrderCase): boolean =>
    !(evidence.startsWith('tor') && /MOB|SAT/.test(network));
  const isPlain = ({ evidence, network }: OrderCase): boolean => !/^tor/.test(evidence) && !network.startsWith('relay');
  const bound = (given: unknown): number => ({ never: 101 })[given as 'never'] ?? (given as number);
  /** Without active evidence the client says `unknown` where the service lets the request go on. */
  const byClient = (document: PulseIPRisk, { policy }: OrderCase): string => {
    const { deny = 70, challenge = 30, ...rest } = policy as { deny?: unknown; challenge?: unknown };
    const { action } = decide(document, { ...rest, denyFrom: bound(deny), challengeFrom: bound(challenge) });
    return action.replace('unknown', 'allow');
  };

  test('the client', async () => {
    await expectOrders(ORDER_CASES.filter(isTold), async (one) => byClient(await documentOf(one, '/pulse'), one));
    await expectOrders(ORDER_CASES.filter(isPlain), async (one) => byClient(await documentOf(one, ''), one));
  });

  test('the slider of the bulk page', async () => {
    await expectOrders(DEFAULTS.filter(isTold), async (one) => {
      return orderOf(DEFAULT_POLICY, verdictFacts(await documentOf(one, '/pulse'))).action;
    });
  });
});

const call = async (name: string, args: object) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const { result } = (await (await ask('/mcp/account', lookupKey(), body)).json()) as {
    result: { content: readonly { text: string }[] };
  };
  return JSON.parse(result.content.at(-1)!.text);
};

test('ip_risk_batch', async () => {
  const orders = new Map<string, string>();
  for (const some of [DEFAULTS.slice(0, 60), DEFAULTS.slice(60)])
    for (const { ip, order } of (await call('ip_risk_batch', { ips: some.map(addressOf) })).results)
      orders.set(ip, order);
  await expectOrders(DEFAULTS, (one) => orders.get(addressOf(one)));
});

test('ip_risk_explain', async () => {
  await expectOrders(DEFAULTS, async (one) => {
    const { order } = await call('ip_risk_explain', { ip: addressOf(one) });
    return order.split(':')[0].toLowerCase();
  });
});
