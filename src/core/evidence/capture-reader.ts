import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { type CheckedRow, checkRow, type RowSchema } from '../check-row.ts';
import { splitRow } from '../csv/split-row.ts';
import { POOLS_MAX } from '../feeds/feed.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import { CaptureBatchBuilder } from './capture-batch-builder.ts';
import type { CaptureBatch } from './observation.ts';
import { parseRfc3339 } from './parse-rfc3339.ts';
import { refusePrefix } from './refuse-prefix.ts';

export type CaptureFormat = 'plain' | 'csv' | 'ndjson';

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
const ENCODER = new TextEncoder();
const ADDRESS_COLUMNS = ['ip', 'address', 'prefix', 'cidr', 'network'];
/** Longest name of a pool, characters. */
const POOL_MAX = 256;

const NDJSON_ROW = {
  ip: ['text', 'not_an_address'],
  risk_type: ['text', 'unknown_risk_type'],
  captured_at: ['text', 'not_a_time'],
  pool: ['scalar', 'not_a_pool'],
} as const satisfies RowSchema;

/**
 * Reads captures from bytes that come in pieces: plain lists (one address or prefix a line, `#` and `;` begin comments), CSV with a header that names
 * `ip` and maybe `risk_type`, `captured_at`, `pool`, or one JSON object a line with those keys. The first line with content decides which.
 * A bad line is refused with a reason and its number; it never ends the reading.
 */
export class CaptureReader {
  readonly refused = new Map<string, LineRefusal>();
  /** Lines seen so far, empty ones and comments included. */
  lines = 0;
  #format: CaptureFormat | undefined;
  #columns: readonly string[] = [];
  #rest: Uint8Array = new Uint8Array(0);
  #skipping = false;
  #builder = new CaptureBatchBuilder();
  readonly #scanner = new PrefixScanner();
  readonly #pools = new Set<string>();

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
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.#line(bytes, from, end);
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    if (this.#rest.length <= LINE_MAX) return;
    if (!this.#skipping) this.#refuse('line_too_long', this.lines + 1);
    this.#skipping = true;
    this.#rest = new Uint8Array(0);
  }

  /** Reads what follows the last line end. */
  end(): void {
    if (this.#rest.length > 0 || this.#skipping) this.#line(this.#rest, 0, this.#rest.length);
    this.#rest = new Uint8Array(0);
  }

  #line(bytes: Uint8Array, lineFrom: number, lineTo: number): void {
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
    if (this.#format === undefined && this.#begin(DECODER.decode(bytes.subarray(from, to)))) return;
    if (this.#format === 'plain') this.#plain(bytes, from, to);
    else {
      const reason = this.#named(DECODER.decode(bytes.subarray(from, to)));
      if (reason !== undefined) this.#refuse(reason);
    }
  }

  /** @returns true when the line was a header */
  #begin(line: string): boolean {
    if (line.startsWith('{')) this.#format = 'ndjson';
    else {
      const names = splitRow(line.replace(/^\uFEFF/, ''), ',').map((name) => name.toLowerCase());
      this.#format = names.some((name) => ADDRESS_COLUMNS.includes(name)) ? 'csv' : 'plain';
      if (this.#format === 'csv') this.#columns = names;
    }
    return this.#format === 'csv';
  }

  #plain(bytes: Uint8Array, from: number, to: number): void {
    let end = from;
    while (end < to && !isBlank(bytes[end]!) && bytes[end] !== 35 && bytes[end] !== 59) end++;
    const scanner = this.#scanner;
    const fault = scanner.scan(bytes, from, end) && scanner.end === end ? refusePrefix(this.#scanner) : 'not_an_address';
    if (fault !== undefined) this.#refuse(fault);
    else if (scanner.family === 4) this.#builder.addIpv4(scanner.w0, scanner.bits);
    else this.#builder.add(prefixOf(scanner));
  }

  /** @returns why the row is refused; undefined when it was taken */
  #named(line: string): string | undefined {
    const fields = this.#format === 'csv' ? this.#csvFields(line) : jsonFields(line);
    if (typeof fields === 'string') return fields;
    const { ip, risk_type: riskType, captured_at: capturedAt, pool } = fields;
    const bytes = ENCODER.encode(ip);
    if (bytes.length === 0 || !this.#scanner.scan(bytes, 0, bytes.length) || this.#scanner.end !== bytes.length) return 'not_an_address';
    if (riskType !== undefined && !RISK_TYPES.includes(riskType as RiskType)) return 'unknown_risk_type';
    const at = capturedAt === undefined ? undefined : parseRfc3339(capturedAt);
    if (capturedAt !== undefined && at === undefined) return 'not_a_time';
    if (pool !== undefined && !isPoolName(pool)) return 'not_a_pool';
    const range = refusePrefix(this.#scanner);
    if (range !== undefined) return range;
    if (pool !== undefined && !this.#mayName(pool)) return 'too_many_pools';
    this.#builder.add(prefixOf(this.#scanner), {
      ...(riskType === undefined ? {} : { riskType: riskType as RiskType }),
      ...(at === undefined ? {} : { capturedAt: at }),
      ...(pool === undefined ? {} : { pool }),
    });
    return undefined;
  }

  #mayName(pool: string): boolean {
    if (!this.#pools.has(pool) && this.#pools.size === POOLS_MAX) return false;
    this.#pools.add(pool);
    return true;
  }

  #csvFields(line: string): CaptureFields | 'not_csv' {
    const cells = splitRow(line, ',');
    if (cells.length !== this.#columns.length) return 'not_csv';
    const cell = (names: readonly string[]): string | undefined => {
      const index = this.#columns.findIndex((name) => names.includes(name));
      const text = index < 0 ? '' : cells[index]!;
      return text === '' ? undefined : text;
    };
    return { ip: cell(ADDRESS_COLUMNS), risk_type: cell(['risk_type']), captured_at: cell(['captured_at']), pool: cell(['pool']) };
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

const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13;

const prefixOf = ({ family, w0, w1, w2, w3, bits }: PrefixScanner) => ({ family, w0, w1, w2, w3, bits });

/** A name that every store keeps as it is: PostgreSQL takes neither U+0000 nor half a surrogate pair in a text. */
const isPoolName = (text: string): boolean => text.length <= POOL_MAX && text.isWellFormed() && !/\p{Cc}/u.test(text);

/** @returns the fields of a line, or why it is refused */
function jsonFields(line: string): CaptureFields | string {
  try {
    return checkRow(JSON.parse(line), NDJSON_ROW) ?? 'not_json';
  } catch {
    return 'not_json';
  }
}
