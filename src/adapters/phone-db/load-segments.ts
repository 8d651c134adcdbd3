import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readSegments, type SegmentHeader, type SegmentTable } from '../../core/phone/segments.ts';

/** The mainland segment table we ship (data/phone-segments.bin, made by scripts/tables/phone-segments.ts). About ten milliseconds and 1.4 MB. */
export function loadSegments(path = join(import.meta.dirname, '../../../data/phone-segments.bin')): SegmentTable {
  const bytes = gunzipSync(readFileSync(path));
  const end = bytes.indexOf(10);
  return readSegments(JSON.parse(bytes.toString('utf8', 0, end)) as SegmentHeader, bytes.subarray(end + 1));
}
