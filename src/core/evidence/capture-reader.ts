import { RISK_TYPES } from '../../contract/risk.ts';
import { splitRow } from '../csv/split-row.ts';
import { POOLS_MAX } from '../feeds/feed.ts';
import type { Prefix } from '../ip/address.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import { type CheckedRow, checkRow, type RowSchema } from '../kit/check-row.ts';
import { parseJson } from '../kit/json.ts';
import type { UnixMs } from '../units.ts';
import { CaptureBatchBuilder, SOURCE_TYPE } from './capture-batch-builder.ts';
import type { CaptureBatch } from './observation.ts';
import { parseRfc3339 } from './parse-rfc3339.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { refusePrefix } from './refuse-prefix.ts';
import type { SensorDetail } from './sensor-columns.ts';

export type CaptureFormat = 'plain' | 'csv' | 'ndjson';

/** Why a row about a prefix is not taken; undefined when it is. It must not keep its arguments. @param type index of RISK_TYPES, or SOURCE_TYPE */
export type RefuseRow = (prefix: Prefix, type: number) => string | undefined;

export interface CaptureReaderOptions {
  readonly format?: CaptureFormat;
  readonly linesMax?: number;
  readonly refuse?: RefuseRow;
}

/** Why lines were refused: how many, and the first few line numbers. */
export interface LineRefusal {
  count: number;
  readonly firstLines: number[];
}

const FIRST_LINES = 3;
/** A line longer than this is refused, so that a file without line ends cannot fill the memory. */
const LINE_MAX = 64 * 1024;

const NEWLINE = 10;
const DECODER = new TextDecoder();
const TYPE_NUMBERS: ReadonlyMap<string, number> = new Map(RISK_TYPES.map((type, number) => [type, number]));
/** A text of more characters is not a prefix; the longest one has fewer than fifty. */
const PREFIX_MAX = 64;
const ADDRESS_COLUMNS = ['ip', 'address', 'prefix', 'cidr', 'network'];
/** Longest name of a pool, characters. */
const POOL_MAX = 256;
const COUNT_MAX = 2 ** 32 - 1;
const PORT_MAX = 65_535;
const ACTOR = /^[A-Za-z0-9_-]{1,64}$/;

const NDJSON_ROW = {
  ip: ['text', 'not_an_address'],
  risk_type: ['text', 'unknown_risk_type'],
  captured_at: ['text', 'not_a_time'],
  pool: ['scalar', 'not_a_pool'],
  first_captured_at: ['text', 'not_a_time'],
  count: ['scalar', 'not_a_count'],
  port: ['scalar', 'not_a_port'],
  protocol: ['text', 'unknown_protocol'],
  actor: ['text', 'not_an_actor'],
} as const satisfies RowSchema;

/**
 * Reads captures from bytes that come in pieces: plain lists (one address or prefix a line, `#` and `;` begin comments), CSV with a header that names
 * `ip` and maybe other fields of a row, or one JSON object a line with those keys. The first line with content decides which, unless the sender says it.
 * A bad line is refused with a reason and its number; it never ends the reading.
 */
export class CaptureReader {
  readonly refused = new Map<string, LineRefusal>();
  /** Lines seen so far, empty ones and comments included. */
  lines = 0;
  /** The bytes have more lines than may be read; the rest is not looked at. */
  overflowed = false;
  readonly #linesMax: number;
  readonly #refuseRow: RefuseRow;
  #format: CaptureFormat | undefined;
  #begun = false;
  /** Columns that the header of CSV names, and where the fields of a row are among them. */
  #columns = 0;
  #places: readonly (readonly [name: keyof CaptureFields, column: number])[] = [];
  #headers = 0;
  #rest: Uint8Array = new Uint8Array(0);
  #skipping = false;
  #builder = new CaptureBatchBuilder();
  readonly #scanner = new PrefixScanner();
  readonly #pools = new Set<string>();
  readonly #ascii = new Uint8Array(PREFIX_MAX);

  /**
   * @param options.format form of the lines as the sender names it; left out: the first one shows it
   * @param options.linesMax lines that are read, without the header of CSV
   * @param options.refuse why a row is not taken, beyond the rules for all captures
   */
  constructor({ format, linesMax = Number.POSITIVE_INFINITY, refuse = () => undefined }: CaptureReaderOptions = {}) {
    this.#format = format;
    this.#refuseRow = refuse;
    this.#linesMax = linesMax;
  }

  /** Rows read and not yet taken. */
  get pending(): number {
    return this.#builder.length;
  }

  /** The rows since the last call. */
  take(): CaptureBatch {
    const batch = this.#builder.build();
    this.#builder = new CaptureBatchBuilder();
    return batch;
  }

  write(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.length);
    }
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0 && !this.overflowed; end = bytes.indexOf(NEWLINE, from)) {
      this.#line(bytes, from, end);
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    if (this.#rest.length <= LINE_MAX) return;
    if (!this.#skipping) this.#refuse('line_too_long', this.lines + 1);
    this.#skipping = true;
    this.#rest = new Uint8Array(0);
  }

  /** Reads the text behind the last line end. */
  end(): void {
    if (this.#rest.length > 0 || this.#skipping) this.#line(this.#rest, 0, this.#rest.length);
    this.#rest = new Uint8Array(0);
  }

  #line(bytes: Uint8Array, lineFrom: number, lineTo: number): void {
    if (this.lines - this.#headers >= this.#linesMax) {
      this.overflowed = true;
      return;
    }
    this.lines++;
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    let from = lineFrom;
    let to = lineTo;
    while (from < to && isBlank(bytes[from]!)) from++;
    while (to > from && isBlank(bytes[to - 1]!)) to--;
    if (from === to || bytes[from] === 35 || bytes[from] === 59) return;
    if (!this.#begun && this.#begin(DECODER.decode(bytes.subarray(from, to)))) return;
    if (this.#format === 'plain') this.#plain(bytes, from, to);
    else {
      const reason = this.#named(DECODER.decode(bytes.subarray(from, to)));
      if (reason !== undefined) this.#refuse(reason);
    }
  }

  /** @returns true when the line was a header */
  #begin(line: string): boolean {
    this.#begun = true;
    if (this.#format === 'ndjson' || (this.#format === undefined && line.startsWith('{'))) {
      this.#format = 'ndjson';
      return false;
    }
    const names = splitRow(line.replace(/^\uFEFF/, ''), ',').map((name) => name.toLowerCase());
    const isHeader = names.some((name) => ADDRESS_COLUMNS.includes(name));
    this.#format ??= isHeader ? 'csv' : 'plain';
    if (!isHeader) return false;
    this.#columns = names.length;
    this.#places = placesOf(names);
    this.#headers = 1;
    return true;
  }

  #plain(bytes: Uint8Array, from: number, to: number): void {
    let end = from;
    while (end < to && !isBlank(bytes[end]!) && bytes[end] !== 35 && bytes[end] !== 59) end++;
    const scanner = this.#scanner;
    const fault =
      scanner.scan(bytes, from, end) && scanner.end === end ? this.#refusalOf(SOURCE_TYPE) : 'not_an_address';
    if (fault !== undefined) this.#refuse(fault);
    else if (scanner.family === 4) this.#builder.addIpv4(scanner.w0, scanner.bits);
    else this.#builder.add(prefixOf(scanner));
  }

  /** @returns why the row is refused; undefined when it was taken */
  #named(line: string): string | undefined {
    const fields =
      this.#format === 'csv' ? this.#csvFields(line) : (checkRow(parseJson(line), NDJSON_ROW) ?? 'not_json');
    if (typeof fields === 'string') return fields;
    const { ip, risk_type: riskType, pool } = fields;
    if (ip === undefined || !this.#scans(ip)) return 'not_an_address';
    const type = riskType === undefined ? SOURCE_TYPE : TYPE_NUMBERS.get(riskType);
    if (type === undefined) return 'unknown_risk_type';
    const times = timesOf(fields);
    if (typeof times === 'string') return times;
    const detail = sensorDetail(fields);
    if (typeof detail === 'string') return detail;
    if (pool !== undefined && !isPoolName(pool)) return 'not_a_pool';
    const refusal = this.#refusalOf(type);
    if (refusal !== undefined) return refusal;
    if (pool !== undefined && !this.#mayName(pool)) return 'too_many_pools';
    this.#append(type, pool, times, detail);
    return undefined;
  }

  #refusalOf(type: number): string | undefined {
    return refusePrefix(this.#scanner) ?? this.#refuseRow(this.#scanner, type);
  }

  /** Whether the text is a prefix and nothing else; then it is the scanner's. */
  #scans(text: string): boolean {
    const { length } = text;
    if (length === 0 || length > PREFIX_MAX) return false;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      this.#ascii[i] = code;
    }
    return this.#scanner.scan(this.#ascii, 0, length) && this.#scanner.end === length;
  }

  /** Takes the row in: a capture at its time, and one at its first time where that is another. */
  #append(type: number, pool: string | undefined, { first, last }: RowTimes, detail: SensorDetail | undefined): void {
    const { family, w0, w1, w2, w3, bits } = this.#scanner;
    const builder = this.#builder;
    // A reader lets a body name fewer pools than a batch can hold.
    const poolId = builder.poolId(pool ?? '')!;
    if (first !== undefined && first !== last) {
      builder.append(family, w0, w1, w2, w3, bits, type, first, poolId);
      builder.addSensor({ ...detail, count: 0 });
    }
    builder.append(family, w0, w1, w2, w3, bits, type, last ?? Number.NaN, poolId);
    if (detail !== undefined) builder.addSensor(detail);
  }

  #mayName(pool: string): boolean {
    if (!this.#pools.has(pool) && this.#pools.size === POOLS_MAX) return false;
    this.#pools.add(pool);
    return true;
  }

  #csvFields(line: string): CaptureFields | 'not_csv' {
    const cells = splitRow(line, ',');
    if (this.#columns === 0 || cells.length !== this.#columns) return 'not_csv';
    const fields: Partial<Record<keyof CaptureFields, string>> = {};
    for (const [name, column] of this.#places) if (cells[column] !== '') fields[name] = cells[column]!;
    return fields as CaptureFields;
  }

  #refuse(reason: string, line = this.lines): void {
    const known = this.refused.get(reason);
    if (known === undefined) this.refused.set(reason, { count: 1, firstLines: [line] });
    else {
      known.count++;
      if (known.firstLines.length < FIRST_LINES) known.firstLines.push(line);
    }
  }
}

type CaptureFields = CheckedRow<typeof NDJSON_ROW>;
const FIELDS = Object.keys(NDJSON_ROW) as readonly (keyof CaptureFields)[];

const placesOf = (columns: readonly string[]): readonly (readonly [keyof CaptureFields, number])[] =>
  FIELDS.flatMap((name) => {
    const column = columns.findIndex((found) => (name === 'ip' ? ADDRESS_COLUMNS.includes(found) : found === name));
    return column < 0 ? [] : [[name, column] as const];
  });

/** When a row was captured: the last time, and the first where the sender folded several into one row. */
interface RowTimes {
  readonly first: UnixMs | undefined;
  readonly last: UnixMs | undefined;
}

/** @returns the times of a row, or why it is refused */
function timesOf({ captured_at, first_captured_at }: CaptureFields): RowTimes | string {
  const last = captured_at === undefined ? undefined : parseRfc3339(captured_at);
  const first = first_captured_at === undefined ? undefined : parseRfc3339(first_captured_at);
  if ((captured_at !== undefined && last === undefined) || (first_captured_at !== undefined && first === undefined))
    return 'not_a_time';
  if (first !== undefined && (last === undefined || first > last)) return 'first_after_last';
  return { first, last };
}

/** @returns a sensor's addition to a row, or why it is refused; undefined when it added nothing */
function sensorDetail({ count, port, protocol, actor }: CaptureFields): SensorDetail | string | undefined {
  if (count === undefined && port === undefined && protocol === undefined && actor === undefined) return undefined;
  const connections = count === undefined ? 1 : wholeNumber(count, COUNT_MAX);
  if (connections === undefined || connections === 0) return 'not_a_count';
  const number = port === undefined ? undefined : wholeNumber(port, PORT_MAX);
  if (port !== undefined && number === undefined) return 'not_a_port';
  if (protocol !== undefined && !PROTOCOLS.includes(protocol as Protocol)) return 'unknown_protocol';
  if (actor !== undefined && !ACTOR.test(actor)) return 'not_an_actor';
  return {
    count: connections,
    ...(number === undefined ? {} : { port: number }),
    ...(protocol === undefined ? {} : { protocol: protocol as Protocol }),
    ...(actor === undefined ? {} : { actor }),
  };
}

/** @returns undefined when the text is not a whole number from 0 to `max` */
function wholeNumber(text: string, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}

const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13;

const prefixOf = ({ family, w0, w1, w2, w3, bits }: PrefixScanner) => ({ family, w0, w1, w2, w3, bits });

/** A name that every store keeps as it is: PostgreSQL takes neither U+0000 nor half a surrogate pair in a text. */
const isPoolName = (text: string): boolean => text.length <= POOL_MAX && text.isWellFormed() && !/\p{Cc}/u.test(text);
