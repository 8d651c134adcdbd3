import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptureReader } from '../../evidence/capture-reader.ts';
import { HOUR_MS, unixMs } from '../../units.ts';
import { CollectionTally, HOUR_BUCKETS } from './collection-tally.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12, 30));
const HOUR = Math.floor(NOW / HOUR_MS);
const at = (ms: number): string => new Date(NOW + ms).toISOString();
function batchOf(rows: readonly object[]) {
  const reader = new CaptureReader();
  reader.write(new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
  reader.end();
  assert.deepEqual([...reader.refused], []);
  return reader.take();
}

test('captures are counted by their own hour, connections once, ports as sensors name them', () => {
  const tally = new CollectionTally();
  const folded = {
    ip: '198.14.0.1',
    risk_type: 'honeypot_credential',
    captured_at: at(0),
    first_captured_at: at(-HOUR_MS),
    count: 7,
    port: 22,
    protocol: 'ssh',
  };
  tally.add('trap', batchOf([folded, { ip: '198.14.0.0/24', risk_type: 'proxy' }]), unixMs(NOW - 5), NOW, 3);
  tally.add('trap', batchOf([{ ...folded, first_captured_at: at(0), count: 2 }]), NOW, NOW, 0);
  const { hours, sources, ports, newest } = tally.take();
  assert.deepEqual(
    hours.toSorted((a, b) => a.hour - b.hour),
    [
      { source: 'trap', hour: HOUR - 1, captures: 1, connections: 0 },
      { source: 'trap', hour: HOUR, captures: 3, connections: 10 },
    ],
  );
  assert.deepEqual(sources, [{ source: 'trap', acceptedAt: NOW, capturedAt: NOW, accepted: 4, refused: 3 }]);
  assert.deepEqual(ports, [{ day: Math.floor(HOUR / 24), protocol: 'ssh', port: 22, connections: 9 }]);
  assert.deepEqual(newest, [
    { at: NOW, ip: '198.14.0.1', source: 'trap', riskType: 'honeypot_credential', protocol: 'ssh', port: 22 },
    { at: NOW - 5, ip: '198.14.0.0/24', source: 'trap', riskType: 'proxy' },
    { at: NOW, ip: '198.14.0.1', source: 'trap', riskType: 'honeypot_credential', protocol: 'ssh', port: 22 },
  ]);
  assert.deepEqual([tally.isEmpty, tally.take().hours], [true, []]);
});

test('a flood, and times of long ago or ahead, take no more room than a few', () => {
  const tally = new CollectionTally();
  const rows = Array.from({ length: 30_000 }, (_, n) => ({
    ip: `198.14.${n % 250}.${n % 200}`,
    risk_type: 'honeypot_scan',
    captured_at: at(-(n % 9000) * HOUR_MS),
    count: 1,
    port: 1 + (n % 60_000),
    protocol: 'tcp',
  }));
  tally.add('trap', batchOf(rows), NOW, NOW, 0);
  tally.add(
    'ahead',
    batchOf([{ ip: '198.14.0.1', risk_type: 'honeypot_scan', captured_at: at(HOUR_MS) }]),
    NOW,
    NOW,
    0,
  );
  const { hours, sources, ports, newest } = tally.take();
  assert.equal(hours.filter(({ source }) => source === 'trap').length, HOUR_BUCKETS);
  assert.deepEqual(
    sources.map(({ accepted, capturedAt }) => [accepted, capturedAt]),
    [
      [30_000, NOW],
      [1, NOW],
    ],
  );
  assert.ok(ports.length <= 1024 && newest.length === 200);
});

test('of each source the newest heartbeat is kept, of so many sources and no more', () => {
  const tally = new CollectionTally();
  for (let n = 0; n < 5000; n++)
    tally.addHeartbeat({ source: `s${n % 2000}`, seenAt: unixMs(NOW + n), clockOffsetMs: n });
  assert.equal(tally.isEmpty, false);
  const { heartbeats } = tally.take();
  assert.deepEqual(
    [heartbeats.length, heartbeats[0]],
    [1024, { source: 's0', seenAt: unixMs(NOW + 4000), clockOffsetMs: 4000 }],
  );
  assert.deepEqual([tally.isEmpty, tally.take().heartbeats], [true, []]);
});
