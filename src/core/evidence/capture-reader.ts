import { RISK_TYPES } from '../../contract/risk.ts';
import { isTimeName, plainName } from '../csv/column-names.ts';
import { isSeparatorLine, splitRow } from '../csv/split-row.ts';
import { POOLS_MAX } from '../feeds/feed.ts';
import { mayBeTime, readTime } from '../feeds/read-time.ts';
import type { Prefix } from '../ip/address.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import { type CheckedRow, checkRow, type RowSchema } from '../kit/check-row.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { type Said, said } from '../texts/said.ts';
import type { UnixMs } from '../units.ts';
import { CaptureBatchBuilder, SOURCE_TYPE } from './capture-batch-builder.ts';
import { refusePrefix } from './intake-refusals.ts';
import { hasAddress, listHeader, listLine, namedFields, needsListLine } from './list-line.ts';
import type { CaptureBatch } from './observation.ts';
import { parseRfc3339 } from './parse-rfc3339.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import type { SensorDetail } from './sensor-columns.ts';

export type CaptureFormat = 'plain' | 'csv' | 'ndjson';

/**
 * Returns the reason to refuse a row about a prefix, or undefined. It must not keep its arguments. @param
 * type index of RISK_TYPES, or SOURCE_TYPE
 */
export type RefuseRow = (prefix: Prefix, type: number) => string | undefined;

export interface CaptureReaderOptions {
  readonly format?: CaptureFormat;
  readonly linesMax?: number;
  readonly refuse?: RefuseRow;
  readonly ignoreTimes?: boolean;
}

export interface LineRefusal {
  count: number;
  readonly firstLines: number[];
}

const FIRST_LINES = 3;
/** Longer lines are refused, so that a file without line ends cannot use up memory. */
const LINE_MAX = 64 * 1024;

const NEWLINE = 10;
const DECODER = new TextDecoder();
const TYPE_NUMBERS: ReadonlyMap<string, number> = new Map(RISK_TYPES.map((type, number) => [type, number]));
const PREFIX_MAX = 64;
const TIME_MIN = 6;
const SHAPES_MAX = 100;
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
 * Reads captures from chunks of bytes. It accepts lists of addresses, prefixes and ranges (`#`, `;` and `//`
 * begin comments), CSV with a header that names an address and maybe other fields, and one JSON object per
 * line. The first line with content decides the format, unless the sender names it; then only names and times
 * of the intake are valid. A row whose time cannot be read is refused, because it would be dated now. A bad
 * line is refused with a reason and its number, and reading continues.
 */
export class CaptureReader {
  readonly refused = new Map<string, LineRefusal>();
  lines = 0;
  overflowed = false;
  fault: Said | undefined;
  unreadColumns: readonly string[] = [];
  begun = false;
  readonly #linesMax: number;
  readonly #refuseRow: RefuseRow;
  #format: CaptureFormat | undefined;
  readonly #isStrict: boolean;
  readonly #ignoreTimes: boolean;
  #separator = ',';
  #columns: readonly string[] = [];
  #places: readonly (readonly [name: keyof CaptureFields, column: number])[] = [];
  #dayAndClock: readonly [day: number, clock: number] | undefined;
  #otherColumns: readonly number[] = [];
  readonly #shapes = new Map<string, ReturnType<typeof namedFields>>();
  #comment = '';
  #possibleHeader: string | undefined;
  #headers = 0;
  #rest: Uint8Array = new Uint8Array(0);
  #skipping = false;
  #builder = new CaptureBatchBuilder();
  readonly #scanner = new PrefixScanner();
  readonly #pools = new Set<string>();
  readonly #ascii = new Uint8Array(PREFIX_MAX);

  /**
   * @param options.format form of the lines named by the sender; by default the first line decides
   * @param options.linesMax most lines, without the CSV header
   * @param options.refuse returns the reason to refuse a row, beyond the rules for all captures
   * @param options.ignoreTimes accepts rows whose times are in a place that is not read
   */
  constructor({
    format,
    linesMax = Number.POSITIVE_INFINITY,
    refuse = () => undefined,
    ignoreTimes = false,
  }: CaptureReaderOptions = {}) {
    this.#format = format;
    this.#isStrict = format !== undefined;
    this.#ignoreTimes = ignoreTimes;
    this.#refuseRow = refuse;
    this.#linesMax = linesMax;
  }

  get pending(): number {
    return this.#builder.length;
  }

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
    for (let end = bytes.indexOf(NEWLINE); end >= 0 && !this.#isOver; end = bytes.indexOf(NEWLINE, from)) {
      this.#line(bytes, from, end);
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    if (this.#rest.length <= LINE_MAX) return;
    if (!this.#skipping) this.#refuse('line_too_long', this.lines + 1);
    this.#skipping = true;
    this.#rest = new Uint8Array(0);
  }

  end(): void {
    if (this.#rest.length > 0 || this.#skipping) this.#line(this.#rest, 0, this.#rest.length);
    this.#rest = new Uint8Array(0);
    if (this.#possibleHeader !== undefined) this.#refuse('not_an_address');
    this.#possibleHeader = undefined;
  }

  get #isOver(): boolean {
    return this.overflowed || this.fault !== undefined;
  }

  #line(bytes: Uint8Array, lineFrom: number, lineTo: number): void {
    if (this.#isOver) return;
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
    if (from === to) return;
    if (bytes[from] === 35 || bytes[from] === 59 || (bytes[from] === 47 && bytes[from + 1] === 47)) {
      if (!this.begun) this.#comment = DECODER.decode(bytes.subarray(from, to));
      return;
    }
    if (!this.begun && this.#begin(DECODER.decode(bytes.subarray(from, to)))) return;
    if (this.#possibleHeader !== undefined && this.#isHeaderOf(DECODER.decode(bytes.subarray(from, to)))) return;
    if (this.#format === 'plain') this.#plain(bytes, from, to);
    else {
      const reason = this.#named(DECODER.decode(bytes.subarray(from, to)));
      if (reason !== undefined) this.#refuse(reason);
    }
  }

  #begin(line: string): boolean {
    if (!this.#isStrict && isSeparatorLine(line)) return true;
    this.begun = true;
    if (this.#format === 'ndjson' || (!this.#isStrict && line.startsWith('{'))) return this.#beginJson(line);
    if (!this.#isStrict && (this.#comment !== '' || !line.startsWith('['))) {
      const inComment = listHeader(this.#comment.replace(/^[#;/\s]+/, ''));
      if (
        inComment !== undefined &&
        inComment.names.length > 1 &&
        splitRow(line, inComment.separator).length === inComment.names.length &&
        hasAddress(line)
      )
        return this.#beginCsv(inComment.separator, inComment.names);
    }
    const header = this.#isStrict ? { separator: ',', names: splitRow(line, ',') } : listHeader(line);
    if (header !== undefined && this.#format !== 'plain' && namedFields(header.names).places.has('ip')) {
      this.#headers = 1;
      this.#beginCsv(header.separator, header.names);
      return true;
    }
    if (!this.#isStrict) this.fault = otherContent(line);
    this.#format ??= 'plain';
    if (!this.#isStrict && !hasAddress(line) && /\p{L}/u.test(line) && !/^[\w-]+(?:\.[\w-]+)+\.?$/.test(line))
      this.#possibleHeader = line;
    return this.#possibleHeader !== undefined || this.fault !== undefined;
  }

  #beginJson(line: string): boolean {
    this.#format = 'ndjson';
    if (this.#isStrict) return false;
    const row = parseJson(line);
    const rows = isRecord(row) && !namedFields(Object.keys(row)).places.has('ip') ? rowsIn(row) : undefined;
    if (rows !== undefined) this.fault = jsonDocument(rows);
    else if (!line.endsWith('}') && row === undefined) this.fault = jsonDocument();
    return this.fault !== undefined;
  }

  #beginCsv(separator: string, names: readonly string[]): boolean {
    this.#format = 'csv';
    this.#separator = separator;
    this.#columns = names;
    const plain = names.map(plainName);
    const { places, rivals } = namedFields(this.#isStrict ? names.map(strictName) : names);
    if (rivals !== undefined && !this.#isStrict)
      this.fault = said('columns {names} may each be the address: name the one that is meant ip', {
        names: rivals.join(', '),
      });
    this.#places = FIELDS.flatMap((field) => {
      const named = places.get(field as 'ip');
      const column = named ?? (field in TIME_FIELDS || field === 'ip' ? -1 : plain.indexOf(field));
      return column < 0 ? [] : [[field, column] as const];
    });
    const [day, clock] = [plain.indexOf('date'), plain.indexOf('time')];
    this.#dayAndClock = day >= 0 && clock >= 0 && !this.#isStrict ? [day, clock] : undefined;
    const read = new Set(this.#places.map(([, column]) => column));
    this.#otherColumns = names.flatMap((_, column) => (read.has(column) ? [] : [column]));
    this.unreadColumns = this.#otherColumns.map((column) => names[column]!).filter((name) => name !== '');
    return false;
  }

  #isHeaderOf(line: string): boolean {
    const suspect = this.#possibleHeader!;
    this.#possibleHeader = undefined;
    if (hasAddress(line))
      this.fault = said(
        'line {line} names no address and the next one has one: {text}. Name the column of the addresses ip, that of their times captured_at',
        {
          line: this.lines - 1,
          text: suspect.slice(0, 100),
        },
      );
    else this.#refuse('not_an_address', this.lines - 1);
    return this.fault !== undefined;
  }

  #plain(bytes: Uint8Array, from: number, to: number): void {
    let end = from;
    while (end < to && !endsWord(bytes[end]!)) end++;
    const scanner = this.#scanner;
    const isAlone = scanner.scan(bytes, from, end) && scanner.end === end && !needsListLine(bytes, end, to);
    if (isAlone) this.#addScanned();
    else this.#plainText(DECODER.decode(bytes.subarray(from, to)));
  }

  #plainText(text: string): void {
    const { prefixes, refused } = listLine(text, this.#ignoreTimes);
    for (const reason of refused) this.#refuse(reason);
    for (const { family, w0, w1, w2, w3, bits } of prefixes) {
      Object.assign(this.#scanner, { family, w0, w1, w2, w3, bits });
      this.#addScanned();
    }
  }

  #addScanned(): void {
    const scanner = this.#scanner;
    const fault = this.#refusalOf(SOURCE_TYPE);
    if (fault !== undefined) this.#refuse(fault);
    else if (scanner.family === 4) this.#builder.addIpv4(scanner.w0, scanner.bits);
    else this.#builder.add(prefixOf(scanner));
  }

  #named(line: string): string | undefined {
    const fields = this.#format === 'csv' ? this.#csvFields(line) : this.#jsonFields(parseJson(line));
    if (typeof fields === 'string') return fields;
    const { ip, risk_type: riskType, pool } = fields;
    if (ip === undefined || !this.#scansCell(ip)) return 'not_an_address';
    const type = riskType === undefined ? SOURCE_TYPE : TYPE_NUMBERS.get(riskType);
    if (type === undefined) return 'unknown_risk_type';
    const times = timesOf(fields, this.#isStrict ? parseRfc3339 : timeOf);
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

  #scansCell(text: string): boolean {
    if (this.#scans(text)) return true;
    if (this.#isStrict) return false;
    const { prefixes, refused } = listLine(text, true);
    if (prefixes.length !== 1 || refused.length > 0) return false;
    Object.assign(this.#scanner, prefixes[0]);
    return true;
  }

  #refusalOf(type: number): string | undefined {
    return refusePrefix(this.#scanner) ?? this.#refuseRow(this.#scanner, type);
  }

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

  #append(type: number, pool: string | undefined, { first, last }: RowTimes, detail: SensorDetail | undefined): void {
    const { family, w0, w1, w2, w3, bits } = this.#scanner;
    const builder = this.#builder;
    // The reader limits the pools of a body to fewer than a batch can hold.
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

  #csvFields(line: string): CaptureFields | string {
    const cells = splitRow(line, this.#separator);
    if (this.#columns.length === 0 || cells.length !== this.#columns.length) return 'not_csv';
    const fields: Partial<Record<keyof CaptureFields, string>> = {};
    for (const [name, column] of this.#places) if (cells[column] !== '') fields[name] = cells[column]!;
    if (this.#dayAndClock !== undefined)
      joinDay(fields, this.#dayAndClock.map((column) => cells[column]!) as [string, string]);
    if (
      fields.captured_at === undefined &&
      !this.#ignoreTimes &&
      (this.#places.some(([name]) => name === 'captured_at') ||
        this.#otherColumns.some((column) => isTime(this.#columns[column]!, cells[column])))
    )
      return 'unread_time';
    return fields as CaptureFields;
  }

  #jsonFields(value: unknown): CaptureFields | string {
    if (!isRecord(value)) return 'not_json';
    const named = this.#isStrict ? value : this.#renamed(value);
    if (typeof named === 'string') return named;
    const fields = checkRow(named, NDJSON_ROW) ?? 'not_json';
    if (typeof fields === 'string' || this.#ignoreTimes) return fields;
    if (fields.captured_at !== undefined || fields.first_captured_at !== undefined) return fields;
    return hasTime(value) ? 'unread_time' : fields;
  }

  #renamed(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | string {
    if (Object.hasOwn(row, 'ip') && typeof row['captured_at'] === 'string') return row;
    const names = Object.keys(row);
    const shape = names.join('\0');
    const known = this.#shapes.get(shape);
    const { places, rivals } = known ?? namedFields(names);
    if (known === undefined && this.#shapes.size < SHAPES_MAX)
      this.#shapes.set(shape, { places, ...(rivals && { rivals }) });
    if (rivals !== undefined) return 'several_addresses';
    const named: Record<string, unknown> = { ...row };
    for (const [field, place] of places) {
      const found = row[names[place]!];
      named[field] = field !== 'ip' && typeof found === 'number' ? String(found) : found;
    }
    return named;
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

const TIME_FIELDS = { captured_at: true, first_captured_at: true };

function strictName(name: string): string {
  const lower = name.toLowerCase();
  return STRICT_NAMES.has(lower) ? lower : '';
}

const STRICT_NAMES = new Set(['ip', 'address', 'prefix', 'cidr', 'network', 'captured_at', 'first_captured_at']);

const timeOf = (text: string): UnixMs | undefined => parseRfc3339(text) ?? readTime(text);

function joinDay(fields: Partial<Record<keyof CaptureFields, string>>, [day, clock]: readonly [string, string]): void {
  const at = fields.captured_at;
  if ((at === day || at === clock) && /^\d{1,2}:\d\d/.test(clock)) fields.captured_at = `${day} ${clock}`;
}

const isTime = (name: string, text = ''): boolean =>
  text !== '' && (isTimeName(name) || (text.length > TIME_MIN && mayBeTime(text)));

const DEPTH_MAX = 3;

const hasTime = (row: Readonly<Record<string, unknown>>, depth = 0): boolean =>
  Object.entries(row).some(([name, value]) => {
    // A time that its sender does not know is not now.
    if (value === null) return isTimeName(name);
    if (typeof value === 'string' || typeof value === 'number') return isTime(name, String(value));
    return isRecord(value) && depth < DEPTH_MAX && hasTime(value, depth + 1);
  });

const jsonDocument = (path = '.'): Said =>
  said('it is a JSON document; one object per line is read: jq -c {rows} FILE | pulse … -', { rows: `${path}[]` });

function rowsIn(document: Readonly<Record<string, unknown>>, path = '', depth = 0): string | undefined {
  for (const [name, value] of Object.entries(document)) {
    const at = /^[a-z_]\w*$/i.test(name) ? `${path}.${name}` : `${path || '.'}[${JSON.stringify(name)}]`;
    if (Array.isArray(value) && hasAddress(JSON.stringify(value[0] ?? ''))) return at;
    const inside = isRecord(value) && depth < DEPTH_MAX ? rowsIn(value, at, depth + 1) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function otherContent(line: string): Said | undefined {
  if (/^<(?:!doctype|!--|\?xml|[a-z][\w:-]*[\s>])/i.test(line))
    return said('it is an HTML or XML document, not a list');
  return /^\[\s*(?:[{"]|$)/.test(line) ? jsonDocument() : undefined;
}

interface RowTimes {
  readonly first: UnixMs | undefined;
  readonly last: UnixMs | undefined;
}

function timesOf(
  { captured_at, first_captured_at }: CaptureFields,
  read: (text: string) => UnixMs | undefined,
): RowTimes | string {
  const last = captured_at === undefined ? undefined : read(captured_at);
  const first = first_captured_at === undefined ? undefined : read(first_captured_at);
  if ((captured_at !== undefined && last === undefined) || (first_captured_at !== undefined && first === undefined))
    return 'not_a_time';
  if ((first ?? 0) < 0 || (last ?? 0) < 0) return 'not_a_time';
  if (first !== undefined && (last === undefined || first > last)) return 'first_after_last';
  return { first, last };
}

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

function wholeNumber(text: string, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}

const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13;
const endsWord = (byte: number): boolean => isBlank(byte) || byte === 35 || byte === 44 || byte === 59 || byte === 124;

const prefixOf = ({ family, w0, w1, w2, w3, bits }: PrefixScanner) => ({ family, w0, w1, w2, w3, bits });

/** Accepts names that every store keeps unchanged: PostgreSQL refuses U+0000 and lone surrogates in a text. */
const isPoolName = (text: string): boolean => text.length <= POOL_MAX && text.isWellFormed() && !/\p{Cc}/u.test(text);
