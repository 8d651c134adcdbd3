import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import fc from 'fast-check';
import { brokenInput } from './broken-input.ts';
import type { WorkCount } from './count-work.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/**
 * Inputs that once broke a parser, by target: `<target>/<what it does>.bin`. Each is read in every run, and
 * broken further.
 */
const CORPUS = resolve(import.meta.dirname, '../../fuzz/corpus');

export interface FuzzRun {
  readonly seed: number;
  readonly cases: number;
  /** The count also bounds the work of each reading. */
  readonly work?: WorkCount | undefined;
}

export interface ParserFault {
  readonly target: string;
  /** Recipe of the same input, or the name of a kept one. */
  readonly input: string;
  readonly bytes: Uint8Array;
  readonly what: string;
}

export interface ParserResult {
  readonly target: string;
  readonly read: number;
  readonly refused: number;
  readonly faults: readonly ParserFault[];
}

/**
 * One reading may leave this many bytes of buffers behind: some room before it looks at the input, and a
 * multiple of the input.
 */
const ROOM = 64 * 2 ** 20;
const ROOM_A_BYTE = 256;
/**
 * One reading may run this many blocks of code (count-work.ts), and as many for each byte of its input. The
 * dearest sound ones take a tenth of it.
 */
const WORK = 50_000;
const WORK_A_BYTE = 32;

function keptInputs(target: string): readonly (readonly [name: string, bytes: Uint8Array])[] {
  const files = globSync(`${target}/*.bin`, { cwd: CORPUS });
  return files.map((file) => [basename(file, '.bin'), readFileSync(join(CORPUS, file))]);
}

export function keepInput({ target, bytes }: ParserFault, name: string): void {
  mkdirSync(join(CORPUS, target), { recursive: true });
  writeFileSync(join(CORPUS, target, `${name}.bin`), bytes);
}

/**
 * Reads the sound inputs of a target, the kept ones, and this many broken ones; the first of these that breaks
 * it is made small.
 * @param begin is called before each input; a caller that watches sees where a reading hangs
 */
export async function fuzzParser(
  target: FuzzTarget,
  { seed, cases, work }: FuzzRun,
  begin: () => void = () => {},
): Promise<ParserResult> {
  const faults: ParserFault[] = [];
  const count = { read: 0, refused: 0 };
  const fault = (input: string, bytes: Uint8Array, what: string): void =>
    void faults.push({ target: target.name, input, bytes, what });
  const attempt = (bytes: Uint8Array): Promise<string | undefined> => {
    begin();
    return faultOf(target, bytes, count, work);
  };
  const kept = keptInputs(target.name);
  for (const [index, bytes] of target.seeds.entries()) {
    const { refused } = count;
    const what = await attempt(bytes);
    if (what !== undefined || count.refused > refused)
      fault(`seed ${index}`, bytes, what ?? 'a sound input is refused');
  }
  for (const [name, bytes] of kept) {
    const what = await attempt(bytes);
    if (what !== undefined) fault(name, bytes, what);
  }
  const inputs = brokenInput([...target.seeds, ...kept.map(([, bytes]) => bytes)]);
  const { counterexample, counterexamplePath } = await fc.check(
    fc.asyncProperty(inputs, async (bytes) => (await attempt(bytes)) === undefined),
    { seed, numRuns: cases },
  );
  const [bytes] = counterexample ?? [];
  if (bytes !== undefined)
    fault(`seed ${seed}, path ${counterexamplePath}`, bytes, (await attempt(bytes)) ?? 'it breaks only now and then');
  return { target: target.name, ...count, faults };
}

/** Reads the same bytes twice where a first reading could leave something behind; its work is not counted. */
async function faultOf(
  target: FuzzTarget,
  bytes: Uint8Array,
  count: { read: number; refused: number },
  work: WorkCount | undefined,
): Promise<string | undefined> {
  const before = process.memoryUsage().arrayBuffers;
  const first = await read(target, bytes);
  const blocks = work?.take() ?? 0;
  if (blocks > WORK + WORK_A_BYTE * bytes.length) return `${blocks} blocks of code ran for an input of ${bytes.length}`;
  const room = process.memoryUsage().arrayBuffers - before;
  if (room > ROOM + ROOM_A_BYTE * bytes.length) return `${room} bytes of memory for an input of ${bytes.length}`;
  if (first.fault !== undefined) return first.fault;
  count[first.refusal === undefined ? 'read' : 'refused']++;
  if (work !== undefined) return undefined;
  try {
    assert.deepStrictEqual(await read(target, bytes), first);
  } catch (error) {
    return `two readings of the same bytes differ: ${(error as Error).message}`;
  }
  return undefined;
}

const prototypeMembers = (): number =>
  [Object, Array, Function, String].reduce((sum, { prototype }) => sum + Reflect.ownKeys(prototype).length, 0);
const PROTOTYPE_MEMBERS = prototypeMembers();

interface Attempt {
  readonly value?: unknown;
  readonly refusal?: string;
  readonly fault?: string;
}

async function read(target: FuzzTarget, bytes: Uint8Array): Promise<Attempt> {
  const input = Buffer.from(bytes);
  try {
    const value = await target.read(input);
    if (!input.equals(bytes)) return { fault: 'the input was written to' };
    return prototypeMembers() === PROTOTYPE_MEMBERS ? { value } : { fault: 'a prototype was written to' };
  } catch (error) {
    if (error instanceof Error && target.refuses?.(error) === true) return { refusal: error.message };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : `${String(error)} was thrown` };
  }
}
