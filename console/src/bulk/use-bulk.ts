import { useCallback, useEffect, useReducer, useRef } from 'react';
import { ApiProblem, keptCsrf } from '../api/call.ts';
import type { BulkReport, BulkRequest, Findings, Unreadable } from './bulk-request.ts';

export interface BulkState<Found = Findings, Summary = object> {
  /** Name of the file; undefined: none was chosen. */
  readonly name: string | undefined;
  readonly phase: 'empty' | 'reading' | 'unreadable' | 'found' | 'running' | 'ended';
  readonly lines: number;
  readonly unreadable: Unreadable | undefined;
  readonly found: Found | undefined;
  /** Entries whose answers were kept of an earlier run. */
  readonly kept: number;
  readonly progress: { readonly done: number; readonly of: number; readonly charged: number };
  /** The work goes on by itself then, in Unix milliseconds; undefined while it does not wait. */
  readonly waitsUntil: number | undefined;
  /** The last batch is sent about then, in Unix milliseconds; undefined means in this minute. */
  readonly endsAt: number | undefined;
  readonly perMin: number;
  /** The browser keeps no answers: they are lost with the page. */
  readonly unkept: boolean;
  /** Entries without an answer. */
  readonly left: number;
  readonly problem: ApiProblem | undefined;
  readonly summary: Summary | undefined;
}

const EMPTY: BulkState<never, never> = {
  name: undefined,
  phase: 'empty',
  lines: 0,
  unreadable: undefined,
  found: undefined,
  kept: 0,
  progress: { done: 0, of: 0, charged: 0 },
  waitsUntil: undefined,
  endsAt: undefined,
  perMin: 1,
  unkept: false,
  left: 0,
  problem: undefined,
  summary: undefined,
};

type Event<Found extends Findings, Summary> =
  | BulkReport<Found, Summary>
  | { readonly is: 'chosen'; readonly name: string }
  | { readonly is: 'started'; readonly of: number; readonly perMin: number }
  | { readonly is: 'cleared' };

function next<Found extends Findings, Summary>(
  state: BulkState<Found, Summary>,
  event: Event<Found, Summary>,
): BulkState<Found, Summary> {
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
      return { ...state, phase: 'found', found: event.found, kept: event.kept, left: event.found.entries - event.kept };
    case 'unkept':
      return { ...state, unkept: true };
    case 'started': {
      const progress = { done: 0, of: event.of, charged: 0 };
      const started = {
        ...state,
        phase: 'running',
        problem: undefined,
        waitsUntil: undefined,
        perMin: event.perMin,
        progress,
      } as const;
      return { ...started, endsAt: endOf(started, Date.now()) };
    }
    case 'progress':
      return { ...state, waitsUntil: undefined, progress: event };
    case 'waiting': {
      const waitsUntil = Date.now() + event.seconds * 1000;
      return { ...state, waitsUntil, endsAt: endOf(state, waitsUntil) };
    }
    case 'ended': {
      const { problem, left } = event;
      const ended = { phase: 'ended', waitsUntil: undefined, endsAt: undefined, left } as const;
      return { ...state, ...ended, problem: problem && new ApiProblem(problem.code, problem.message, problem.extras) };
    }
    case 'summary':
      return { ...state, summary: event.summary };
    case 'csv':
      return state;
  }
}

/** Returns the begin of the last minute that a run needs. @param from the next lookup, Unix milliseconds */
function endOf(
  { progress: { done, of }, perMin }: Pick<BulkState, 'progress' | 'perMin'>,
  from: number,
): number | undefined {
  const minutes = Math.ceil((of - done) / perMin) - 1;
  return minutes <= 0 ? undefined : from + minutes * 60_000;
}

export interface Bulk<Found = Findings, Summary = object, Options = undefined> {
  readonly state: BulkState<Found, Summary>;
  readonly read: (source: Blob, name: string, options: Options) => void;
  readonly run: (most: number, perMin: number) => void;
  readonly stop: () => void;
  /** Forgets the answers that were kept of this file. */
  readonly forget: () => void;
  readonly clear: () => void;
  /** A table of all answers. */
  readonly csv: () => Promise<Blob>;
}

/**
 * The worker that reads a file and looks its entries up, for as long as the page is open.
 * @param account under which answers are kept in this browser
 * @param start makes the worker
 */
export function useBulk<Found extends Findings, Summary extends object, Options = undefined>(
  account: string,
  start: () => Worker,
): Bulk<Found, Summary, Options> {
  const [state, dispatch] = useReducer(next<Found, Summary>, EMPTY);
  const worker = useRef<Worker>(undefined);
  const waitsForCsv = useRef<(text: Blob) => void>(undefined);
  const end = useCallback(() => {
    worker.current?.terminate();
    worker.current = undefined;
  }, []);
  useEffect(() => end, [end]);

  const order = useCallback(
    (message: BulkRequest<Options>) => {
      if (worker.current === undefined) {
        worker.current = start();
        worker.current.onmessage = ({ data }: MessageEvent<BulkReport<Found, Summary>>) => {
          if (data.is === 'csv') waitsForCsv.current?.(data.text);
          dispatch(data);
        };
      }
      worker.current.postMessage(message);
    },
    [start],
  );

  return {
    state,
    read: (source, name, options) => {
      end();
      dispatch({ is: 'chosen', name });
      order({ do: 'read', source, name, account, options });
    },
    run: (most, perMin) => {
      dispatch({ is: 'started', of: most, perMin });
      order({ do: 'run', csrf: keptCsrf(), most, perMin });
    },
    stop: () => order({ do: 'stop' }),
    forget: () => {
      dispatch({ is: 'chosen', name: state.name ?? '' });
      order({ do: 'forget' });
    },
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
