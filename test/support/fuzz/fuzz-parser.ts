import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { WorkCount } from './count-work.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutate } from './mutate.ts';

/**
 * Inputs that once broke a parser, by target: `<target>/<what it does>.bin`. Each is read in every run, and
 * broken further.
 */
const CORPUS = resolve(import.meta.dirname, '../../fuzz/corpus');

export interface FuzzRun {
  readonly run: number;
  readonly from: number;
  readonly cases: number;
  /** The count also bounds the work of each reading. */
  readonly work?: WorkCount;
}

export interface ParserFault {
  readonly target: string;
  /** Recipe of the same input, or the name of a kept one. */
  readonly input: string;
  readonly bytes: Uint8Array;
  readonly what: string;
}

export interface ParserResult {
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
const FAULTS_MAX = 5;

export function keptInputs(target: string): ReadonlyMap<string, Uint8Array> {
  return new Map(
    globSync(`${target}/*.bin`, { cwd: CORPUS }).map((file) => [
      basename(file, '.bin'),
      readFileSync(join(CORPUS, file)),
    ]),
  );
}

export function keepInput({ target, bytes }: ParserFault, name: string): void {
  mkdirSync(join(CORPUS, target), { recursive: true });
  writeFileSync(join(CORPUS, target, `${name}.bin`), bytes);
}

/**
 * Reads the sound inputs of a target, the kept ones, and this many broken ones.
 * @param begin is called before each input; a caller that watches sees where a reading hangs
 */
export async function fuzzParser(
  target: FuzzTarget,
  { run, from, cases, work }: FuzzRun,
  begin: (index: number) => void = () => {},
): Promise<ParserResult> {
  const faults: ParserFault[] = [];
  const count = { read: 0, refused: 0 };
  const attempt = async (input: string, bytes: Uint8Array): Promise<void> => {
    const what = await faultOf(target, bytes, count, work);
    if (what !== undefined) faults.push({ target: target.name, input, bytes, what });
  };
  const kept = keptInputs(target.name);
  if (from === 0) {
    for (const [index, seed] of target.seeds.entries()) {
      begin(index);
      const { refused } = count;
      await attempt(`seed ${index}`, seed);
      if (count.refused > refused)
        faults.push({ target: target.name, input: `seed ${index}`, bytes: seed, what: 'a sound input is refused' });
    }
    for (const [name, bytes] of kept) await attempt(name, bytes);
  }
  const seeds = [...target.seeds, ...kept.values()];
  for (let index = from; index < from + cases && faults.length < FAULTS_MAX; index++) {
    begin(index);
    await attempt(`run ${run}, case ${index}`, mutate(run, index, seeds));
  }
  return { ...count, faults };
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
  if (target.ownProcess === true || work !== undefined) return undefined;
  try {
    assert.deepStrictEqual(await read(target, bytes), first);
  } catch (error) {
    return `two readings of the same bytes differ: ${(error as Error).message}`;
  }
  return undefined;
}

const prototypeMembers = (): number =>
  [Object.prototype, Array.prototype, Function.prototype, String.prototype].reduce<number>(
    (sum, one: object) => sum + Reflect.ownKeys(one).length,
    0,
  );
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
