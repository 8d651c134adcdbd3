/** Reports that a verdict is wrong: taken from everybody, kept with their evidence, decided by operators. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { SqlFeedbackStore } from '../../src/adapters/feedback/sql-feedback-store.ts';
import type { Explanation } from '../../src/contract/documents.ts';
import { DAY_MS, unixMs } from '../../src/core/units.ts';
import type { Feedback } from '../../src/service/feedback/feedback-store.ts';
import { covers } from '../spec/covers.ts';
import { createAccount, createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { sessionOpener } from '../support/session-opener.ts';
import { TECHNOLOGIES, testDatabases } from '../support/test-databases.ts';

let server: ServeProcess;
let key: string;
let reporter: string;
const databases = testDatabases();

before(async () => {
  server = await serveProcess();
  ({ key, accountId: reporter } = createKey(server.dataDir, 'reporter', []));
  const { status } = pulseOver(server.dataDir, 'evidence import - --source trap --risk-type proxy', '1.2.3.4\n');
  assert.equal(status, 0);
  await eventually(async () => {
    const body = (await (await fetch(`${server.base}/v1/ip/1.2.3.4`)).json()) as { evidence_state: string };
    return body.evidence_state === 'active';
  });
});
after(() => server.dispose());

async function send(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.base}/v1/feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id?: string; error?: { code: string } };
  return [response.status, answer.error?.code ?? (answer.id === undefined ? undefined : 'id')];
}

test('a report is taken with a key and without one; one that is not of the form, or about nothing, is refused', async () => {
  covers('FEEDBACK');
  const report = { ip: '1.2.3.4', verdict: 'false_positive', comment: 'our mail server' };
  assert.deepEqual(await send(report), [202, 'id']);
  assert.deepEqual(await send({ ...report, risk_type: 'proxy' }, { 'X-API-Key': key }), [202, 'id']);
  const once = { 'X-API-Key': key, 'Idempotency-Key': 'report-1' };
  const raw = async (body: object, headers: Record<string, string>) =>
    await fetch(`${server.base}/v1/feedback`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
    });
  const ids = [];
  for (const headers of [once, once, { ...once, 'Idempotency-Key': 'report-2' }, { 'Idempotency-Key': 'report-1' }])
    ids.push(((await (await raw(report, headers)).json()) as { id: string }).id);
  assert.equal(ids[0], ids[1], 'sent again under its name');
  assert.equal(new Set(ids).size, 3, 'another name and another sender are other reports');
  assert.deepEqual(await send({ ...report, comment: 'x' }, once), [400, 'bad_request']);
  assert.deepEqual(await send(report, { ...once, 'Idempotency-Key': 'a b' }), [400, 'bad_request']);
  const refused: readonly (readonly [unknown, string])[] = [
    [{ ...report, verdict: 'wrong' }, 'bad_request'],
    [{ ...report, risk_type: 'x' }, 'bad_request'],
    [{ ...report, comment: 'x'.repeat(1001) }, 'bad_request'],
    [{ ...report, more: 1 }, 'bad_request'],
    [[], 'bad_request'],
    [{ ...report, ip: '1.2.3' }, 'invalid_ip'],
    [{ ...report, ip: '10.0.0.1' }, 'reserved_ip'],
  ];
  for (const [body, code] of refused) assert.deepEqual(await send(body), [400, code], JSON.stringify(body));
  assert.deepEqual(await send(report, { 'X-API-Key': 'pk_no' }), [401, 'invalid_key']);
  assert.deepEqual(await send(report, { origin: 'https://elsewhere.example' }), [403, 'forbidden']);
  while ((await send(report))[0] !== 429);
  assert.deepEqual(await send(report, { 'X-API-Key': key }), [202, 'id'], 'a few a day without a key');
});

test('an operator decides all open reports of one sender at once', async () => {
  const operator = createAccount(server.dataDir, 'deciding', ['--operator']);
  const accounts = await openAccounts({ dataDir: server.dataDir, databaseUrl: undefined, secret: undefined });
  const session = await sessionOpener(accounts, server).open(operator).finally(accounts.close);
  const decide = async (body: object) => {
    const asked = { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', ...session };
    const response = await fetch(`${server.base}/console/api/operator/feedback`, { ...asked, headers });
    return [response.status, ((await response.json()) as { decided?: number }).decided];
  };
  const all = { outcome: 'rejected', account: reporter };
  for (const body of [{ outcome: 'rejected' }, { ...all, outcome: 'open' }, { ...all, account: 1 }])
    assert.deepEqual(await decide(body), [400, undefined], JSON.stringify(body));
  for (const expected of [4, 0]) assert.deepEqual(await decide(all), [200, expected]);
  assert.ok((await decide({ outcome: 'confirmed', account: null }))[1]! > 0, 'those without a key were left');
});

const NOW = unixMs(Date.UTC(2026, 10, 20));
const explanation = (sources: readonly string[]): Explanation =>
  ({ rows: sources.map((source) => ({ strength: source === 'expired' ? 0 : 0.5, seen_by: [source] })) }) as never;

for (const technology of TECHNOLOGIES)
  test(`reports over ${technology}: open ones first, a bound, decisions, and counts by the sources that counted`, async (t) => {
    covers('FEEDBACK');
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const store = new SqlFeedbackStore(opened.db);
    const caps = { all: 6, account: 2, address: 3 };
    const add = (id: string, day: number, sources: readonly string[], of: Partial<Feedback> = {}) =>
      store.add(
        {
          ...{ id, at: unixMs(NOW + day * DAY_MS), account: undefined, ip: '1.2.3.4', verdict: 'false_positive' },
          ...{ riskType: undefined, comment: 'c', explanation: explanation(sources), outcome: 'open', ...of },
        },
        caps,
      );
    assert.equal(await add('a', 0, ['list', 'expired']), 'added');
    assert.equal(await add('b', 1, ['list', 'other']), 'added');
    const by = { actor: 'operator:acc_1', at: unixMs(NOW + 3 * DAY_MS) } as const;
    const decided = await store.decide('b', 'confirmed', by);
    assert.ok(decided !== 'unknown_feedback' && decided.outcome === 'confirmed');
    assert.equal(await store.decide('x', 'rejected', by), 'unknown_feedback');
    assert.deepEqual(
      (await store.list(10)).map(({ id, outcome }) => [id, outcome]),
      [
        ['a', 'open'],
        ['b', 'confirmed'],
      ],
    );
    await store.decide('a', 'rejected', by);
    assert.deepEqual(Object.fromEntries(await store.bySource()), {
      list: { decided: 2, confirmed: 1 },
      other: { decided: 1, confirmed: 1 },
    });

    const openOnes = async () =>
      (await store.list(99))
        .flatMap(({ id, outcome }) => (outcome === 'open' ? [id] : []))
        .sort()
        .join(' ');
    for (let n = 1; n <= 4; n++) assert.equal(await add(`n${n}`, n, [], { ip: `2.2.2.${n}` }), 'added');
    assert.equal(await openOnes(), 'n2 n3 n4', 'half is for accounts; the oldest of nobody makes way');
    for (const [id, account, outcome] of [
      ['x1', 'x', 'added'],
      ['x2', 'x', 'added'],
      ['x3', 'x', 'too_many'],
      ['y1', 'y', 'added'],
      ['y2', 'y', 'added'],
    ] as const)
      assert.equal(await add(id, 9, [], { account, ip: `3.3.${id}` }), outcome, id);
    assert.equal(await openOnes(), 'n3 n4 x1 x2 y1 y2');
    assert.deepEqual([await store.decideAll('x', 'rejected', by), await openOnes()], [2, 'n3 n4 y1 y2']);
    assert.deepEqual([await store.decideAll(undefined, 'rejected', by), await openOnes()], [2, 'y1 y2']);
    for (const [id, account] of [
      ['n5', undefined],
      ['p1', 'p'],
      ['q1', 'q'],
      ['n6', undefined],
    ] as const)
      assert.equal(await add(id, 10, [], { account, ip: '4.4.4.4' }), 'added');
    assert.equal(await openOnes(), 'n6 p1 q1 y1 y2', 'a few about one address');
  });
