import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { MemoryLedger } from '../../adapters/counters/memory/memory-ledger.ts';
import type { RedisLedgerState } from '../../adapters/counters/redis/redis-ledger.ts';
import type { RequestCounts } from '../../apps/http/answer/request-counts.ts';
import { type EveryOptions, every } from '../../service/every.ts';
import type { Ledger } from '../../service/ports.ts';
import { STORE_FAULTS } from '../../service/store-fault.ts';
import type { ThreadData } from './thread-data.ts';

interface Reported {
  readonly ledger: Ledger;
  readonly local: MemoryLedger;
  readonly data: ThreadData;
}

const EVERY_MS = 10_000;

export function reportThread(
  counts: RequestCounts,
  seen: Reported,
  log: EveryOptions['log'],
): { stop(): Promise<void> } {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const report = (): void => {
    const now = performance.eventLoopUtilization();
    // The histogram records the duration of a 20 ms timer; the part above 20 ms is lateness.
    const late = (nanoseconds: number): number => Math.max(0, (nanoseconds || 0) / 1e9 - 0.02);
    counts.set('loop_delay_p50_sec', late(delay.percentile(50)));
    counts.set('loop_delay_p99_sec', late(delay.percentile(99)));
    counts.set('loop_delay_max_sec', late(delay.max));
    counts.set('loop_utilization', performance.eventLoopUtilization(now, before).utilization);
    before = now;
    delay.reset();
    reportMemory(counts);
    reportState(counts, seen);
  };
  reportMemory(counts);
  reportState(counts, seen);
  const options = { log, meanwhile: 'metrics of this thread stand still' };
  const gauges = every('gauges of a thread', EVERY_MS, report, options);
  // Updated more often, so that the reported state of data and Redis is rarely older than a second.
  const state = every('state of a thread', 1000, () => reportState(counts, seen), options);
  return {
    async stop() {
      await Promise.all([gauges.stop(), state.stop()]);
      delay.disable();
    },
  };
}

/** Shared images are in neither number. */
function reportMemory(counts: RequestCounts): void {
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  counts.set('heap_used_bytes', heapUsed);
  counts.set('heap_total_bytes', heapTotal);
  counts.set('external_bytes', external);
  counts.set('array_buffers_bytes', arrayBuffers);
}

const overRedis = (ledger: Ledger, local: MemoryLedger): ledger is Ledger & { state(): RedisLedgerState } =>
  ledger !== local;

function reportState(counts: RequestCounts, { ledger, local, data }: Reported): void {
  const { sequence, overlayPrefixes } = data.evidence();
  counts.set('evidence_sequence', sequence);
  counts.set('evidence_overlay_prefixes', overlayPrefixes);
  const { accepts, waiting, refused } = local.state();
  counts.set('ledger_refusing', accepts ? 0 : 1);
  counts.set('ledger_waiting_charges', waiting);
  counts.set('ledger_refused_charges', refused);
  if (!overRedis(ledger, local)) return;
  const { up, fault, localCharges, refusedPhoneCharges, waitingRefunds } = ledger.state();
  counts.set('redis_up', up ? 1 : 0);
  counts.set('redis_fault', fault === undefined ? 0 : STORE_FAULTS.indexOf(fault) + 1);
  counts.set('redis_local_charges', localCharges);
  counts.set('redis_refused_charges', refusedPhoneCharges);
  counts.set('redis_waiting_refunds', waitingRefunds);
}
