/**
 * Broken inputs for every parser, or drawn requests over every route. Not a measure of speed: no reading may
 * throw another error than its own, hang, or take memory beyond a multiple of its input; no request may be
 * answered 5xx or without the error body of the contract.
 *
 *   node bench/fuzz.ts [--cases 20000] [--seed N] [--only NAME] [--keep] [--count-work]    parsers; --keep writes inputs that broke one to
 *                                                                                         test/fuzz/corpus,
 *                                                                                         --count-work also
 *                                                                                         bounds their work
 *   node bench/fuzz.ts --requests 1000000 [--seed N] [--parallel 16] [--every 100000]  requests to a server with two
 *                                                                                        lookup threads, with
 *                                                                                        its memory after so
 *                                                                                        many each
 */
import { parseArgs } from 'node:util';
import { keepInput } from '../test/support/fuzz/fuzz-parser.ts';
import { describeFault, fuzzParsers } from '../test/support/fuzz/fuzz-parsers.ts';
import { fuzzRequests } from '../test/support/fuzz/fuzz-requests.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    requests: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    parallel: { type: 'string', default: '16' },
    every: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    'count-work': { type: 'boolean', default: false },
  },
});

const seed = Number(values.seed);
const since = performance.now();
const seconds = (): number => Math.round((performance.now() - since) / 1000);
const rows = (lines: readonly (readonly unknown[])[]): void =>
  void process.stdout.write(lines.map((line) => `| ${line.join(' | ')} |\n`).join(''));
const faults = values.requests === undefined ? await parsers() : await requests(Number(values.requests));
for (const fault of faults) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

async function parsers(): Promise<readonly string[]> {
  const results = await fuzzParsers(seed, Number(values.cases), { only: values.only, countWork: values['count-work'] });
  rows([['parser', 'read', 'refused', 'faults'], ['---', '---', '---', '---'], ...results.map(({ target, read, refused, faults }) => [target, read, refused, faults.length])]); // biome-ignore format: a table
  const inputs = results.reduce((sum, { read, refused }) => sum + read + refused, 0);
  process.stdout.write(`seed ${seed}: ${inputs} inputs in ${seconds()} s\n`);
  const found = results.flatMap((result) => result.faults);
  if (values.keep) for (const [index, fault] of found.entries()) keepInput(fault, `seed-${seed}-${index}`);
  return found.map(describeFault);
}

async function requests(count: number): Promise<readonly string[]> {
  rows([
    ['requests', 'seconds', 'resident MiB', 'heaps used MiB', 'heaps held MiB', 'outside of heaps MiB', 'faults'],
    Array(7).fill('---'),
  ]);
  const { statuses, memory, faults } = await fuzzRequests({
    seed,
    requests: count,
    parallel: Number(values.parallel),
    every: Number(values.every),
    onSample: (seen) =>
      rows([
        [seen.requests, seconds(), seen.residentMb, seen.heapUsedMb, seen.heapTotalMb, seen.externalMb, seen.faults],
      ]),
  });
  process.stdout.write('\n');
  rows([['status', 'answers'], ['---', '---'], ...[...statuses].sort(([a], [b]) => a - b)]);
  process.stdout.write(`seed ${seed}: ${memory.at(-1)!.requests} requests in ${seconds()} s\n`);
  return faults;
}
