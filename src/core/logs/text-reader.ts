import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import type { UnixMs } from '../units.ts';
import type { Which } from './line-format.ts';
import type { LineLayout } from './line-layout.ts';
import { chooseAddresses, LineReader } from './line-reader.ts';
import { writtenTime } from './time-in.ts';

const decoder = new TextDecoder();
/**
 * Reads lines of any text, with addresses anywhere and in any spelling. Of several on a line, the first
 * public one counts (the client of a list of proxies), the last, or all. With all, each is a record over the
 * same line, and `read` returns the line's own beginning until the last one.
 */
export class TextReader extends LineReader {
  readonly #which: Which;
  readonly #now: UnixMs | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #left: Address[] = [];

  constructor({ which = 'first', now }: LineLayout) {
    super();
    this.#which = which;
    this.#now = now;
  }

  read(bytes: Uint8Array, from: number): number {
    const goesOn = this.#left.length > 0 && bytes === this.#bytes && from === this.#from;
    const next = this.endLine(bytes, from);
    if (!goesOn) {
      this.#bytes = bytes;
      this.#from = from;
      this.#left = chooseAddresses(
        findAddresses(decoder.decode(bytes.subarray(from, this.end))).addresses,
        this.#which,
      );
    }
    const address = this.#left.shift();
    this.hasAddress = address !== undefined;
    this.insertAt = this.end;
    if (address !== undefined) this.address.take(address);
    return this.#left.length > 0 ? from : next;
  }

  time(): UnixMs | undefined {
    return writtenTime(this.#bytes, this.#from, this.end, this.#now);
  }
}
