import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { unixMs } from '../../core/units.ts';
import type { MissingSourcesReport } from '../../service/ports.ts';
import { STORE_FAULTS } from '../../service/store-fault.ts';
import { countsBuffer, RequestCounts, readCounts } from '../http/answer/request-counts.ts';
import { type MetricsSources, renderMetrics } from './render-metrics.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
const table = { used: 0, capacity: 1, overflowing: false };

const published = (more: Partial<MetricsSources['data']> = {}): MetricsSources['data'] => ({
  state: () => undefined,
  built: () => ({ geo: undefined, evidence: NOW }),
  dropped: () => undefined,
  clocks: () => [{ name: 'Redis', offsetMs: -90_000 }],
  ...more,
});

const renderAll = (more: Partial<MetricsSources>) =>
  renderMetrics({
    counts: () => readCounts(countsBuffer(1)),
    data: published(),
    layers: async () => [{ layer: 'own', file: 'own.csv', used: false, leftOut: 7 }],
    ledger: () => ({ clients: table, accounts: table }),
    redis: false,
    storeFaultOf: () => 'disk',
    feeds: () => [
      { id: 'read', rows: 3, overdue: false, lastRunAt: unixMs(NOW - 60_000), lastReadAt: unixMs(NOW - 1000) },
    ],
    leftOut: async () => undefined,
    quarantined: () => ['read'],
    sensors: async () => [],
    disk: async () => ({ freeBytes: 5, sizeBytes: 10 }),
    openFiles: () => ({ open: 7, max: 1024 }),
    backedUp: () => undefined,
    build: { version: '1', runtime: 'v26' },
    now: () => NOW,
    ...more,
  });

async function lines(
  leftOut: MissingSourcesReport | undefined,
  more: Partial<MetricsSources> = {},
): Promise<readonly string[]> {
  const { text } = await renderAll({ leftOut: async () => leftOut, ...more });
  return text
    .split('\n')
    .filter((line) =>
      /^pulse_(sources?_[a-z_]+|sensor_[a-z_]+|evidence_image_dropped|store_up(?=\{store="evidence))[ {]/.test(line),
    );
}

test('a source that was never read is left out too, and every known one has its sample', async () => {
  assert.deepEqual(await lines({ ids: ['never'], retired: ['gone'], expected: 2, silent: false }), [
    'pulse_store_up{store="evidence"} 1',
    'pulse_source_content_age_seconds{source="read"} 60',
    'pulse_source_read_age_seconds{source="read"} 1',
    'pulse_source_overdue{source="read"} 0',
    'pulse_source_failed{source="read"} 0',
    'pulse_source_quarantined{source="read"} 1',
    'pulse_source_left_out{source="read"} 0',
    'pulse_source_left_out{source="never"} 1',
    'pulse_source_retired{source="read"} 0',
    'pulse_source_retired{source="gone"} 1',
    'pulse_sources_expected 2',
  ]);
});

test('the omissions are not published where it is not known', async () => {
  for (const unknown of [undefined, { ids: ['never'], retired: [], expected: 1, silent: true }])
    assert.ok(
      !(await lines(unknown)).some((line) => /^pulse_source(_left_out|_retired|s_expected)/.test(line)),
      JSON.stringify(unknown),
    );
});

test('each layer is shown as used or not, with its rows that are left out', async () => {
  const { text } = await renderAll({});
  assert.match(text, /^pulse_layer_used\{layer="own",file="own.csv"\} 0$/m);
  assert.match(text, /^pulse_layer_left_out\{layer="own",file="own.csv"\} 7$/m);
});

test('the rows without room in an image are published where its build is known', async () => {
  const dropped = (await lines(undefined, { data: published({ dropped: () => ({ rows: 2, pools: 14_465 }) }) })).filter(
    (line) => line.startsWith('pulse_evidence_image'),
  );
  assert.deepEqual(dropped, [
    'pulse_evidence_image_dropped{what="rows"} 2',
    'pulse_evidence_image_dropped{what="pools"} 14465',
  ]);
});

test('a store that is away is reported with its cause, Redis by the threads that see it', async () => {
  covers('METRICS-CAUSES');
  const buffer = countsBuffer(2);
  new RequestCounts(buffer, 1).set('redis_fault', 1 + STORE_FAULTS.indexOf('memory_used_up'));
  const { text } = await renderAll({
    counts: () => readCounts(buffer),
    redis: true,
    storeFaultOf: (error) => (String(error) === 'Error: full' ? 'disk' : 'other'),
    leftOut: () => Promise.reject(new Error('full')),
    sensors: () => Promise.reject(new Error('?')),
  });
  assert.deepEqual(
    text.split('\n').filter((line) => line.startsWith('pulse_store_fault{')),
    [
      'pulse_store_fault{store="redis",cause="memory_used_up"} 1',
      'pulse_store_fault{store="evidence",cause="disk"} 1',
      'pulse_store_fault{store="records",cause="other"} 1',
    ],
  );
});

test('a store that is away takes the metrics of sources with it, and is reported', async () => {
  assert.deepEqual(await lines(undefined, { leftOut: () => Promise.reject(new Error('away')) }), [
    'pulse_store_up{store="evidence"} 0',
  ]);
});

test('a node without threads that answer requests has neither their metrics nor the ledger’s', async () => {
  const { text } = await renderAll({
    counts: () => undefined,
    ledger: () => undefined,
    data: published({ state: () => ({ degraded: false, dataVersion: { risk: 'r', geo: 'g' } }) }),
  });
  assert.doesNotMatch(text, /pulse_requests|pulse_thread|pulse_event_loop|pulse_ledger|pulse_evidence_sequence/);
  assert.match(text, /^pulse_ready 1$/m);
  assert.match(text, /^pulse_data_version\{risk="r",geo="g"\} 1$/m);
});

test('clocks of stores are shown by how far they are from that of the node', async () => {
  assert.match((await renderAll({})).text, /^pulse_clock_offset_seconds\{store="redis"\} -90$/m);
});

test('sensors are shown by when they were heard and how their clocks go, and records that are away are reported', async () => {
  const heard = (
    await lines(undefined, {
      sensors: async () => [{ source: 'trap', seenAt: unixMs(NOW - 90_000), clockOffsetMs: -2500 }],
    })
  ).filter((line) => line.startsWith('pulse_sensor'));
  assert.deepEqual(heard, [
    'pulse_sensor_seen_age_seconds{source="trap"} 90',
    'pulse_sensor_clock_offset_seconds{source="trap"} -2.5',
  ]);
  assert.match((await renderAll({})).text, /^pulse_store_up\{store="records"\} 1$/m);
  assert.match(
    (await renderAll({ sensors: () => Promise.reject(new Error('away')) })).text,
    /^pulse_store_up\{store="records"\} 0$/m,
  );
});
