import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { DEMO_RISK_VERSION } from '../demo-risk-version.ts';
import type { LookupView } from '../ports.ts';
import { highExample } from './high-example.ts';

const START = unixMs(Date.UTC(2026, 10, 21, 12));

type Seen = readonly [ip: string, source: string, riskType: RiskType, ageMs: number];

/** Evidence of published lists, but for the source `own`; 8.8.8.8 is a known service. */
function viewOf(rows: readonly Seen[], now: () => UnixMs, risk = 'r1'): LookupView {
  const addresses = [...new Set(rows.map(([ip]) => ip))].map((ip) => parseAnyAddress(ip)!);
  const observations = (ip: string): readonly Observation[] =>
    rows
      .filter(([seen]) => seen === ip)
      .map(([, source, riskType, ageMs]) => ({
        ...{ riskType, source, family: source, capturedAt: unixMs(now() - ageMs), days: 14 },
        ...{ prefixBits: 32, pools: [] },
      }));
  return {
    dataVersion: { risk },
    captured: { hostsWithin: () => addresses.map((address) => ({ address })).values() },
    observations: (address: Parameters<LookupView['observations']>[0]) => observations(formatAddress(address)),
    network: () => ({ hosting: false, mobile: false, crawler: false, relay: false }),
    protection: {
      knownGood: (address: Parameters<LookupView['observations']>[0]) =>
        formatAddress(address) === '8.8.8.8' ? { id: 'dns', what: 'name server', source: 'x', seen: 'x' } : undefined,
      isOwn: (source: string) => source === 'own',
    },
  } as unknown as LookupView;
}

test('the red example is a public address whose score is high by published lists alone, the same for an hour', () => {
  covers('SITE-RED-EXAMPLE');
  let now: UnixMs = START;
  const proxy = (ip: string, source = 'list', ageMs = MINUTE_MS): Seen => [ip, source, 'proxy', ageMs];
  let rows = [
    proxy('1.1.1.1', 'list', 40 * 24 * HOUR_MS),
    proxy('8.8.8.8'),
    proxy('9.9.9.9', 'own'),
    proxy('10.0.0.1'),
    proxy('45.1.2.3'),
    proxy('45.1.2.4'),
  ];
  let view: LookupView | undefined;
  let risk = 'r1';
  const example = highExample(
    () => view && viewOf(rows, () => now, risk),
    () => now,
  );
  assert.equal(example(), undefined, 'without data none is offered');
  view = viewOf(rows, () => now);
  assert.deepEqual(example(), { ip: '45.1.2.3', score: 91, signals: ['proxy'] });
  rows = [proxy('45.1.2.2'), proxy('45.1.2.3'), proxy('45.1.2.9')];
  now = unixMs(START + HOUR_MS - 1);
  assert.equal(example()?.ip, '45.1.2.3');
  rows = [proxy('45.1.2.9')];
  assert.equal(example()?.ip, '45.1.2.9', 'one that is high no more is not shown');
  rows = [proxy('9.9.9.9', 'own')];
  now = unixMs(START + 2 * HOUR_MS);
  assert.equal(example(), undefined, 'own captures are not shown to visitors');
  risk = DEMO_RISK_VERSION;
  now = unixMs(START + 3 * HOUR_MS);
  assert.equal(example()?.ip, '9.9.9.9', 'a demonstration has only its own');
});
