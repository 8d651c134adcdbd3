import { parentPort, workerData } from 'node:worker_threads';
import { type FuzzRun, fuzzParser } from './fuzz-parser.ts';
import { PARSER_TARGETS } from './parser-targets.ts';

/** What one thread is to do: each target for its share of the cases. */
export interface FuzzWork {
  readonly run: number;
  readonly cases: number;
  /** Numbers of the targets. */
  readonly targets: readonly number[];
  /** Target and case that are being read, for who watches. */
  readonly at: Int32Array;
}

const { run, cases, targets, at } = workerData as FuzzWork;
for (const number of targets) {
  const target = PARSER_TARGETS[number]!;
  const work: FuzzRun = { run, from: 0, cases: Math.ceil(cases * (target.share ?? 1)) };
  Atomics.store(at, 0, number);
  const result = await fuzzParser(target, work, (index) => {
    Atomics.store(at, 1, index);
    Atomics.add(at, 2, 1);
  });
  parentPort!.postMessage({ target: target.name, ...result });
}
