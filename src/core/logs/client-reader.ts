import { parseRecord } from '../kit/json.ts';
import type { UnixMs } from '../units.ts';
import { type Candidate, candidatesIn, candidatesInText, chooseCandidate, doubtOf } from './candidates-in-text.ts';
import { jsonTime } from './json-time.ts';
import type { LineLayout } from './line-layout.ts';
import { addDoubts, LineReader } from './line-reader.ts';
import { lineTime } from './time-in.ts';

const CLOSE = 125;
const decoder = new TextDecoder();

/**
 * Finds the client in each record by itself: in lines of text by the table of formats and by names, in JSON
 * objects by the names of their members.
 */
export class ClientReader extends LineReader {
  readonly #layout: LineLayout;
  #text = '';
  #object: Readonly<Record<string, unknown>> | undefined;

  constructor(layout: LineLayout) {
    super();
    this.#layout = layout;
  }

  read(bytes: Uint8Array, from: number): number {
    const next = this.endLine(bytes, from);
    this.#text = decoder.decode(bytes.subarray(from, this.end));
    const isObject = this.#layout.format === 'ndjson';
    this.#object = isObject ? parseRecord(this.#text) : undefined;
    const taken = this.#choose(isObject ? candidatesIn(this.#object) : candidatesInText(this.#text));
    this.hasAddress = taken !== undefined;
    this.insertAt = this.end;
    if (taken === undefined) return next;
    this.address.take(taken.address);
    if (isObject) this.insertAt = bytes.lastIndexOf(CLOSE, this.end - 1);
    return next;
  }

  #choose(candidates: readonly Candidate[]): Candidate | undefined {
    const { address, rankMax } = this.#layout;
    if (typeof address === 'object') {
      const sought = address.join('.').toLowerCase();
      return candidates.find(({ name }) => name.toLowerCase() === sought);
    }
    const choice = chooseCandidate(candidates, rankMax);
    if (choice !== undefined) this.doubts = addDoubts(this.doubts, doubtOf(choice, rankMax));
    return choice?.taken;
  }

  time(): UnixMs | undefined {
    const { now } = this.#layout;
    return this.#layout.format === 'ndjson' ? this.#object && jsonTime(this.#object, now) : lineTime(this.#text, now);
  }
}
