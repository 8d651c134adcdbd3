import type { SharedLedger } from '../../adapters/counters/memory/shared-ledger.ts';
import type { SharedLimits } from '../../adapters/limits/memory/shared-limits.ts';
import type { AppPipeAddress } from '../../apps/http/app-pipe.ts';
import type { SharedConnections } from '../../apps/http/client-connections.ts';
import type { Config } from '../../config.ts';
import type { PeriodTable } from '../../core/ip/prefix-periods.ts';
import type { KnownGoodSet } from '../../core/risk/known-good.ts';
import type { UnixMs } from '../../core/units.ts';
import type { DataMessage, ThreadState } from '../../service/serving/data-state.ts';
import type { FileBudget } from './file-budget.ts';

/** Start data of an HTTP thread. */
export interface ThreadStart {
  readonly config: Config;
  readonly ledger: SharedLedger;
  readonly limits: SharedLimits;
  /** Number of this thread's life, from 2: owner of the locks of ledger and limiter, part of file names and request ids. */
  readonly owner: number;
  readonly run: string;
  /** Request counters of all threads, and which of them are this thread's. */
  readonly counts: SharedArrayBuffer;
  readonly slot: number;
  /** Connections per client of all threads, and what a thread may have in all. */
  readonly connections: SharedConnections;
  readonly files: FileBudget;
  readonly port: number;
  readonly data: ThreadState;
  /** Look-ups, or everything else behind the pipe. */
  readonly serves: 'lookups' | 'others';
  /** Where the app thread listens, or will: the address of its own. Undefined while there is none. */
  readonly pipe: AppPipeAddress | undefined;
  /** Stands in data_version.risk for the evidence's own version: that of the demonstration, whose evidence is invented. */
  readonly riskVersion: string | undefined;
  /** Ids of the sources that are published lists; every other one is the operator's own collection. */
  readonly publishedSources: readonly string[];
  /** Read once for all threads. */
  readonly knownGood: PeriodTable<KnownGoodSet>;
}

/** Use of keys, by key id. */
interface KeysUsed {
  readonly type: 'used';
  readonly used: ReadonlyMap<string, UnixMs>;
}

export type ToThread =
  | DataMessage
  /** Where the app thread listens from now on; undefined when it has ended. */
  | { readonly type: 'app'; readonly pipe: AppPipeAddress | undefined }
  | KeysUsed
  | { readonly type: 'close'; readonly graceMs: number };

export type FromThread =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'view'; readonly risk: string; readonly geo: string }
  | KeysUsed
  | { readonly type: 'refresh-feed'; readonly id: string }
  /** For every thread. */
  | { readonly type: 'publish'; readonly message: DataMessage }
  /** A fault that nothing caught ends the thread as soon as its requests in flight are answered. */
  | { readonly type: 'dying' }
  | { readonly type: 'fault'; readonly message: string };
