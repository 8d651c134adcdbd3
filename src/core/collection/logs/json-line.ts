import { isRecord } from '../../kit/check-row.ts';

/** The object of one line; undefined for anything else. */
export function jsonLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A TCP port as JSON logs write it; undefined for anything else. */
export const portOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : undefined;
