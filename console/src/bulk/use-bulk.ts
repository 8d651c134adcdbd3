import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import { ApiProblem, keptCsrf } from '../api/call.ts';
import type { BulkFound, BulkOrder, BulkReport } from './bulk-order.ts';

/** Where the work stands. */
export interface BulkState {
  /** Name of the file; undefined: none was chosen. */
  readonly name: string | undefined;
  readonly phase: 'empty' | 'reading' | 'unreadable' | 'found' | 'running' | 'ended';
  readonly lines: number;
  readonly unreadable: Extract<BulkReport, { is: 'unreadable' }>['reason'] | undefined;
  readonly found: BulkFound | undefined;
  readonly progress: { readonly done: number; readonly of: number; readonly charged: number };
  /** Seconds until it goes on by itself; undefined: it does not wait. */
  readonly waiting: number | undefined;
  /** Addresses without an answer. */
  readonly left: number;
  readonly problem: ApiProblem | undefined;
  readonly summary: TrafficSummary | undefined;
}

const EMPTY: BulkState = {
  name: undefined,
  phase: 'empty',
  lines: 0,
  unreadable: undefined,
  found: undefined,
  progress: { done: 0, of: 0, charged: 0 },
  waiting: undefined,
  left: 0,
  problem: undefined,
  summary: undefined,
};

type Event = BulkReport | { readonly is: 'chosen'; readonly name: string } | { readonly is: 'started'; readonly of: number } | { readonly is: 'cleared' };

function next(state: BulkState, event: Event): BulkState {
  switch (event.is) {
    case 'cleared':
      return EMPTY;
    case 'chosen':
      return { ...EMPTY, name: event.name, phase: 'reading' };
    case 'reading':
      return { ...state, lines: event.lines };
    case 'unreadable':
      return { ...state, phase: 'unreadable', unreadable: event.reason };
    case 'found':
      return { ...state, phase: 'found', found: event, left: event.addresses };
    case 'started':
      return { ...state, phase: 'running', problem: undefined, waiting: undefined, progress: { done: 0, of: event.of, charged: 0 } };
    case 'progress':
      return { ...state, waiting: undefined, progress: event };
    case 'waiting':
      return { ...state, waiting: event.seconds };
    case 'ended': {
      const { problem, left } = event;
      return { ...state, phase: 'ended', waiting: undefined, left, problem: problem && new ApiProblem(problem.code, problem.message, problem.extras) };
    }
    case 'summary':
      return { ...state, summary: event.summary };
    case 'csv':
      return state;
  }
}

export interface Bulk {
  readonly state: BulkState;
  readonly read: (source: Blob, name: string) => void;
  readonly run: (most: number, perMin: number) => void;
  readonly stop: () => void;
  readonly clear: () => void;
  /** A table of all answers. */
  readonly csv: () => Promise<Blob>;
}

/** The worker that reads a file and looks its addresses up, for as long as the page is open. */
export function useBulk(): Bulk {
  const [state, dispatch] = useReducer(next, EMPTY);
  const worker = useRef<Worker>(undefined);
  const waitsForCsv = useRef<(text: Blob) => void>(undefined);
  const end = useCallback(() => {
    worker.current?.terminate();
    worker.current = undefined;
  }, []);
  useEffect(() => end, [end]);

  const order = useCallback((message: BulkOrder) => {
    if (worker.current === undefined) {
      worker.current = new Worker(new URL('./bulk-worker.ts', import.meta.url), { type: 'module' });
      worker.current.onmessage = ({ data }: MessageEvent<BulkReport>) => {
        if (data.is === 'csv') waitsForCsv.current?.(data.text);
        dispatch(data);
      };
    }
    worker.current.postMessage(message);
  }, []);

  return {
    state,
    read: (source, name) => {
      end();
      dispatch({ is: 'chosen', name });
      order({ do: 'read', source });
    },
    run: (most, perMin) => {
      dispatch({ is: 'started', of: most });
      order({ do: 'run', csrf: keptCsrf(), most, perMin });
    },
    stop: () => order({ do: 'stop' }),
    clear: () => {
      end();
      dispatch({ is: 'cleared' });
    },
    csv: () =>
      new Promise((resolve) => {
        waitsForCsv.current = resolve;
        order({ do: 'csv' });
      }),
  };
}
