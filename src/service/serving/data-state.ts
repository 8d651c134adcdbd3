import { isDeepStrictEqual } from 'node:util';
import type { ClockSeen } from '../../core/clock-offset.ts';
import type { Override } from '../../core/risk/override.ts';
import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';
import type { DroppedRows } from '../../engine/evidence/evidence-row.ts';
import type { RecordChanges } from '../accounts/change-feed.ts';
import type { FeedNotes } from '../feeds/feed-ports.ts';
import type { MissingSourcesReport } from '../ports.ts';

export type SharedImage = SharedArrayBuffer | { readonly path: string };

/**
 * New lookup data or news about it, from a background job to every HTTP thread. Requests under way finish on
 * the data they took.
 */
export type DataMessage =
  | { readonly type: 'geo'; readonly image: SharedImage }
  | {
      readonly type: 'evidence';
      readonly image: SharedArrayBuffer;
      /** The image holds the deltas up to this sequence; later ones stay applied. */
      readonly included: number;
      /** Earlier changes no longer count: threads take the image whatever its number and drop all deltas. */
      readonly restart: boolean;
      /** Absent where another process built the image. */
      readonly dropped?: Readonly<DroppedRows>;
    }
  | { readonly type: 'delta'; readonly delta: EvidenceDelta }
  /** Verdicts are degraded while at least one job reports it, under any name. */
  | { readonly type: 'degraded'; readonly by: string; readonly degraded: boolean }
  /** Without a reason the work succeeds again. */
  | { readonly type: 'fault'; readonly job: string; readonly reason: string | undefined }
  /** Undefined where no source was ever expected. */
  | { readonly type: 'sources'; readonly leftOut: MissingSourcesReport | undefined }
  | { readonly type: 'clocks'; readonly clocks: readonly ClockSeen[] }
  | { readonly type: 'network-lists' }
  | { readonly type: 'assistants'; readonly lists: SharedArrayBuffer }
  | { readonly type: 'feed-notes'; readonly notes: FeedNotes }
  /** Carries every override, expired ones included. */
  | { readonly type: 'overrides'; readonly overrides: readonly Override[] }
  | { readonly type: 'records'; readonly changes: RecordChanges };

export type Faults = ReadonlyMap<string, string>;

/** Jobs of the control thread that report a store under its name. */
const STORES = ['PostgreSQL', 'pulse.db', 'evidence.db', 'published images'];

export const storesAway = (faults: Faults): readonly string[] => STORES.filter((job) => faults.has(job));

export type Publish = (message: DataMessage) => void;

export interface News {
  readonly faults: Faults;
  readonly leftOut: MissingSourcesReport | undefined;
  readonly feedNotes: FeedNotes | undefined;
  readonly clocks: readonly ClockSeen[];
}

/**
 * A thread starts with the newest images and the captures accepted since the evidence image was built. `assistants`:
 * undefined unless another node published its lists.
 */
export interface DataState extends News {
  readonly geo: SharedImage | undefined;
  readonly evidence: SharedArrayBuffer | undefined;
  readonly included: number;
  readonly deltas: readonly EvidenceDelta[];
  readonly degradedBy: readonly string[];
  readonly assistants: SharedArrayBuffer | undefined;
  readonly overrides: readonly Override[];
}

export interface ThreadState extends DataState {
  readonly evidence: SharedArrayBuffer;
}

export const NO_DATA: DataState = {
  geo: undefined,
  evidence: undefined,
  included: 0,
  deltas: [],
  degradedBy: [],
  leftOut: undefined,
  faults: new Map(),
  assistants: undefined,
  overrides: [],
  feedNotes: undefined,
  clocks: [],
};

export const applyMessage = <State extends DataState>(state: State, message: DataMessage): State =>
  after(state, message) as State;

function after(state: DataState, message: DataMessage): DataState {
  switch (message.type) {
    case 'geo':
      return { ...state, geo: message.image };
    case 'evidence':
      return withEvidence(state, message);
    case 'delta':
      return { ...state, deltas: [...state.deltas, message.delta] };
    case 'degraded':
      return withDegraded(state, message.by, message.degraded);
    case 'assistants':
      return { ...state, assistants: message.lists };
    case 'overrides':
      return { ...state, overrides: message.overrides };
    default:
      return withNews(state, message);
  }
}

export function withNews<State extends News>(state: State, message: DataMessage): State {
  switch (message.type) {
    case 'fault':
      return { ...state, faults: withFault(state.faults, message) };
    case 'sources':
      return isDeepStrictEqual(state.leftOut, message.leftOut) ? state : { ...state, leftOut: message.leftOut };
    case 'feed-notes':
      return { ...state, feedNotes: message.notes };
    case 'clocks':
      return { ...state, clocks: message.clocks };
    default:
      return state;
  }
}

export function withFault(faults: Faults, { job, reason }: Extract<DataMessage, { type: 'fault' }>): Faults {
  const others = [...faults].filter(([other]) => other !== job);
  return new Map(reason === undefined ? others : [...others, [job, reason]]);
}

/** An image older than the present one lacks deltas that are no longer kept, so every thread ignores it. */
function withEvidence(
  state: DataState,
  { image, included, restart }: Extract<DataMessage, { type: 'evidence' }>,
): DataState {
  if (!restart && included < state.included) return state;
  return {
    ...state,
    evidence: image,
    included,
    deltas: restart ? [] : state.deltas.filter(({ sequence }) => sequence > included),
  };
}

function withDegraded(state: DataState, by: string, degraded: boolean): DataState {
  if (state.degradedBy.includes(by) === degraded) return state;
  return {
    ...state,
    degradedBy: degraded ? [...state.degradedBy, by] : state.degradedBy.filter((other) => other !== by),
  };
}
