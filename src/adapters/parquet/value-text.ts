import type { SchemaElement } from 'hyparquet';

/** How the values of a column are written. */
export interface ValueText {
  readonly kind: 'text' | 'time' | 'number' | 'boolean';
  /** Of a value as `ParquetFile.read` returns it. */
  readonly textOf: (value: unknown) => string;
}

const TEXT: ValueText = { kind: 'text', textOf: String };
const NUMBER: ValueText = { kind: 'number', textOf: String };
const DAY: ValueText = {
  kind: 'time',
  textOf: (days) => new Date((days as number) * 86_400_000).toISOString().slice(0, 10),
};

/** How the values of a flat column are written as text without loss; undefined: they cannot be. */
export function valueText({
  type,
  converted_type: converted,
  logical_type: logical,
}: SchemaElement): ValueText | undefined {
  const unit =
    logical?.type === 'TIMESTAMP'
      ? logical.unit
      : type === 'INT96'
        ? 'NANOS'
        : /^TIMESTAMP_(.*)$/.exec(converted ?? '')?.[1];
  if (unit !== undefined)
    return time(PER_SECOND[unit as keyof typeof PER_SECOND], logical?.type !== 'TIMESTAMP' || logical.isAdjustedToUTC);
  if (logical?.type === 'UUID') return TEXT;
  const meaning = logical?.type ?? converted;
  switch (type) {
    case 'BOOLEAN':
      return { kind: 'boolean', textOf: String };
    case 'FLOAT':
    case 'DOUBLE':
      return meaning === undefined ? NUMBER : undefined;
    case 'INT32':
    case 'INT64':
      if (meaning === 'DATE') return DAY;
      if (meaning === undefined) return NUMBER;
      return logical?.type === 'INTEGER' || /^U?INT_/.test(converted ?? '')
        ? integer(logical?.type === 'INTEGER' ? !logical.isSigned : converted!.startsWith('U'))
        : undefined;
    case 'BYTE_ARRAY':
      return meaning !== undefined && TEXTS.includes(meaning) ? TEXT : undefined;
    default:
      return undefined;
  }
}

/** What bytes mean that are text. */
const TEXTS: readonly string[] = ['STRING', 'UTF8', 'ENUM', 'JSON'];
const PER_SECOND = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n };

/** The library gives a large unsigned number of 64 bits as a negative one where the column has nulls. */
const integer = (isUnsigned: boolean): ValueText =>
  isUnsigned
    ? { kind: 'number', textOf: (value) => String(typeof value === 'bigint' ? BigInt.asUintN(64, value) : value) }
    : NUMBER;

/** RFC 3339 with all digits of the unit; a local time has no zone. */
function time(perSecond: bigint, isUtc: boolean): ValueText {
  const digits = String(perSecond).length - 1;
  return {
    kind: 'time',
    textOf: (value) => {
      const fraction = (((value as bigint) % perSecond) + perSecond) % perSecond;
      const seconds = Number(((value as bigint) - fraction) / perSecond);
      const date = new Date(seconds * 1000);
      if (Number.isNaN(date.getTime()))
        throw new Error(`the time ${String(value)} is not in the range that can be written`);
      return `${date.toISOString().slice(0, -5)}.${String(fraction).padStart(digits, '0')}${isUtc ? 'Z' : ''}`;
    },
  };
}
