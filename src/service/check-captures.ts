import { CaptureReader, type RefusePrefix } from '../core/evidence/capture-reader.ts';
import { digestOf, INTAKE_LINES_MAX, type IntakeRequest } from './accept-captures.ts';
import { type ImportOutcome, importOutcome } from './import-captures.ts';

/** What can be said of captures before they are stored. */
export interface CheckedCaptures extends Pick<ImportOutcome, 'lines' | 'refused'> {
  /** Rows that are read as captures; the store may refuse some of them. */
  readonly rows: number;
  /** SHA-256 of the captures with source and format, base64url. */
  readonly digest: string;
}

/** Reads the captures of one request without storing any. @param body the lines, unpacked */
export function checkCaptures(body: Uint8Array, request: Pick<IntakeRequest, 'source' | 'format'>, refuse?: RefusePrefix): CheckedCaptures | 'too_many_lines' {
  const reader = new CaptureReader({ format: request.format, linesMax: INTAKE_LINES_MAX, ...(refuse === undefined ? {} : { refuse }) });
  reader.write(body);
  reader.end();
  if (reader.overflowed) return 'too_many_lines';
  const { lines, refused } = importOutcome(reader, []);
  return { lines, refused, rows: reader.pending, digest: digestOf(body, request).toString('base64url') };
}
