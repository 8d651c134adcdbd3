import { sameName } from '../csv/column-names.ts';
import { isSeparatorLine, splitRow } from '../csv/split-row.ts';
import { bestColumn, columnOf, isMostly, rankOf } from '../logs/best-column.ts';
import { csvSeparator } from '../logs/detect-layout.ts';
import { makeLineReader } from '../logs/make-line-reader.ts';
import { type TextEncoding, textEncoding } from '../logs/plain-text.ts';
import { type Fault, fault } from '../texts/said.ts';
import { type FoundNumber, findNumbers } from './find-numbers.ts';
import { type NumberingPlan, planFor } from './numbering-plan.ts';
import { PLAN_ROWS } from './plan-rows.generated.ts';

export interface PhoneList {
  readonly format: 'csv' | 'tsv' | 'lines';
  /** 0 without cells. With `lines`, numbers may be anywhere in a line. */
  readonly separator: number;
  readonly column: number;
  /** Numbers without + or 00 are of the country in this column. */
  readonly country?: number;
  readonly header: readonly string[] | undefined;
  readonly encoding: TextEncoding;
}

export interface PhoneRecord {
  readonly cells: readonly string[];
  readonly sought: string;
  readonly numbers: readonly FoundNumber[];
}

export interface PhoneListOptions {
  /** A column name, or its number from 1; default: the column with numbers in most rows. */
  readonly field?: string | undefined;
  readonly home?: NumberingPlan | undefined;
}

const NAMES: readonly string[] = [
  'phone', 'mobile', 'phone_number', 'phonenumber', 'phone number', 'mobile_phone', 'mobilephone',
  'mobile phone', 'mobile_number', 'mobile number', 'msisdn', 'cell', 'cellphone', 'cell_phone', 'telephone',
  'tel', 'phone_no', 'phoneno', 'contact_number', 'e164', 'number', '手机号', '手机号码', '手机', '电话', '电话号码', '联系电话',
  '联系手机', '联系方式', '注册手机号', '号码',
]; // biome-ignore format: rows of names

const OF_NO_PHONE =
  /^(?:id|uid|uuid|ts|(?:order|user|customer|account|transaction|call|message)(?:id|no|number)|.*(?:time|date|timestamp)|created|updated)$/;

const COUNTRY_NAMES =
  /^(?:(?:phone|mobile|tel)?(?:country|calling|dial|dialing|dialling)(?:code|prefix|iso|iso2)?|cc|intlcode|isocountry|iso2|国家|国家码|国家代码|国家地区|国家区号|国际区号|国际码|land|länderkennung|ländervorwahl|landesvorwahl|pays|indicatif|indicatifpays|país|pais|prefijo|国番号|国|страна|кодстраны)$/;

const LINES_MAX = 1000;

/**
 * Detects where the numbers are, or returns a fault that names the doubt.
 * @param sample whole lines from the start of a file
 */
export function detectPhoneList(sample: Uint8Array, { field, home }: PhoneListOptions = {}): PhoneList | Fault {
  const encoding = textEncoding(sample);
  const lines = textOf(sample, encoding)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !isSeparatorLine(line))
    .slice(0, LINES_MAX);
  const [first = ''] = lines;
  const separator = first.includes('\t') ? '\t' : csvSeparator(first);
  const rows = lines.map((line) => splitRow(line, separator));
  const isNumber = (cell: string): boolean =>
    findNumbers(cell, home).some(({ number }) => number.validLength !== false);
  const header = rows[0]?.some(isNumber) ? undefined : rows[0];
  const isTable = first.includes(separator) || (header !== undefined && rankOf(NAMES, header[0] ?? '') >= 0);
  const columns = {
    header,
    encoding,
    format: separator === '\t' ? 'tsv' : 'csv',
    separator: separator.charCodeAt(0),
  } as const;
  if (field !== undefined) {
    const column = columnOf(field, header);
    return column === undefined
      ? fault('there is no column {name}', { name: JSON.stringify(field) })
      : { ...columns, column, ...countryColumn(rows, header) };
  }
  if (isTable) {
    const body = header === undefined ? rows : rows.slice(1);
    // A time or an identifier has as many digits as a number.
    const fits = (cell: string, column: number): boolean =>
      isNumber(cell) && !OF_NO_PHONE.test(sameName(header?.[column] ?? ''));
    const column = bestColumn(body, header, NAMES, fits) ?? namedColumn(header);
    const [one, other] = (header ?? []).filter(
      (name, at) => /^(?:from|to)$/i.test(name.trim()) && isMostly(body, (row) => row[at] ?? '', isNumber),
    );
    if (other !== undefined && rankOf(NAMES, header?.[column ?? 0] ?? '') < 0)
      return fault('phone numbers stand in {one} and in {other}, and nothing says which are meant; --field chooses', {
        one: one!,
        other,
      });
    // With several numbers in most rows and no header to choose by, all of them count.
    const many = body.filter((row) => row.filter(isNumber).length > 1);
    const areAllMeant = header === undefined && 2 * many.length > body.length;
    if (column !== undefined && !areAllMeant) return { ...columns, column, ...countryColumn(rows, header) };
    if (header !== undefined && !isMostly(lines.slice(1), (line) => line, isNumber))
      return fault('no column has phone numbers in most rows; name one with --field');
  }
  return { format: 'lines', separator: 0, column: 0, header: undefined, encoding };
}

function countryColumn(
  rows: readonly (readonly string[])[],
  header: readonly string[] | undefined,
): Pick<PhoneList, 'country'> {
  const country = (header ?? []).findIndex(
    (name, column) =>
      COUNTRY_NAMES.test(sameName(name)) &&
      isMostly(
        rows.slice(1),
        (row) => row[column] ?? '',
        (cell) => countryPlan(cell) !== undefined,
      ),
  );
  return country < 0 ? {} : { country };
}

/** A column whose name fits is used even if all its numbers have an invalid length. */
function namedColumn(header: readonly string[] | undefined): number | undefined {
  const column = header?.findIndex((name) => rankOf(NAMES, name) >= 0) ?? -1;
  return column < 0 ? undefined : column;
}

const textOf = (bytes: Uint8Array, encoding: PhoneList['encoding']): string => new TextDecoder(encoding).decode(bytes);

/** Without an address column the line reader only finds the ends of records. */
const NO_POSITION = -1;

/**
 * Reads the records of a block of whole lines; empty lines are skipped.
 * @param isFirst whether the block starts the file and may hold the header
 */
export function* phoneRecords(
  block: Uint8Array,
  isFirst: boolean,
  { format, separator, column, country, header, encoding }: PhoneList,
  home: NumberingPlan | undefined,
): Generator<PhoneRecord> {
  const isTable = format !== 'lines';
  const ends = makeLineReader({ format, separator, address: NO_POSITION, time: undefined, header: undefined });
  const decoder = new TextDecoder(encoding);
  const between = String.fromCharCode(separator);
  let isHeader = isFirst && header !== undefined;
  for (let from = 0; from < block.length; ) {
    const next = ends.read(block, from);
    const record = decoder.decode(block.subarray(from, ends.end));
    from = next;
    if (record.trim() === '' || isSeparatorLine(record)) continue;
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const cells = isTable ? splitRow(record, between) : [record];
    const sought = isTable ? (cells[column] ?? '') : record;
    const plan = country === undefined ? undefined : countryPlan(cells[country] ?? '');
    const numbers = findNumbers(sought, plan ?? home);
    yield { cells, sought, numbers: isTable ? numbers.slice(0, 1) : numbers };
  }
}

const LANGUAGES = ['en', 'zh', 'zh-Hant', 'de', 'fr', 'es', 'ja', 'ru'];

let known: ReadonlyMap<string, string> | undefined;

function isoOfName(name: string): string | undefined {
  known ??= new Map(
    LANGUAGES.flatMap((language) => {
      const names = new Intl.DisplayNames([language], { type: 'region' });
      return [...CALLING_CODES.keys()].map((iso2): [string, string] => [(names.of(iso2) ?? '').toLowerCase(), iso2]);
    }),
  );
  return known.get(name.toLowerCase());
}

/** Reads a cell of a column of countries: `DE`, `49`, `+49`, `0049`, `Germany`, `德国`. */
function countryPlan(cell: string): NumberingPlan | undefined {
  const text = cell
    .trim()
    .replace(/^'/, '')
    .replace(/^00(?=[1-9])/, '+');
  return text === '' ? undefined : (homePlan(text) ?? homePlan(isoOfName(text) ?? ''));
}

/** Regions that share a calling code with another region, or whose code has no main region. */
const SHARED: readonly (readonly [callingCode: number, regions: string])[] = [
  [1, 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI'],
  [7, 'KZ'],
  [44, 'GG IM JE'],
];

export const CALLING_CODES: ReadonlyMap<string, number> = new Map([
  ...PLAN_ROWS.flatMap(([code, , , , iso2]): [string, number][] => (iso2 === null ? [] : [[iso2, code]])),
  ...SHARED.flatMap(([code, regions]) => regions.split(' ').map((iso2): [string, number] => [iso2, code])),
]);

/**
 * Returns the plan of a country by its ISO 3166-1 code (`US`) or calling code (`1`, `+1`); undefined if
 * unknown.
 */
export function homePlan(region: string): NumberingPlan | undefined {
  const named = /^\+?([1-9]\d{0,2})$/.exec(region)?.[1] ?? CALLING_CODES.get(region.toUpperCase());
  // Plans are found by three digits, and padding is safe because calling codes are prefix-free.
  const plan = named === undefined ? undefined : planFor(`${named}00`);
  return plan !== undefined && plan.callingCode === Number(named) && plan.lengths !== 0 ? plan : undefined;
}
