import { Worker } from 'node:worker_threads';
import type { ParserFault, ParserResult } from './fuzz-parser.ts';
import type { FuzzWork } from './fuzz-worker.ts';
import { PARSER_TARGETS } from './parser-targets.ts';

export interface TargetResult extends ParserResult {
  readonly target: string;
}

/**
 * A reading that takes longer hangs in a loop without an end: the longest sound one takes some milliseconds.
 * Work that has an end is counted.
 */
const HANG_MS = 60_000;
const HEAP_MB = 512;

/**
 * Reads broken inputs with every parser whose name holds `only`, in a thread of its own, which a hang or a
 * full memory ends.
 * @param cases inputs of a target of share 1
 */
export async function fuzzParsers(
  run: number,
  cases: number,
  { only = '', countWork = false }: { readonly only?: string; readonly countWork?: boolean } = {},
): Promise<readonly TargetResult[]> {
  const targets = [...PARSER_TARGETS.keys()].filter((number) => {
    const { name, ownProcess } = PARSER_TARGETS[number]!;
    return name.includes(only) && !(countWork && ownProcess === true);
  });
  const results: TargetResult[] = [];
  for (let next = 0; next < targets.length; ) {
    const end = await watched(
      { run, cases, countWork, targets: targets.slice(next), at: new Int32Array(new SharedArrayBuffer(12)) },
      (result) => results.push(result),
    );
    if (end === undefined) break;
    results.push({ target: end.target, read: 0, refused: 0, faults: [end] });
    next = 1 + targets.findIndex((number) => PARSER_TARGETS[number]!.name === end.target && number >= end.number);
  }
  return results;
}

function watched(
  work: FuzzWork,
  done: (result: TargetResult) => void,
): Promise<(ParserFault & { readonly number: number }) | undefined> {
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return new Promise((resolve) => {
    const end = (what: string): void => {
      clearInterval(watch);
      void worker.terminate();
      const [number = 0, index = 0] = work.at;
      resolve({
        number,
        target: PARSER_TARGETS[number]!.name,
        input: `run ${work.run}, case ${index}`,
        bytes: new Uint8Array(0),
        what,
      });
    };
    let seen = -1;
    const watch = setInterval(() => {
      if (work.at[2] === seen) end(`one reading takes longer than ${HANG_MS} ms`);
      seen = work.at[2]!;
    }, HANG_MS);
    worker.on('message', done);
    worker.on('error', (error: Error) => end(error.stack ?? error.message));
    worker.on('exit', (code) => {
      if (code !== 0) return;
      clearInterval(watch);
      resolve(undefined);
    });
  });
}

export const describeFault = ({ target, input, bytes, what }: ParserFault): string =>
  `${target}, ${input}: ${what.split('\n').slice(0, 6).join('\n')}\n  ${JSON.stringify(Buffer.from(bytes.subarray(0, 400)).toString('latin1'))}`;
