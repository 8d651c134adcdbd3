/**
 * A partition of addresses as a tree of cells, one 32-bit word each, read from the first bits of an address
 * on.
 *
 *   | 00 | number (30)                          |   one range covers the whole cell
 *   | 01 | starts - 1 (2) | position (28)       |   a bucket: 1 to 4 ranges start inside the cell
 *   | 10 | stride - 1 (4) | position / 4 (26)   |   a node: 2^stride cells, chosen by the next `stride` bits
 *   | 11 | number (30)                          |   as 00, for the reader's own use (IPv6: ranges start
 *   inside this /64)
 *
 * The root is a node of 65,536 cells at position 0. A bucket holds the number at the cell's start. For each
 * start inside it follow the 32 address bits after the cell's prefix and the number from there on. Nodes
 * begin at multiples of 4. Targets of cells are in address order: a node precedes the targets of its cells,
 * with nothing between but zeros up to the multiple of 4.
 *
 * Every step is a dependent memory access, so there are few: two for most addresses, three for nearly all.
 */
export const ROOT_BITS = 16;
export const BUCKET = 0x4000_0000;
export const NODE = 0x8000_0000;
export const MARKED = 0xc000_0000;
const BUCKET_STARTS = 4;
const STRIDE_MAX = 16;
/** A node fills at least one cache line, so that starts with many common bits are not reached bit by bit. */
const STRIDE_MIN = 4;
/** The largest table has 1 GiB. */
const WORDS_MAX = 2 ** 28;
/**
 * Cost of a start without a cell of its own, in bytes: a bucket takes about 12 and costs one more memory
 * access. Larger makes nodes wider. Measured with the world's city data (bench/lookup.ts): 12 saves a tenth
 * of the size and costs a fifth of the time.
 */
const START_COST = 24;

/** Starts ascend: the first 32 bits, and for IPv6 the second. The first one is 0. */
export interface CellRanges {
  readonly count: number;
  readonly w0: Uint32Array;
  readonly w1: Uint32Array | undefined;
  readonly cells: Uint32Array;
}

/** Returns the number in a bucket at the 32 bits after its cell's prefix. */
export function numberAt(cells: Uint32Array, bucket: number, bits: number): number {
  return cells[inForce(cells, bucket, bits)]!;
}

/**
 * Returns the first start of a bucket after these bits, as the 32 bits after its cell's prefix; undefined
 * where none follows.
 */
export function nextStart(cells: Uint32Array, bucket: number, bits: number): number | undefined {
  const at = inForce(cells, bucket, bits);
  return at === endOf(bucket) ? undefined : cells[at + 1];
}

const endOf = (bucket: number): number => (bucket & 0xfff_ffff) + 2 * (((bucket >>> 28) & 3) + 1);

function inForce(cells: Uint32Array, bucket: number, bits: number): number {
  let at = bucket & 0xfff_ffff;
  const last = endOf(bucket);
  while (at < last && cells[at + 1]! <= bits) at += 2;
  return at;
}

/** @throws RangeError for starts out of order, or past the format's size */
export function encodeCells(ranges: CellRanges): Uint32Array {
  const { count, w0, w1, cells } = ranges;
  for (let i = 0; i < count; i++) {
    const order = i === 0 ? 1 : w0[i]! - w0[i - 1]! || (w1 === undefined ? 0 : w1[i]! - w1[i - 1]!);
    if (order <= 0) throw new RangeError(`range ${i} does not start after the one before`);
    if (cells[i]! >= BUCKET && cells[i]! < MARKED) throw new RangeError(`range ${i} has a number of more than 30 bits`);
  }
  if (count === 0 || w0[0] !== 0 || (w1 !== undefined && w1[0] !== 0))
    throw new RangeError('the first range does not start at 0');
  return new CellWriter(ranges).write();
}

class CellWriter {
  readonly #count: number;
  readonly #w0: Uint32Array;
  readonly #w1: Uint32Array;
  readonly #values: Uint32Array;
  readonly #bits: 32 | 64;
  /** A start's length is that of the shortest prefix that begins there. */
  readonly #lengths: Uint8Array;
  readonly #byLength = new Uint32Array(65);
  #words: Uint32Array;
  #used = 0;

  constructor({ count, w0, w1, cells }: CellRanges) {
    this.#count = count;
    this.#w0 = w0;
    // Without a second half the first replaces it: no bit past 32 is ever read.
    this.#w1 = w1 ?? w0;
    this.#values = cells;
    this.#bits = w1 === undefined ? 32 : 64;
    this.#lengths = prefixLengths(count, w0, w1);
    // This exceeds the size of most trees. Unwritten memory costs nothing; growing copies.
    this.#words = new Uint32Array(2 ** ROOT_BITS + 4 * count);
  }

  write(): Uint32Array {
    this.#fill(this.#reserve(2 ** ROOT_BITS), 0, ROOT_BITS, 0, this.#count, 0);
    return this.#words.subarray(0, this.#used);
  }

  #fill(at: number, depth: number, stride: number, from: number, to: number, value: number): void {
    const values = this.#values;
    const inside = depth + stride;
    let cell = 0;
    for (let first = from; first < to; ) {
      const start = this.#cellOf(first, depth, stride);
      for (; cell < start; cell++) this.#words[at + cell] = value;
      let next = first + 1;
      while (next < to && this.#cellOf(next, depth, stride) === start) next++;
      if (this.#lengths[first]! <= inside) value = values[first++]!;
      // The words may move while inner nodes are written.
      const word = first === next ? value : this.#inside(inside, first, next, value);
      this.#words[at + start] = word;
      value = values[next - 1]!;
      cell = start + 1;
      first = next;
    }
    this.#words.fill(value, at + cell, at + 2 ** stride);
  }

  #cellOf(i: number, depth: number, stride: number): number {
    if (depth >= 32) return (this.#w1[i]! << depth) >>> (32 - stride);
    const inside = depth + stride;
    const high = (this.#w0[i]! << depth) >>> (32 - stride);
    return inside <= 32 ? high : high | (this.#w1[i]! >>> (64 - inside));
  }

  #inside(depth: number, from: number, to: number, value: number): number {
    if (to - from <= BUCKET_STARTS && this.#fit(depth, from, to)) return this.#bucket(depth, from, to, value);
    const stride = this.#stride(depth, from, to);
    this.#used = (this.#used + 3) & ~3;
    const at = this.#reserve(2 ** stride);
    this.#fill(at, depth, stride, from, to, value);
    return (NODE | ((stride - 1) << 26) | (at / 4)) >>> 0;
  }

  #bucket(depth: number, from: number, to: number, value: number): number {
    const first = this.#reserve(1 + 2 * (to - from));
    const words = this.#words;
    let at = first;
    words[at++] = value;
    for (let i = from; i < to; i++) {
      words[at++] = this.#bits === 32 ? this.#w0[i]! << depth : bitsAfter(this.#w0[i]!, this.#w1[i]!, depth);
      words[at++] = this.#values[i]!;
    }
    return BUCKET | ((to - from - 1) << 28) | first;
  }

  /**
   * Chooses the stride with the cheapest cells and overflow, at least about a cell a start. Starts far below
   * would otherwise make no stride look worth its cells and be reached four bits at a time.
   */
  #stride(depth: number, from: number, to: number): number {
    const lengths = this.#lengths;
    const byLength = this.#byLength.fill(0);
    for (let i = from; i < to; i++) byLength[lengths[i]!]! += 1;
    const most = Math.min(STRIDE_MAX, this.#bits - depth);
    let inside = to - from;
    let best = Math.min(Math.max(STRIDE_MIN, 31 - Math.clz32(inside)), most);
    for (let stride = 1; stride < best; stride++) inside -= byLength[depth + stride]!;
    let least = Number.POSITIVE_INFINITY;
    for (let stride = best; stride <= most && 4 * 2 ** stride < least; stride++) {
      inside -= byLength[depth + stride]!;
      const cost = 4 * 2 ** stride + START_COST * inside;
      if (cost < least) {
        least = cost;
        best = stride;
      }
    }
    return best;
  }

  #fit(depth: number, from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (this.#lengths[i]! > depth + 32) return false;
    return true;
  }

  #reserve(words: number): number {
    const at = this.#used;
    this.#used += words;
    if (this.#used > WORDS_MAX) throw new RangeError('a range table exceeds 1 GiB');
    if (this.#used > this.#words.length) {
      const larger = new Uint32Array(Math.max(this.#used, 2 * this.#words.length));
      larger.set(this.#words);
      this.#words = larger;
    }
    return at;
  }
}

function prefixLengths(count: number, w0: Uint32Array, w1: Uint32Array | undefined): Uint8Array {
  const lengths = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const low = w1 === undefined ? 0 : w1[i]!;
    const word = low === 0 ? w0[i]! : low;
    lengths[i] = word === 0 ? 0 : (low === 0 ? 32 : 64) - 31 + Math.clz32(word & -word);
  }
  return lengths;
}

/** Zeros stand past the number's end. @param depth 0 to 63 */
function bitsAfter(w0: number, w1: number, depth: number): number {
  return (depth < 32 ? (w0 << depth) | ((w1 >>> 1) >>> (31 - depth)) : w1 << depth) >>> 0;
}

/** Walks the tree in address order. @param visit start of a range, its cell @returns the first fault */
export function walkCells(
  words: Uint32Array,
  bits: 32 | 64,
  visit: (w0: number, w1: number, cell: number) => void,
): string | undefined {
  let next = 2 ** ROOT_BITS;
  const walk = (at: number, stride: number, depth: number, w0: number, w1: number): string | undefined => {
    const inside = depth + stride;
    // A power in the loop's condition would cost more than the rest of a step.
    const cells = 2 ** stride;
    let before = NODE;
    for (let i = 0; i < cells; i++) {
      const cell = words[at + i]!;
      if (cell === before && cell < BUCKET) continue;
      before = cell;
      const start0 = depth < 32 ? (w0 | (inside <= 32 ? i << (32 - inside) : i >>> (inside - 32))) >>> 0 : w0;
      const start1 = inside <= 32 ? 0 : (w1 | (i << (64 - inside))) >>> 0;
      if (cell < BUCKET || cell >= MARKED) visit(start0, start1, cell);
      else {
        const fault = cell < NODE ? bucket(cell, inside, start0, start1) : node(cell, inside, start0, start1);
        if (fault !== undefined) return fault;
      }
    }
  };
  const node = (cell: number, depth: number, w0: number, w1: number): string | undefined => {
    const at = 4 * (cell & 0x3ff_ffff);
    const stride = ((cell >>> 26) & 15) + 1;
    next = (next + 3) & ~3;
    if (at !== next || depth + stride > bits)
      return `a node of ${stride} bits at word ${at}, after ${next} words and ${depth} bits`;
    next += 2 ** stride;
    return next > words.length ? `the node at word ${at} ends past the table` : walk(at, stride, depth, w0, w1);
  };
  const bucket = (cell: number, depth: number, w0: number, w1: number): string | undefined => {
    const at = cell & 0xfff_ffff;
    if (at !== next) return `a bucket at word ${at}, after ${next} words`;
    const starts = ((cell >>> 28) & 3) + 1;
    next += 1 + 2 * starts;
    if (next > words.length) return `the bucket at word ${at} ends past the table`;
    let before = 0;
    visit(w0, w1, words[at]!);
    for (let i = 0; i < starts; i++) {
      const key = words[at + 1 + 2 * i]!;
      // A start must not have bits past the table's last bit.
      if (key <= before || (depth + 32 > bits && key << (bits - depth) !== 0))
        return `start ${i} of the bucket at word ${at} does not come after the one before`;
      before = key;
      const start0 = depth < 32 ? (w0 | (key >>> depth)) >>> 0 : w0;
      const start1 = depth < 32 ? (bits === 32 ? 0 : key << (32 - depth)) >>> 0 : (w1 | (key >>> (depth - 32))) >>> 0;
      visit(start0, start1, words[at + 2 + 2 * i]!);
    }
  };
  return (
    walk(0, ROOT_BITS, 0, 0, 0) ?? (next === words.length ? undefined : `${words.length} words where ${next} are used`)
  );
}
