/**
 * One thing to time: `run` does `operations` of them and returns something that depends on every answer, so
 * that nothing can be left out.
 */
export interface Timed {
  readonly name: string;
  readonly operations: number;
  run(): number;
}

/** Something to look at afterwards, so that no result is unused. */
export const sink = { value: 0 };

/**
 * Times all of them in turns, the order reversed every other round, so that other work of the machine falls
 * on all alike. Processor time of this thread and not the clock: where cores are shared, others' turns are
 * not part of a lookup.
 * @returns median nanoseconds an operation, by name
 */
export function inTurns(timed: readonly Timed[], rounds: number): ReadonlyMap<string, number> {
  const results = new Map<string, number[]>(timed.map(({ name }) => [name, []]));
  for (const one of timed) sink.value += one.run();
  for (let round = 0; round < rounds; round++) {
    for (const one of round % 2 === 0 ? timed : [...timed].reverse()) {
      const start = threadNanoseconds();
      sink.value += one.run();
      results.get(one.name)!.push((threadNanoseconds() - start) / one.operations);
    }
  }
  return new Map([...results].map(([name, times]) => [name, median(times)]));
}

function threadNanoseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1000;
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

export const seconds = (work: () => void): number => {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
};

export const shared = (bytes: Uint8Array): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
};

/** Prints rows as a markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toPrecision(3) : cell)).join(' | ')} |`;
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
  console.log();
}
