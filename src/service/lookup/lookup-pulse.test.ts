import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PulseIPRisk } from '../../contract/documents.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { type LookupView, type MissingSourcesReport, NO_SOURCES } from '../ports.ts';
import { Problem } from '../problem.ts';
import { PulseLookup, type PulseQuery, windowFrom } from './lookup-pulse.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12, 30, 15, 250));
const ago = (ms: number): UnixMs => unixMs(NOW - ms);

const proxy: Observation = {
  riskType: 'proxy',
  source: 'a',
  family: 'a',
  capturedAt: ago(2 * HOUR_MS),
  days: 0b1011,
  prefixBits: 32,
  pools: ['vendor-x', 'vendor-y'],
};
const vpn: Observation = {
  riskType: 'vpn',
  source: 'b',
  family: 'b',
  capturedAt: ago(40 * DAY_MS),
  days: 1,
  prefixBits: 32,
  pools: ['old'],
};

const viewOf = (observations: readonly Observation[], known = true): LookupView => ({
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: false,
  protection: undefined,
  geoJson: () => (known ? '{"country":"DE"}' : undefined),
  network: () => ({
    json: known ? '{"asn":64500,"usage_type":"DYN"}' : undefined,
    usageType: 'DYN',
    asn: 64500,
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
  }),
  observations: () => observations,
});

interface Asked {
  readonly address?: PulseQuery['address'];
  readonly view?: LookupView;
  readonly account?: PulseQuery['account'];
  readonly at?: UnixMs;
  readonly history?: ConstructorParameters<typeof PulseLookup>[0]['history'] | 'off';
}

/** Asks as the HTTP side does: first for the rules of a moment, then for the document. */
const lookup = async (changes: Asked): Promise<string | undefined> => {
  const held = changes.history ?? {
    observationsAt: () => [vpn],
    earliest: () => ago(20 * DAY_MS),
    leftOutAt: () => undefined,
  };
  const pulse = new PulseLookup({ history: held === 'off' ? undefined : held, secret: new Uint8Array(32) });
  const question = {
    address: changes.address ?? parseAnyAddress('203.0.114.9')!,
    now: NOW,
    view: changes.view ?? viewOf([proxy, vpn]),
    account: changes.account ?? { id: 'acc_1', dpa: true },
  };
  if (changes.at !== undefined) await pulse.checkMoment({ ...question, moment: changes.at });
  return (await pulse.lookup({ ...question, moment: changes.at }))?.json;
};

const ask = async (changes: Asked = {}): Promise<PulseIPRisk> => JSON.parse((await lookup(changes))!) as PulseIPRisk;

const refusal = async (changes: Asked): Promise<Problem> => {
  try {
    await lookup(changes);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error;
  }
  return assert.fail('was not refused');
};

test('the live document has evidence strongest first, expired rows included, and only the formal keys', async () => {
  const body = await ask();
  assert.deepEqual(
    Object.keys(body),
    'ip risk evidence_state computed_at share_tier evidence resource_pools network geo meta'.split(' '),
  );
  assert.equal(body.computed_at, '2026-08-22T12:30:15.250Z');
  assert.equal(body.evidence_state, 'active');
  assert.equal(body.share_tier, 'T2');
  assert.deepEqual(body.risk.signals, ['proxy']);
  assert.deepEqual(body.evidence, [
    { risk_type: 'proxy', freshness: 'within_2h', obs_days: 3, captured_at: '2026-08-22T10:30:15.250Z', age_min: 120 },
    { risk_type: 'vpn', freshness: 'older', obs_days: 0, captured_at: '2026-07-13T12:30:15.250Z', age_min: 40 * 1440 },
  ]);
});

test('an address never seen has no evidence; one in no data at all is not found', async () => {
  const body = await ask({ view: viewOf([]) });
  assert.deepEqual(
    [body.evidence_state, body.risk, body.evidence, body.share_tier],
    ['none', { score: 0, level: 'none' }, [], 'T1'],
  );
  assert.equal(await lookup({ view: viewOf([], false) }), undefined);
  assert.equal(await lookup({ view: viewOf([], false), at: ago(DAY_MS) }), undefined, 'judged on current data');
});

test('with at, the verdict is of that moment and signals, network and geo are current', async () => {
  const at = ago(15 * DAY_MS);
  const body = await ask({ at });
  assert.equal(body.computed_at, '2026-08-07T12:30:15.250Z');
  assert.equal(body.evidence_state, 'active');
  const shown = body.evidence.map((row) => [row.risk_type, row.age_min]);
  assert.deepEqual(shown, [['vpn', 25 * 1440]]);
  assert.deepEqual(body.risk.signals, ['proxy'], 'what fires now');
  assert.deepEqual(body.network, { asn: 64500, usage_type: 'DYN' });
});

test('the answerable window begins at the later of the contract and the beginning of the record, both ends inclusive', async () => {
  const cases = [
    [undefined, 20, 20],
    [undefined, 200, 30],
    [90, 200, 90],
    [90, 60, 60],
    [7, 60, 7],
  ] as const;
  for (const [days, earliest, expected] of cases)
    assert.equal(
      windowFrom(NOW, days, earliest === undefined ? undefined : ago(earliest * DAY_MS)),
      expected === earliest ? ago(expected * DAY_MS) : MINUTE_MS * Math.floor(ago(expected * DAY_MS) / MINUTE_MS),
    );
  assert.equal(windowFrom(NOW, undefined, undefined), NOW, 'where nothing was ever accepted nothing was watched');
  assert.equal((await ask({ at: ago(20 * DAY_MS) })).computed_at, '2026-08-02T12:30:15.250Z');
  const refused = await refusal({ at: ago(20 * DAY_MS + 1) });
  assert.deepEqual([refused.code, refused.extras], ['at_out_of_window', { window_from: '2026-08-02T12:30:15.250Z' }]);
});

test('every refusal of at has its code, and none falls back to a live verdict', async () => {
  const broken = (): never => {
    throw new Error('disk gone');
  };
  assert.equal((await refusal({ at: ago(MINUTE_MS), history: 'off' })).code, 'history_not_enabled');
  assert.equal(
    (await refusal({ at: ago(MINUTE_MS), address: parseAnyAddress('2001:4860::1')! })).code,
    'history_no_ipv6',
  );
  assert.equal(
    (
      await refusal({
        at: ago(MINUTE_MS),
        history: { observationsAt: broken, earliest: () => ago(DAY_MS), leftOutAt: () => undefined },
      })
    ).code,
    'history_unavailable',
  );
  assert.equal(
    (
      await refusal({
        at: ago(MINUTE_MS),
        history: { observationsAt: () => [], earliest: broken, leftOutAt: () => undefined },
      })
    ).code,
    'history_unavailable',
  );
});

test('with a moment the header speaks of that moment, without one of now', async () => {
  const noted = (leftOutAt: () => MissingSourcesReport | undefined) => ({
    observationsAt: () => [vpn],
    earliest: () => ago(20 * DAY_MS),
    leftOutAt,
  });
  const answer = async (moment: UnixMs | undefined, degraded: boolean, leftOut?: MissingSourcesReport) =>
    (
      await new PulseLookup({ history: noted(() => leftOut), secret: new Uint8Array(32) }).lookup({
        view: { ...viewOf([vpn]), degraded },
        address: parseAnyAddress('8.8.8.8')!,
        account: { id: 'a', dpa: true },
        now: NOW,
        moment,
      })
    )?.degraded;
  assert.deepEqual(
    [await answer(undefined, true), await answer(undefined, false, { ...NO_SOURCES, ids: ['a'], silent: false })],
    [true, false],
  );
  assert.deepEqual(
    [await answer(ago(1000), true), await answer(ago(1000), true, { ...NO_SOURCES, silent: false })],
    [false, false],
  );
  assert.deepEqual(
    [
      await answer(ago(1000), false, { ...NO_SOURCES, ids: ['a'], silent: false }),
      await answer(ago(1000), false, { ...NO_SOURCES, silent: true }),
    ],
    [true, true],
  );
});
