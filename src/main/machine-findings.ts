import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { type Config, PINNED_RUNTIME, VERSION } from '../config.ts';
import { clockRemark, isClockWrong } from '../core/clock-offset.ts';
import { type Said, said } from '../core/texts/said.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, upperMedian } from '../core/units.ts';
import type { FeedState } from '../service/feeds/feed-ports.ts';
import type { StoreSeen } from './store-findings.ts';
import { fileBudget, openFilesMax } from './threads/file-budget.ts';

const MIB = 1024 ** 2;
/** Ledger and stores reserve some space ahead, so a folder with less counts as full. */
const SPACE_MIN_MIB = 256;
/** A first start compiles place data beside the images that it serves. */
const MEMORY_MIN_MIB = 1024;
const CONNECTIONS_MIN = 1000;
/** Publishers set their clocks less well than stores. */
const PUBLISHERS_MAX_MS = MINUTE_MS;
/** Older comparisons say nothing of the clock now. */
const COMPARED_MS = 2 * DAY_MS;

interface Compared {
  readonly seen: readonly StoreSeen[];
  readonly states: readonly FeedState[];
  readonly now: UnixMs;
}

export function machineFindings(config: Config, compared: Compared): readonly Finding[] {
  const runtime = process.version;
  const stores = compared.seen.flatMap(({ name, version }) => (version ? `, ${name} ${version}` : [])).join('');
  const pinned = PINNED_RUNTIME;
  return [
    ...remarks('machine', [...disk(config), ...memory(), ...files(config), ...clockRemarks(compared)]),
    runtime === pinned
      ? {
          subject: 'versions',
          state: 'ok',
          text: said('Pulse {version}, Node {runtime}{stores}', { version: VERSION, runtime, stores }),
        }
      : {
          subject: 'versions',
          state: 'warning',
          text: said('Node {runtime} runs this, and tests ran with {pinned}: start by npm start or the image', {
            runtime,
            pinned,
          }),
        },
  ];
}

function disk({ dataDir }: Config): readonly Said[] {
  const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : '.');
  const mib = Math.floor((bavail * bsize) / MIB);
  const text = '{dataDir} has {mib} MiB left: free disk space before charges and captures are refused';
  return mib < SPACE_MIN_MIB ? [said(text, { dataDir, mib })] : [];
}

/** Memory that this process may use, also where a container limits it. */
function memoryMib(): number {
  const limit = process.constrainedMemory();
  return Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / MIB);
}

function memory(): readonly Said[] {
  const mib = memoryMib();
  const text = 'there are {mib} MiB of memory, and a first start needs {needed}';
  return mib < MEMORY_MIN_MIB ? [said(text, { mib, needed: MEMORY_MIN_MIB })] : [];
}

function files({ workers }: Config): readonly Said[] {
  const open = openFilesMax();
  const threads = workers + 1;
  const connections = fileBudget(open, threads).connectionsMax * threads;
  const text =
    'this user may open {open:file|files}, room for {connections} connections: raise it (ulimit -n, LimitNOFILE=)';
  return connections < CONNECTIONS_MIN ? [said(text, { open, connections })] : [];
}

function clockRemarks({ seen, states, now }: Compared): readonly Said[] {
  const ahead = states.map(({ lastAttemptAt = now }) => lastAttemptAt - now);
  const newest = Math.max(0, ...ahead);
  const publishers = states.flatMap(({ clockOffsetMs, lastSuccessAt }) =>
    clockOffsetMs !== undefined && Math.abs(now - (lastSuccessAt ?? 0)) < COMPARED_MS ? [clockOffsetMs] : [],
  );
  const offsetMs = publishers.length === 0 ? 0 : upperMedian(publishers);
  return [
    ...seen.filter(isClockWrong).map(clockRemark),
    ...(Math.abs(offsetMs) > PUBLISHERS_MAX_MS ? [clockRemark({ name: 'publishers', offsetMs })] : []),
    ...(newest > PUBLISHERS_MAX_MS
      ? [
          said('sources were read {seconds} s in the future: the clock was set back', {
            seconds: Math.round(newest / 1000),
          }),
        ]
      : []),
  ];
}

export const machineFacts = () => ({
  system: `${process.platform} ${process.arch}`,
  processors: availableParallelism(),
  memory_mib: memoryMib(),
  open_files: Number.isFinite(openFilesMax()) ? openFilesMax() : 'unlimited',
});

export interface Finding {
  readonly subject: 'data folder' | 'settings' | 'port' | 'stores' | 'machine' | 'versions' | 'place data' | 'feeds';
  /** `fault`: a start is refused, or what a setting names does not work. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: Said;
}

export const remarks = (subject: Finding['subject'], texts: readonly Said[]): readonly Finding[] =>
  texts.length === 0
    ? [{ subject, state: 'ok', text: said('in order') }]
    : texts.map((text) => ({ subject, state: 'warning', text }));
