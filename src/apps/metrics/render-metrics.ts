import type { ClockSeen } from '../../core/clock-offset.ts';
import type { Heartbeat } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import type { LookupView, MissingSourcesReport, SourceHealth } from '../../service/ports.ts';
import { STORE_FAULTS, type StoreFault } from '../../service/store-fault.ts';
import { type CountsSeen, LATENCY_BOUNDS_SEC } from '../http/answer/request-counts.ts';
import { CONTENT_TYPE, MetricsText } from './metrics-text.ts';

export interface TableSeen {
  readonly used: number;
  readonly capacity: number;
  readonly overflowing: boolean;
}

export interface LayerSeen {
  readonly layer: string;
  readonly file: string;
  readonly used: boolean;
  readonly leftOut: number;
}

/**
 * Each scrape asks these sources. Those that ask a store may fail while it is away.
 * - `counts`: undefined on a node whose threads answer no requests.
 * - `storeFaultOf`: why a store could not answer, by what it threw.
 * - `disk`: of the data folder; undefined where the system does not say.
 * - `openFiles`: undefined where the system does not say.
 */
export interface MetricsSources {
  readonly counts: () => CountsSeen | undefined;
  readonly data: {
    state(): Pick<LookupView, 'degraded' | 'dataVersion'> | undefined;
    built(): { readonly geo: number | undefined; readonly evidence: number | undefined };
    dropped(): { readonly rows: number; readonly pools: number } | undefined;
    clocks(): readonly ClockSeen[];
  };
  readonly layers: () => Promise<readonly LayerSeen[]>;
  readonly ledger: () => { readonly clients: TableSeen; readonly accounts: TableSeen } | undefined;
  readonly redis: boolean;
  readonly storeFaultOf: (error: unknown) => StoreFault;
  readonly feeds: () => readonly SourceHealth[] | Promise<readonly SourceHealth[]>;
  readonly leftOut: () => Promise<MissingSourcesReport | undefined>;
  readonly quarantined: () => readonly string[];
  readonly sensors: () => Promise<readonly Heartbeat[]>;
  readonly disk: () => Promise<{ readonly freeBytes: number; readonly sizeBytes: number } | undefined>;
  readonly openFiles: () => { readonly open: number; readonly max: number } | undefined;
  readonly backedUp: () => UnixMs | undefined;
  readonly build: { readonly version: string; readonly runtime: string };
  readonly now: () => number;
}

export const metricNames = (): readonly string[] => Object.keys(METRICS);

// biome-ignore format: a row a metric, in the order of the text
const METRICS = {
  pulse_requests_total: ['counter', 'answers by endpoint and status'],
  pulse_decisions_without_client_total: ['counter', 'questions of GET /v1/decide whose client has no address that can be read'],
  pulse_decisions_total: ['counter', 'answers of GET /v1/decide by action, and whether the policy only observes'],
  pulse_request_errors_total: ['counter', 'answers with an error body, by its code'],
  pulse_requests_in_flight: ['gauge', 'requests begun and not answered'],
  pulse_ledger_unwritten_answers_total: ['counter', 'answers that left before their charges were written to the ledger log; they are written later'],
  pulse_thread_deaths_total: ['counter', 'threads that answer requests which ended by a fault'],
  pulse_request_duration_seconds: ['histogram', 'time from the head of a request to the last byte of its answer, by endpoint'],
  pulse_event_loop_delay_seconds: ['gauge', 'how late timers of a thread run, over the last ten seconds'],
  pulse_event_loop_utilization: ['gauge', 'share of the last ten seconds a thread was at work'],
  pulse_thread_memory_bytes: ['gauge', 'heap of a thread and memory outside of it; images and counters in shared memory are not in it'],
  pulse_ledger_refusing: ['gauge', '1 while a thread cannot write the ledger log: charges of lookups wait in memory, phone numbers are refused'],
  pulse_ledger_waiting_charges: ['gauge', 'counters whose charges wait to be written to the ledger log'],
  pulse_ledger_refused_charges_total: ['counter', 'charges refused because the ledger log could not be written'],
  pulse_redis_up: ['gauge', '1 while Redis answers this thread'],
  pulse_redis_local_charges_total: ['counter', 'charges counted by this node alone while Redis was away'],
  pulse_redis_refused_charges_total: ['counter', 'phone charges refused while Redis was away'],
  pulse_redis_waiting_refunds: ['gauge', 'charges to be given back when Redis answers'],
  pulse_ready: ['gauge', '1 when lookups are answered'],
  pulse_degraded: ['gauge', '1 while answers carry X-Pulse-Degraded, or a store cannot be used or written'],
  pulse_data_version: ['gauge', 'versions in the labels, always 1'],
  pulse_image_age_seconds: ['gauge', 'time since the image was compiled'],
  pulse_layer_used: ['gauge', '1 while a layer of place and network data is used, 0 when it was refused or gives nothing'],
  pulse_layer_left_out: ['gauge', 'rows and records of a layer that are not used'],
  pulse_evidence_image_dropped: ['gauge', 'rows, and pools of rows, that the last build of the evidence image had no room for'],
  pulse_evidence_sequence: ['gauge', 'newest accepted batch a thread shows'],
  pulse_evidence_overlay_prefixes: ['gauge', 'prefixes changed since the evidence image'],
  pulse_ledger_slots: ['gauge', 'counters in shared memory'],
  pulse_ledger_overflowing: ['gauge', '1 while new counters share a slot'],
  pulse_store_up: ['gauge', '1 when a store answered this scrape: evidence, or records (accounts, keys, sessions)'],
  pulse_store_fault: ['gauge', '1 while a store cannot be used, by the cause'],
  pulse_store_answer_seconds: ['gauge', 'time that a store took for the questions of this scrape'],
  pulse_source_content_age_seconds: ['gauge', 'age of the newest content or capture of a source, by the clock that dates it'],
  pulse_source_read_age_seconds: ['gauge', 'time since this node last read a source, whether its content was new or not'],
  pulse_source_overdue: ['gauge', '1 when the content of a source is older than its bound'],
  pulse_source_failed: ['gauge', '1 when the last attempt to read a source failed'],
  pulse_source_quarantined: ['gauge', '1 while a reading of a source outside its bounds waits for an operator on this node'],
  pulse_source_left_out: ['gauge', '1 while verdicts lack an expected source'],
  pulse_source_retired: ['gauge', '1 while a source is not expected, because it published nothing new for long'],
  pulse_sources_expected: ['gauge', 'sources of evidence that verdicts expect, those that they lack among them'],
  pulse_sensor_seen_age_seconds: ['gauge', 'time since a request of a sensor last came; a sensor that runs sends one a minute'],
  pulse_sensor_clock_offset_seconds: ['gauge', 'clock of the service less that of a sensor, the way of its request included'],
  pulse_clock_offset_seconds: ['gauge', 'clock of a store less that of this node; 0 where they may be equal'],
  pulse_data_disk_free_bytes: ['gauge', 'free space on the disk of the data folder, for this user'],
  pulse_data_disk_size_bytes: ['gauge', 'size of that disk'],
  pulse_build_info: ['gauge', 'versions of the service and of its runtime in the labels, always 1'],
  pulse_backup_age_seconds: ['gauge', 'time since the last backup of this data folder'],
  process_open_fds: ['gauge', 'open file descriptors'],
  process_max_fds: ['gauge', 'file descriptors that may be open'],
  process_resident_memory_bytes: ['gauge', 'resident memory of the whole process'],
  process_start_time_seconds: ['gauge', 'when the process started'],
  process_cpu_seconds_total: ['counter', 'processor time of all threads'],
} as const;

type Text = MetricsText<keyof typeof METRICS>;

export async function renderMetrics(
  sources: MetricsSources,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const text: Text = new MetricsText(METRICS);
  const counts = sources.counts();
  if (counts !== undefined) {
    addRequests(text, counts);
    addThreads(text, counts, sources.redis);
    if (sources.redis) addRedisFault(text, counts);
  }
  addData(text, sources);
  for (const [table, seen] of Object.entries(sources.ledger() ?? {})) {
    text.add('pulse_ledger_slots', seen.used, { table, state: 'used' });
    text.add('pulse_ledger_slots', seen.capacity, { table, state: 'capacity' });
    text.add('pulse_ledger_overflowing', seen.overflowing ? 1 : 0, { table });
  }
  await addLayers(text, sources);
  await addFeeds(text, sources);
  await addSensors(text, sources);
  for (const { name, offsetMs } of sources.data.clocks())
    text.add('pulse_clock_offset_seconds', offsetMs / 1000, { store: name.toLowerCase() });
  const disk = await sources.disk();
  if (disk !== undefined) {
    text.add('pulse_data_disk_free_bytes', disk.freeBytes);
    text.add('pulse_data_disk_size_bytes', disk.sizeBytes);
  }
  const backedUp = sources.backedUp();
  if (backedUp !== undefined) text.add('pulse_backup_age_seconds', (sources.now() - backedUp) / 1000);
  text.add('pulse_build_info', 1, sources.build);
  addProcess(text, sources);
  return { text: text.toString(), contentType: CONTENT_TYPE };
}

function addRequests(
  text: Text,
  { requests, decisions, errors, inFlight, unwritten, deaths, clientless, latencies }: CountsSeen,
): void {
  for (const { endpoint, status, count } of requests) text.add('pulse_requests_total', count, { endpoint, status });
  for (const { action, observed, count } of decisions)
    if (count > 0) text.add('pulse_decisions_total', count, { action, observed: String(observed) });
  for (const { code, count } of errors) if (count > 0) text.add('pulse_request_errors_total', count, { code });
  text.add('pulse_requests_in_flight', inFlight);
  text.add('pulse_ledger_unwritten_answers_total', unwritten);
  text.add('pulse_thread_deaths_total', deaths);
  text.add('pulse_decisions_without_client_total', clientless);
  for (const { endpoint, buckets, sum } of latencies) {
    const seen = { bounds: LATENCY_BOUNDS_SEC, counts: buckets, sum };
    text.addHistogram('pulse_request_duration_seconds', seen, { endpoint });
  }
}

function addThreads(text: Text, { threads }: CountsSeen, redis: boolean): void {
  for (const [thread, seen] of threads.entries()) {
    for (const stat of ['p50', 'p99', 'max'] as const)
      text.add('pulse_event_loop_delay_seconds', seen[`loop_delay_${stat}_sec`], { thread, stat });
    text.add('pulse_event_loop_utilization', seen.loop_utilization, { thread });
    for (const kind of ['heap_used', 'heap_total', 'external', 'array_buffers'] as const)
      text.add('pulse_thread_memory_bytes', seen[`${kind}_bytes`], { thread, kind });
    text.add('pulse_ledger_refusing', seen.ledger_refusing, { thread });
    text.add('pulse_evidence_sequence', seen.evidence_sequence, { thread });
    if (redis) text.add('pulse_redis_up', seen.redis_up, { thread });
  }
  const overlay = threads.map((seen) => seen.evidence_overlay_prefixes);
  text.add('pulse_evidence_overlay_prefixes', Math.max(0, ...overlay));
  for (const [name, field] of redis ? [...LEDGER_SUMS, ...REDIS_SUMS] : LEDGER_SUMS)
    text.add(
      name,
      threads.reduce((total, seen) => total + seen[field], 0),
    );
}

const LEDGER_SUMS = [
  ['pulse_ledger_waiting_charges', 'ledger_waiting_charges'],
  ['pulse_ledger_refused_charges_total', 'ledger_refused_charges'],
] as const;
const REDIS_SUMS = [
  ['pulse_redis_local_charges_total', 'redis_local_charges'],
  ['pulse_redis_refused_charges_total', 'redis_refused_charges'],
  ['pulse_redis_waiting_refunds', 'redis_waiting_refunds'],
] as const;

/** Threads may see different causes for a moment. */
function addRedisFault(text: Text, { threads }: CountsSeen): void {
  const causes = new Set(threads.map((seen) => STORE_FAULTS[seen.redis_fault - 1]));
  for (const cause of causes) if (cause !== undefined) text.add('pulse_store_fault', 1, { store: 'redis', cause });
}

function addData(text: Text, { data, now }: MetricsSources): void {
  const seen = data.state();
  text.add('pulse_ready', seen === undefined ? 0 : 1);
  if (seen !== undefined) {
    text.add('pulse_degraded', seen.degraded ? 1 : 0);
    text.add('pulse_data_version', 1, { ...seen.dataVersion });
  }
  for (const [image, at] of Object.entries(data.built()))
    if (at !== undefined) text.add('pulse_image_age_seconds', (now() - at) / 1000, { image });
  for (const [what, count] of Object.entries(data.dropped() ?? {}))
    text.add('pulse_evidence_image_dropped', count, { what });
}

async function addLayers(text: Text, { layers }: MetricsSources): Promise<void> {
  for (const { layer, file, used, leftOut } of await layers()) {
    text.add('pulse_layer_used', used ? 1 : 0, { layer, file });
    text.add('pulse_layer_left_out', leftOut, { layer, file });
  }
}

async function addFeeds(text: Text, { feeds, leftOut, quarantined, storeFaultOf, now }: MetricsSources): Promise<void> {
  const answer = await askStore(text, storeFaultOf, 'evidence', () => Promise.all([feeds(), leftOut()]));
  if (answer === undefined) return;
  const [sources, missing] = answer;
  for (const { id, lastRunAt, lastReadAt, lastErrorAt, overdue } of sources) {
    const source = { source: id };
    if (lastRunAt !== undefined) text.add('pulse_source_content_age_seconds', (now() - lastRunAt) / 1000, source);
    if (lastReadAt !== undefined) text.add('pulse_source_read_age_seconds', (now() - lastReadAt) / 1000, source);
    text.add('pulse_source_overdue', overdue ? 1 : 0, source);
    text.add('pulse_source_failed', lastErrorAt !== undefined && lastErrorAt > (lastRunAt ?? 0) ? 1 : 0, source);
  }
  const flag = (name: keyof typeof METRICS, raised: readonly string[]): void => {
    for (const source of new Set([...sources.map(({ id }) => id), ...raised]))
      text.add(name, raised.includes(source) ? 1 : 0, { source });
  };
  flag('pulse_source_quarantined', quarantined());
  // Without notes the missing sources are unknown; pulse_degraded is 1 then.
  if (missing === undefined || missing.silent) return;
  flag('pulse_source_left_out', missing.ids);
  flag('pulse_source_retired', missing.retired);
  text.add('pulse_sources_expected', missing.expected);
}

/**
 * Asks a store and times its answer. Without one the gauge says so, and every other metric is still worth
 * printing.
 */
async function askStore<T>(
  text: Text,
  faultOf: MetricsSources['storeFaultOf'],
  store: 'evidence' | 'records',
  ask: () => Promise<T>,
): Promise<T | undefined> {
  const startedAt = performance.now();
  try {
    const answer = await ask();
    text.add('pulse_store_up', 1, { store });
    text.add('pulse_store_answer_seconds', (performance.now() - startedAt) / 1000, { store });
    return answer;
  } catch (error) {
    text.add('pulse_store_up', 0, { store });
    text.add('pulse_store_fault', 1, { store, cause: faultOf(error) });
    return undefined;
  }
}

async function addSensors(text: Text, { sensors, storeFaultOf, now }: MetricsSources): Promise<void> {
  const heard = await askStore(text, storeFaultOf, 'records', sensors);
  for (const { source, seenAt, clockOffsetMs } of heard ?? []) {
    text.add('pulse_sensor_seen_age_seconds', (now() - seenAt) / 1000, { source });
    text.add('pulse_sensor_clock_offset_seconds', clockOffsetMs / 1000, { source });
  }
}

function addProcess(text: Text, { openFiles, now }: MetricsSources): void {
  const files = openFiles();
  if (files !== undefined) {
    text.add('process_open_fds', files.open);
    text.add('process_max_fds', files.max);
  }
  text.add('process_resident_memory_bytes', process.memoryUsage.rss());
  text.add('process_start_time_seconds', (now() - process.uptime() * 1000) / 1000);
  const { user, system } = process.cpuUsage();
  text.add('process_cpu_seconds_total', (user + system) / 1e6);
}
