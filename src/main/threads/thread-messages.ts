import type { SharedLedger } from '../../adapters/counters/memory/shared-ledger.ts';
import type { Config } from '../../config.ts';
import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';
import type { PhoneShared } from '../phone/open-phone.ts';

/** What an HTTP thread is born with. */
export interface ThreadStart {
  readonly config: Config;
  readonly ledger: SharedLedger;
  /** Number of this thread's life, from 2: owner of the ledger's lock, part of file names and request ids. */
  readonly owner: number;
  readonly run: string;
  /** Request counters of all threads, and which of them are this thread's. */
  readonly counts: SharedArrayBuffer;
  readonly slot: number;
  readonly port: number;
  readonly data: DataState;
  /** The evidence is invented: data_version.risk says so. */
  readonly demo: boolean;
}

/** How far the process is, and the newest look-up data: images in shared memory, and what was captured since the evidence image was built. */
export interface DataState {
  readonly geo: SharedArrayBuffer | undefined;
  readonly evidence: SharedArrayBuffer | undefined;
  readonly deltas: readonly EvidenceDelta[];
  readonly degraded: boolean;
  /** The paths besides look-ups are to be loaded; before, they are when somebody asks for one. */
  readonly complete: boolean;
  /** Prefix lists of AI assistants as another node published them; undefined where none did. */
  readonly assistants: SharedArrayBuffer | undefined;
  /** Undefined until the libraries were read, and always with PostgreSQL. */
  readonly phone: PhoneShared | undefined;
}

export type ToThread =
  | { readonly type: 'geo'; readonly image: SharedArrayBuffer }
  | { readonly type: 'evidence'; readonly image: SharedArrayBuffer; readonly restart: boolean }
  | { readonly type: 'delta'; readonly delta: EvidenceDelta }
  | { readonly type: 'degraded'; readonly degraded: boolean }
  | { readonly type: 'complete' }
  | { readonly type: 'network-lists' }
  | { readonly type: 'assistants'; readonly lists: SharedArrayBuffer }
  | { readonly type: 'phone'; readonly libraries: PhoneShared }
  | { readonly type: 'close'; readonly graceMs: number };

export type FromThread =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'view'; readonly risk: string; readonly geo: string }
  /** The paths besides look-ups are loaded. */
  | { readonly type: 'completed' }
  | { readonly type: 'refresh-feed'; readonly id: string }
  /** A fault that nothing caught ends the thread as soon as its requests in flight are answered. */
  | { readonly type: 'dying' }
  | { readonly type: 'fault'; readonly message: string };
