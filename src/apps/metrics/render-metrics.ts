import type { Heartbeat } from '../../core/collection/heartbeat.ts';
import type { LeftOut, LookupView, SourceHealth } from '../../service/ports.ts';
import { type CountsSeen, LATENCY_BOUNDS_SEC } from '../http/request-counts.ts';
import { MetricsText } from './metrics-text.ts';

export interface TableSeen {
  readonly used: number;
  readonly capacity: number;
  readonly overflowing: boolean;
}

/** Where the numbers come from; asked at each scrape. */
export interface MetricsSources {
  /** Of the threads that answer requests; undefined on a node without them. */
  readonly counts: () => CountsSeen | undefined;
  /** Of the look-up data; undefined until place and network are there. */
  readonly data: () => Pick<LookupView, 'degraded' | 'dataVersion'> | undefined;
  /** When the images were built, milliseconds. */
  readonly built: () => { readonly geo: number | undefined; readonly evidence: number | undefined };
  /** Rows and pools without room in the evidence image; undefined where another process built it. */
  readonly dropped: () => { readonly rows: number; readonly pools: number } | undefined;
  /** Undefined on a node that counts nothing. */
  readonly ledger: () => { readonly clients: TableSeen; readonly accounts: TableSeen } | undefined;
  /** Whether counters are in Redis. */
  readonly redis: boolean;
  /** Sources with their newest run. May fail while the store is away. */
  readonly feeds: () => readonly SourceHealth[] | Promise<readonly SourceHealth[]>;
  /** Expected sources that verdicts lack; undefined where nothing was ever noted. May fail while the store is away. */
  readonly leftOut: () => Promise<LeftOut | undefined>;
  /** Sources with a reading in quarantine on this node. */
  readonly quarantined: () => readonly string[];
  /** Sensors that send heartbeats. May fail while the records are away. */
  readonly sensors: () => Promise<readonly Heartbeat[]>;
  readonly now: () => number;
}

/** Prints one scrape of the whole process. */
export async function renderMetrics(
  sources: MetricsSources,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const text = new MetricsText();
  const counts = sources.counts();
  if (counts !== undefined) requestMetrics(text, counts);
  if (counts !== undefined) threadMetrics(text, counts, sources.redis);
  dataMetrics(text, sources);
  if (counts !== undefined) evidenceMetrics(text, counts);
  const ledger = sources.ledger();
  if (ledger !== undefined) ledgerMetrics(text, ledger);
  await feedMetrics(text, sources);
  await sensorMetrics(text, sources);
  processMetrics(text, sources.now());
  return { text: text.toString(), contentType: MetricsText.CONTENT_TYPE };
}

function requestMetrics(text: MetricsText, counts: CountsSeen): void {
  const requests = text.counter('pulse_requests_total', 'answers by endpoint and status');
  for (const { endpoint, status, count } of counts.requests) requests(count, { endpoint, status });
  text.gauge('pulse_requests_in_flight', 'requests begun and not answered')(counts.inFlight);
  text.counter(
    'pulse_ledger_unwritten_answers_total',
    'answers that left before their charges were written to the ledger log; they are written later',
  )(counts.unwritten);
  text.counter('pulse_thread_deaths_total', 'threads that answer requests which ended by a fault')(counts.deaths);
  const { buckets, sum } = counts.latency;
  const seen = { bounds: LATENCY_BOUNDS_SEC, counts: buckets, sum };
  text.histogram('pulse_request_duration_seconds', 'time to the last byte handed over, of one answer in 64', seen);
}

function threadMetrics(text: MetricsText, { threads }: CountsSeen, redis: boolean): void {
  const delay = text.gauge(
    'pulse_event_loop_delay_seconds',
    'how late timers of a thread run, over the last ten seconds',
  );
  const busy = text.gauge('pulse_event_loop_utilization', 'share of the last ten seconds a thread was at work');
  threads.forEach((seen, thread) => {
    delay(seen.loop_delay_p50_sec, { thread, quantile: '0.5' });
    delay(seen.loop_delay_p99_sec, { thread, quantile: '0.99' });
    delay(seen.loop_delay_max_sec, { thread, quantile: '1' });
    busy(seen.loop_utilization, { thread });
  });
  const memory = text.gauge(
    'pulse_thread_memory_bytes',
    'heap of a thread and memory outside of it; images and counters in shared memory are not in it',
  );
  threads.forEach((seen, thread) => {
    memory(seen.heap_used_bytes, { thread, kind: 'heap_used' });
    memory(seen.heap_total_bytes, { thread, kind: 'heap_total' });
    memory(seen.external_bytes, { thread, kind: 'external' });
    memory(seen.array_buffers_bytes, { thread, kind: 'array_buffers' });
  });
  const sum = (value: (seen: CountsSeen['threads'][number]) => number): number =>
    threads.reduce((total, seen) => total + value(seen), 0);
  const refusing = text.gauge(
    'pulse_ledger_refusing',
    '1 while a thread cannot write the ledger log: charges of look-ups wait in memory, phone numbers are refused',
  );
  threads.forEach((seen, thread) => void refusing(seen.ledger_refusing, { thread }));
  text.gauge(
    'pulse_ledger_waiting_charges',
    'counters whose charges wait to be written to the ledger log',
  )(sum((seen) => seen.ledger_waiting_charges));
  text.counter(
    'pulse_ledger_refused_charges_total',
    'charges refused because the ledger log could not be written',
  )(sum((seen) => seen.ledger_refused_charges));
  if (!redis) return;
  const up = text.gauge('pulse_redis_up', '1 while Redis answers this thread');
  threads.forEach((seen, thread) => void up(seen.redis_up, { thread }));
  text.counter(
    'pulse_redis_local_charges_total',
    'charges counted by this node alone while Redis was away',
  )(sum((seen) => seen.redis_local_charges));
  text.counter(
    'pulse_redis_refused_charges_total',
    'phone charges refused while Redis was away',
  )(sum((seen) => seen.redis_refused_charges));
  text.gauge(
    'pulse_redis_waiting_refunds',
    'charges to be given back when Redis answers',
  )(sum((seen) => seen.redis_waiting_refunds));
}

function dataMetrics(text: MetricsText, { data, built, dropped, now }: MetricsSources): void {
  const seen = data();
  text.gauge('pulse_ready', '1 when look-ups are answered')(seen === undefined ? 0 : 1);
  if (seen !== undefined) {
    text.gauge('pulse_degraded', '1 while answers carry X-Pulse-Degraded')(seen.degraded ? 1 : 0);
    text.gauge('pulse_data_version', 'versions in the labels, always 1')(1, { ...seen.dataVersion });
  }
  const age = text.gauge('pulse_image_age_seconds', 'time since the image was compiled');
  for (const [image, at] of Object.entries(built())) if (at !== undefined) age((now() - at) / 1000, { image });
  const left = text.gauge(
    'pulse_evidence_image_dropped',
    'rows, and pools of rows, that the last build of the evidence image had no room for',
  );
  for (const [what, count] of Object.entries(dropped() ?? {})) left(count, { what });
}

function evidenceMetrics(text: MetricsText, { threads }: CountsSeen): void {
  const sequence = text.gauge('pulse_evidence_sequence', 'newest accepted batch a thread shows');
  threads.forEach((one, thread) => void sequence(one.evidence_sequence, { thread }));
  const overlay = Math.max(0, ...threads.map((one) => one.evidence_overlay_prefixes));
  text.gauge('pulse_evidence_overlay_prefixes', 'prefixes changed since the evidence image')(overlay);
}

function ledgerMetrics(text: MetricsText, tables: NonNullable<ReturnType<MetricsSources['ledger']>>): void {
  const slots = text.gauge('pulse_ledger_slots', 'counters in shared memory');
  const overflowing = text.gauge('pulse_ledger_overflowing', '1 while new counters share a slot');
  for (const [table, seen] of Object.entries(tables)) {
    slots(seen.used, { table, state: 'used' });
    slots(seen.capacity, { table, state: 'capacity' });
    overflowing(seen.overflowing ? 1 : 0, { table });
  }
}

async function feedMetrics(text: MetricsText, { feeds, leftOut, quarantined, now }: MetricsSources): Promise<void> {
  const up = text.gauge('pulse_evidence_store_up', '1 when the evidence store answered this scrape');
  let sources: readonly SourceHealth[];
  let missing: LeftOut | undefined;
  try {
    [sources, missing] = await Promise.all([feeds(), leftOut()]);
    up(1);
  } catch {
    // The gauge reports the failure; every other metric is still worth printing.
    up(0);
    return;
  }
  const age = text.gauge(
    'pulse_source_content_age_seconds',
    'age of the newest content or capture of a source, by the clock that dates it',
  );
  const readAge = text.gauge(
    'pulse_source_read_age_seconds',
    'time since this node last read a source, whether its content was new or not',
  );
  const overdue = text.gauge('pulse_source_overdue', '1 when the content of a source is older than its bound');
  const failed = text.gauge('pulse_source_failed', '1 when the last attempt to read a source failed');
  for (const { id, lastRunAt, lastReadAt, lastErrorAt, overdue: late } of sources) {
    const source = { source: id };
    if (lastRunAt !== undefined) age((now() - lastRunAt) / 1000, source);
    if (lastReadAt !== undefined) readAge((now() - lastReadAt) / 1000, source);
    overdue(late ? 1 : 0, source);
    failed(lastErrorAt !== undefined && lastErrorAt > (lastRunAt ?? 0) ? 1 : 0, source);
  }
  const ids = new Set(sources.map(({ id }) => id));
  flagMetric(
    text,
    'pulse_source_quarantined',
    '1 while a reading of a source outside its bounds waits for an operator on this node',
    ids,
    quarantined(),
  );
  // Without notes it is not known which sources are left out; pulse_degraded is 1 then.
  if (missing === undefined || missing.silent) return;
  flagMetric(text, 'pulse_source_left_out', '1 while verdicts lack an expected source', ids, missing.ids);
  flagMetric(
    text,
    'pulse_source_retired',
    '1 while a source is not expected, because it published nothing new for long',
    ids,
    missing.retired,
  );
  text.gauge(
    'pulse_sources_expected',
    'sources of evidence that verdicts expect, those that they lack among them',
  )(missing.expected);
}

async function sensorMetrics(text: MetricsText, { sensors, now }: MetricsSources): Promise<void> {
  const heard = await sensors().catch(() => undefined);
  text.gauge(
    'pulse_sensors_readable',
    '1 when the records of sensors could be read for this scrape',
  )(heard === undefined ? 0 : 1);
  if (heard === undefined || heard.length === 0) return;
  const seen = text.gauge(
    'pulse_sensor_seen_age_seconds',
    'time since a request of a sensor last came; a sensor that runs sends one a minute',
  );
  const offset = text.gauge(
    'pulse_sensor_clock_offset_seconds',
    'clock of the service less that of a sensor, the way of its request included',
  );
  for (const { source, seenAt, clockOffsetMs } of heard) {
    seen((now() - seenAt) / 1000, { source });
    offset(clockOffsetMs / 1000, { source });
  }
}

/** One sample for each of the sources, and for those that are raised and otherwise unknown. */
function flagMetric(
  text: MetricsText,
  name: string,
  help: string,
  ids: ReadonlySet<string>,
  raised: readonly string[],
): void {
  const flag = text.gauge(name, help);
  for (const source of new Set([...ids, ...raised])) flag(raised.includes(source) ? 1 : 0, { source });
}

function processMetrics(text: MetricsText, now: number): void {
  text.gauge('process_resident_memory_bytes', 'resident memory of the whole process')(process.memoryUsage.rss());
  text.gauge('process_start_time_seconds', 'when the process started')((now - process.uptime() * 1000) / 1000);
  const { user, system } = process.cpuUsage();
  text.counter('process_cpu_seconds_total', 'processor time of all threads')((user + system) / 1e6);
}
