import { Counter, Gauge, prometheusContentType, Registry } from 'prom-client';
import type { LookupView, SourceHealth } from '../../../../service/ports.ts';
import { type CountsSeen, LATENCY_BOUNDS_SEC } from '../../request-counts.ts';

export interface TableSeen {
  readonly used: number;
  readonly capacity: number;
  readonly overflowing: boolean;
}

/** Where the numbers come from; asked at each scrape. */
export interface MetricsSources {
  readonly counts: () => CountsSeen;
  readonly view: () => LookupView | undefined;
  /** When the images were built, milliseconds. */
  readonly built: () => { readonly geo: number | undefined; readonly evidence: number | undefined };
  readonly ledger: () => { readonly clients: TableSeen; readonly accounts: TableSeen };
  /** Whether counters are in Redis. */
  readonly redis: boolean;
  /** Sources with their newest run. May fail while the store is away. */
  readonly feeds: () => readonly SourceHealth[] | Promise<readonly SourceHealth[]>;
  readonly now: () => number;
}

/** One scrape: a fresh registry is filled from what the threads counted, and printed. */
export async function renderMetrics(sources: MetricsSources): Promise<{ readonly text: string; readonly contentType: string }> {
  const registry = new Registry();
  const into = { registers: [registry] };
  const gauge = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) new Gauge({ name, help, ...into }).set(value);
  };
  const counts = sources.counts();
  requestMetrics(registry, counts);
  threadMetrics(registry, counts, sources.redis);
  dataMetrics(registry, sources, counts);
  const ledger = new Gauge({ name: 'pulse_ledger_slots', help: 'counters in shared memory', labelNames: ['table', 'state'], ...into });
  for (const [table, { used, capacity }] of Object.entries(sources.ledger())) {
    ledger.set({ table, state: 'used' }, used);
    ledger.set({ table, state: 'capacity' }, capacity);
  }
  const overflowing = new Gauge({ name: 'pulse_ledger_overflowing', help: '1 while new counters share a slot', labelNames: ['table'], ...into });
  for (const [table, seen] of Object.entries(sources.ledger())) overflowing.set({ table }, seen.overflowing ? 1 : 0);
  await feedMetrics(registry, sources);
  gauge('process_resident_memory_bytes', 'resident memory of the whole process', process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'when the process started', (sources.now() - process.uptime() * 1000) / 1000);
  const { user, system } = process.cpuUsage();
  new Counter({ name: 'process_cpu_seconds_total', help: 'processor time of all threads', ...into }).inc((user + system) / 1e6);
  return { text: await registry.metrics(), contentType: prometheusContentType };
}

function requestMetrics(registry: Registry, counts: CountsSeen): void {
  const into = { registers: [registry] };
  const requests = new Counter({ name: 'pulse_requests_total', help: 'answers by endpoint and status', labelNames: ['endpoint', 'status'], ...into });
  for (const { endpoint, status, count } of counts.requests) requests.inc({ endpoint, status }, count);
  new Gauge({ name: 'pulse_requests_in_flight', help: 'requests begun and not answered', ...into }).set(counts.inFlight);
  new Counter({
    name: 'pulse_ledger_unwritten_answers_total',
    help: 'answers that left before their charges were written to the ledger log; they are written later',
    ...into,
  }).inc(counts.unwritten);
  new Counter({ name: 'pulse_thread_deaths_total', help: 'threads that answer requests which ended by a fault', ...into }).inc(counts.deaths);
  registry.registerMetric(latencyOf(counts) as never);
}

/** prom-client's own histogram counts by itself; ours was counted by the threads. */
function latencyOf({ latency }: CountsSeen): { get(): Promise<object>; readonly name: string } {
  const name = 'pulse_request_duration_seconds';
  let sum = 0;
  const bounds = [...LATENCY_BOUNDS_SEC.map(String), '+Inf'];
  const values = bounds.map((le, bucket) => {
    sum += latency.buckets[bucket]!;
    return { metricName: `${name}_bucket`, labels: { le }, value: sum };
  });
  const all = [...values, { metricName: `${name}_sum`, labels: {}, value: latency.sum }, { metricName: `${name}_count`, labels: {}, value: sum }];
  return {
    name,
    get: async () => ({ name, help: 'time to the last byte handed over, of one answer in 64', type: 'histogram', aggregator: 'sum', values: all }),
  };
}

function threadMetrics(registry: Registry, { threads }: CountsSeen, redis: boolean): void {
  const labelled = (name: string, help: string, labelNames: readonly string[]): Gauge =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const delay = labelled('pulse_event_loop_delay_seconds', 'how late timers of a thread run, over the last ten seconds', ['thread', 'quantile']);
  const busy = labelled('pulse_event_loop_utilization', 'share of the last ten seconds a thread was at work', ['thread']);
  threads.forEach((seen, thread) => {
    delay.set({ thread, quantile: '0.5' }, seen.loop_delay_p50_sec);
    delay.set({ thread, quantile: '0.99' }, seen.loop_delay_p99_sec);
    delay.set({ thread, quantile: '1' }, seen.loop_delay_max_sec);
    busy.set({ thread }, seen.loop_utilization);
  });
  const memory = labelled('pulse_thread_memory_bytes', 'heap of a thread and memory outside of it; images and counters in shared memory are not in it', [
    'thread',
    'kind',
  ]);
  threads.forEach((seen, thread) => {
    memory.set({ thread, kind: 'heap_used' }, seen.heap_used_bytes);
    memory.set({ thread, kind: 'heap_total' }, seen.heap_total_bytes);
    memory.set({ thread, kind: 'external' }, seen.external_bytes);
    memory.set({ thread, kind: 'array_buffers' }, seen.array_buffers_bytes);
  });
  const total = (name: string, help: string, value: (seen: CountsSeen['threads'][number]) => number): void =>
    new Counter({ name, help, registers: [registry] }).inc(threads.reduce((sum, seen) => sum + value(seen), 0));
  const refusing = labelled('pulse_ledger_refusing', '1 while a thread refuses charges because the ledger log cannot be written', ['thread']);
  threads.forEach((seen, thread) => void refusing.set({ thread }, seen.ledger_refusing));
  const unwritten = labelled('pulse_ledger_waiting_charges', 'charges that wait to be written to the ledger log', []);
  unwritten.set(threads.reduce((sum, seen) => sum + seen.ledger_waiting_charges, 0));
  total('pulse_ledger_refused_charges_total', 'charges refused because the ledger log could not be written', (seen) => seen.ledger_refused_charges);
  if (!redis) return;
  const up = labelled('pulse_redis_up', '1 while Redis answers this thread', ['thread']);
  threads.forEach((seen, thread) => void up.set({ thread }, seen.redis_up));
  total('pulse_redis_local_charges_total', 'charges counted by this node alone while Redis was away', (seen) => seen.redis_local_charges);
  total('pulse_redis_refused_charges_total', 'phone charges refused while Redis was away', (seen) => seen.redis_refused_charges);
  const waiting = labelled('pulse_redis_waiting_refunds', 'charges to be given back when Redis answers', []);
  waiting.set(threads.reduce((sum, seen) => sum + seen.redis_waiting_refunds, 0));
}

function dataMetrics(registry: Registry, { view, built, now }: MetricsSources, { threads }: CountsSeen): void {
  const into = { registers: [registry] };
  const seen = view();
  new Gauge({ name: 'pulse_ready', help: '1 when look-ups are answered', ...into }).set(seen === undefined ? 0 : 1);
  if (seen !== undefined) {
    new Gauge({ name: 'pulse_degraded', help: '1 while answers carry X-Pulse-Degraded', ...into }).set(seen.degraded ? 1 : 0);
    new Gauge({ name: 'pulse_data_version', help: 'versions in the labels, always 1', labelNames: ['risk', 'geo'], ...into }).set(seen.dataVersion, 1);
  }
  const age = new Gauge({ name: 'pulse_image_age_seconds', help: 'time since the image was compiled', labelNames: ['image'], ...into });
  for (const [image, at] of Object.entries(built())) if (at !== undefined) age.set({ image }, (now() - at) / 1000);
  const sequence = new Gauge({ name: 'pulse_evidence_sequence', help: 'newest accepted batch a thread shows', labelNames: ['thread'], ...into });
  threads.forEach((one, thread) => void sequence.set({ thread }, one.evidence_sequence));
  const overlay = new Gauge({ name: 'pulse_evidence_overlay_prefixes', help: 'prefixes changed since the evidence image', ...into });
  overlay.set(Math.max(0, ...threads.map((one) => one.evidence_overlay_prefixes)));
}

async function feedMetrics(registry: Registry, { feeds, now }: MetricsSources): Promise<void> {
  const into = { registers: [registry] };
  const up = new Gauge({ name: 'pulse_evidence_store_up', help: '1 when the evidence store answered this scrape', ...into });
  let sources: readonly SourceHealth[];
  try {
    sources = await feeds();
    up.set(1);
  } catch {
    // The number itself tells it; everything else is still worth printing.
    up.set(0);
    return;
  }
  const age = new Gauge({ name: 'pulse_source_age_seconds', help: 'time since the newest run or capture of a source', labelNames: ['source'], ...into });
  const overdue = new Gauge({ name: 'pulse_source_overdue', help: '1 when a source is older than its bound', labelNames: ['source'], ...into });
  const failed = new Gauge({ name: 'pulse_source_failed', help: '1 when the last attempt to read a source failed', labelNames: ['source'], ...into });
  for (const { id, lastRunAt, lastErrorAt, overdue: late } of sources) {
    if (lastRunAt !== undefined) age.set({ source: id }, (now() - lastRunAt) / 1000);
    overdue.set({ source: id }, late ? 1 : 0);
    failed.set({ source: id }, lastErrorAt !== undefined && lastErrorAt > (lastRunAt ?? 0) ? 1 : 0);
  }
}
