import type { FoundKey } from '../../adapters/accounts/key-directory-cache.ts';
import type { SharedLedger } from '../../adapters/counters/memory/shared-ledger.ts';
import type { SharedLimits } from '../../adapters/limits/memory/memory-limiter.ts';
import type { AppPipeAddress } from '../../apps/http/connection/app-pipe.ts';
import type { SharedConnections } from '../../apps/http/connection/client-connections.ts';
import type { Links } from '../../apps/http/services.ts';
import type { Config } from '../../config.ts';
import type { PeriodTable } from '../../core/ip/prefix-periods.ts';
import type { KnownGoodSet } from '../../core/risk/known-good.ts';
import type { UnixMs } from '../../core/units.ts';
import type { DataMessage, ThreadState } from '../../service/serving/data-state.ts';
import type { FileBudget } from './file-budget.ts';

/**
 * - `owner`: starts at 2 and is never reused. The thread owns locks of ledger and limiter under this number, which is
 *   part of file names and request ids.
 * - `counts`: `slot` is this thread's place in the counters.
 * - `connections`: `files` bounds the connections of a thread.
 * - `listeningFd`: socket of a process that this one takes over from; the thread listens on it when it gets `listen`.
 * - `pipe`: the app thread listens here; undefined while there is none.
 * - `riskVersion`: replaces the evidence's version in data_version.risk. The demonstration sets it, because its
 *   evidence is invented.
 * - `publishedSources`: all other sources are own collection.
 * - `rounds`: the threads were sent so many rounds of changed records before this one began.
 */
export interface ThreadStart {
  readonly config: Config;
  readonly ledger: SharedLedger;
  readonly limits: SharedLimits;
  readonly owner: number;
  readonly run: string;
  readonly counts: SharedArrayBuffer;
  readonly slot: number;
  readonly connections: SharedConnections;
  readonly files: FileBudget;
  readonly port: number;
  readonly listeningFd: number | undefined;
  readonly data: ThreadState;
  readonly serves: 'lookups' | 'others';
  readonly pipe: AppPipeAddress | undefined;
  readonly riskVersion: string | undefined;
  readonly publishedSources: readonly string[];
  readonly knownGood: PeriodTable<KnownGoodSet>;
  readonly rounds: number;
}

interface KeysUsed {
  readonly type: 'used';
  readonly used: ReadonlyMap<string, UnixMs>;
}

/**
 * One thread has read the key from the store and tells the others. `round`: the key was read before this round of
 * changed records.
 */
interface KeyLoaded {
  readonly type: 'key';
  readonly found: FoundKey;
  readonly round: number;
}

export type ToThread =
  | DataMessage
  | KeyLoaded
  | { readonly type: 'app'; readonly pipe: AppPipeAddress | undefined }
  | KeysUsed
  | { readonly type: 'listen' }
  | { readonly type: 'close'; readonly graceMs: number };

export type FromThread =
  | { readonly type: 'listening'; readonly port: number; readonly fd: number | undefined }
  | { readonly type: 'view'; readonly risk: string; readonly geo: string }
  | KeysUsed
  | KeyLoaded
  | { readonly type: 'refresh-feed'; readonly id: string }
  | { readonly type: 'publish'; readonly message: DataMessage }
  /** An uncaught fault ends the thread as soon as its requests are answered. */
  | { readonly type: 'dying' }
  | { readonly type: 'fault'; readonly message: string };

type Address = Pick<Config, 'baseUrl' | 'host' | 'port'>;

/**
 * Public address of the deployment: the configured one, or the one it listens on. No client can use an
 * unspecified address, so `localhost` stands for it.
 */
export const baseUrlOf = (config: Address): string =>
  configUrlOf(config).replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, '$1localhost');

/** The address as configured, possibly an unspecified one, which means every network. */
export const configUrlOf = ({ baseUrl, host, port }: Address): string =>
  baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

export function linksOf(config: Address & Pick<Config, 'signup'>): Links {
  const base = baseUrlOf(config);
  return {
    ...(config.signup !== 'off' && { signup: `${base}/en/console/sign-up` }),
    pricing: `${base}/en/docs/quotas`,
    console: `${base}/en/console`,
  };
}
