import { isReserved } from '../ip/special-purpose.ts';
import type { UnixMs } from '../units.ts';
import { type BracketTime, bracketTime } from './bracket-time.ts';
import { candidatesInText, chooseCandidate } from './candidates-in-text.ts';
import { CLIENT_RANK, clientRank } from './client-rank.ts';
import type { LineLayout } from './line-layout.ts';
import { LineReader } from './line-reader.ts';
import { type Span, timeIn, writtenTime } from './time-in.ts';

const TAB = 9;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const OPEN = 91;
const CLOSE = 93;
const BACKSLASH = 92;
const decoder = new TextDecoder();

/**
 * Reads lines whose address is a word of its own: access logs, and lists of addresses. A text in quotes or
 * brackets is one word.
 */
export class WordReader extends LineReader {
  readonly #word: number;
  readonly #timeWord: number | undefined;
  readonly #clockWord: number | undefined;
  readonly #now: UnixMs | undefined;
  readonly #isSought: boolean;
  readonly #bracketTime: BracketTime = bracketTime();
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;

  constructor({ address, time, clock, now, isNamed, words, doubt }: LineLayout) {
    super(doubt);
    this.#word = typeof address === 'number' ? address : 0;
    this.#timeWord = typeof time === 'number' ? time : undefined;
    this.#clockWord = clock;
    this.#now = now;
    this.#isSought = isNamed !== true && clientRank([words?.[this.#word] ?? '']) > CLIENT_RANK.client;
  }

  read(bytes: Uint8Array, from: number): number {
    const next = this.endLine(bytes, from);
    const { end } = this;
    this.#bytes = bytes;
    this.#from = from;
    const at = this.#startOf(this.#word);
    let to = wordEnd(bytes, at, end);
    while (bytes[to - 1] === COMMA && to < end) to = wordEnd(bytes, skipBlanks(bytes, to, end), end);
    const isQuoted = to > at + 1 && bytes[at] === QUOTE && bytes[to - 1] === QUOTE;
    this.takeAddress(bytes, isQuoted ? at + 1 : at, isQuoted ? to - 1 : to);
    if (this.#isSought && (!this.hasAddress || isReserved(this.address)))
      this.#takeNamed(decoder.decode(bytes.subarray(from, end)));
    return next;
  }

  /**
   * Takes the word of the layout, else the first text in brackets that is a time, `[22/Nov/2026:08:00:00
   * +0000]` in access logs, else one that `writtenTime` finds.
   */
  time(): UnixMs | undefined {
    const [time, clock] = [this.#timeWord, this.#clockWord].map((at) => (at === undefined ? at : this.#spanOf(at)));
    if (time !== undefined) return timeIn(this.#bytes, time, clock);
    return (
      this.#bracketTime(this.#bytes, this.#from, this.end) ?? writtenTime(this.#bytes, this.#from, this.end, this.#now)
    );
  }

  /** A line of another form, or with a proxy's private address, is read by its format or its names. */
  #takeNamed(line: string): void {
    const taken = chooseCandidate(candidatesInText(line), CLIENT_RANK.remote)?.taken;
    if (taken === undefined) return;
    this.address.take(taken.address);
    this.hasAddress = true;
  }

  #spanOf(word: number): Span {
    const from = this.#startOf(word);
    const to = wordEnd(this.#bytes, from, this.end);
    const isQuoted = to > from + 1 && this.#bytes[from] === QUOTE && this.#bytes[to - 1] === QUOTE;
    return isQuoted ? [from + 1, to - 1] : [from, to];
  }

  #startOf(word: number): number {
    let at = skipBlanks(this.#bytes, this.#from + markLength(this.#bytes, this.#from), this.end);
    for (let before = 0; before < word; before++)
      at = skipBlanks(this.#bytes, wordEnd(this.#bytes, at, this.end), this.end);
    return at;
  }
}

const markLength = (bytes: Uint8Array, at: number): number =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
}

/**
 * Returns the end of the word that begins here. A quote or bracket that is not closed does not hold words
 * together.
 */
function wordEnd(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from];
  const closed =
    first === QUOTE ? closing(bytes, from, to, QUOTE) : first === OPEN ? closing(bytes, from, to, CLOSE) : -1;
  if (closed >= 0) return closed;
  let at = from;
  while (at < to && bytes[at] !== SPACE && bytes[at] !== TAB) at++;
  return at;
}

function closing(bytes: Uint8Array, from: number, to: number, close: number): number {
  for (let at = from + 1; at < to; at++) {
    if (bytes[at] === close) return at + 1;
    if (bytes[at] === BACKSLASH) at++;
  }
  return -1;
}
