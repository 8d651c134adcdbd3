import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { parseRecord } from '../kit/json.ts';
import type { UnixMs } from '../units.ts';
import { candidatesIn, candidatesInText, chooseCandidate, doubtOf } from './candidates-in-text.ts';
import { jsonTime } from './json-time.ts';
import type { LineLayout } from './line-layout.ts';
import { addDoubts, chooseAddresses, LineReader } from './line-reader.ts';
import { lineTime } from './time-in.ts';

const CLOSE = 125;
const decoder = new TextDecoder();

/**
 * Finds the client in each record by itself: in lines of text by the table of formats and by names, in JSON
 * objects by the names of their members. With `which`, the addresses count wherever they stand: the first
 * public one, the last, or all. With all, each is a record over the same line, and `read` returns the line's
 * own beginning until the last one.
 */
export class ClientReader extends LineReader {
  readonly #layout: LineLayout;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #text = '';
  #object: Readonly<Record<string, unknown>> | undefined;
  #left: Address[] = [];

  constructor(layout: LineLayout) {
    super();
    this.#layout = layout;
  }

  read(bytes: Uint8Array, from: number): number {
    const goesOn = this.#left.length > 0 && bytes === this.#bytes && from === this.#from;
    const next = this.endLine(bytes, from);
    if (!goesOn) {
      [this.#bytes, this.#from] = [bytes, from];
      this.#text = decoder.decode(bytes.subarray(from, this.end));
      this.#left = this.#addresses();
    }
    const address = this.#left.shift();
    this.hasAddress = address !== undefined;
    if (address !== undefined) this.address.take(address);
    this.insertAt = this.#layout.format === 'ndjson' ? bytes.lastIndexOf(CLOSE, this.end - 1) : this.end;
    return this.#left.length > 0 ? from : next;
  }

  #addresses(): Address[] {
    const { format, which, address, rankMax } = this.#layout;
    if (which !== undefined) return chooseAddresses(findAddresses(this.#text).addresses, which);
    this.#object = format === 'ndjson' ? parseRecord(this.#text) : undefined;
    const candidates = format === 'ndjson' ? candidatesIn(this.#object) : candidatesInText(this.#text);
    if (typeof address === 'object') {
      const sought = address.join('.').toLowerCase();
      return candidates
        .filter(({ name }) => name.toLowerCase() === sought)
        .slice(0, 1)
        .map((one) => one.address);
    }
    const choice = chooseCandidate(candidates, rankMax);
    if (choice === undefined) return [];
    this.doubts = addDoubts(this.doubts, doubtOf(choice, rankMax));
    return [choice.taken.address];
  }

  time(): UnixMs | undefined {
    const { format, now } = this.#layout;
    return format === 'ndjson' ? this.#object && jsonTime(this.#object, now) : lineTime(this.#text, now);
  }
}
