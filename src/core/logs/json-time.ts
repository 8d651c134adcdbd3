import { isRecord } from '../kit/json.ts';
import type { UnixMs } from '../units.ts';
import { lineTime, timeOfText } from './time-in.ts';

/** Logs write the time of an event under these lower-case names, best first. */
export const TIME_NAMES: readonly string[] = [
  '@timestamp', 'timestamp', 'time', '_time', 'datetime', 'date_time', 'date-time', 'ts', 'event_time', 'eventtime', 'time_iso8601', 'time_local', 'edgestarttimestamp', 'creationtime',
  'createddatetime', 'timegenerated', 'timecreated', 'systemtime', 'published', 'requestreceivedtimestamp', 'stagetimestamp', 'receivetimestamp', 'starttime', 'start_time', 'start', 'startutc',
  'flowstartmilliseconds', 'flow_start', 'frame.time_epoch', 'frame.time', 'start time', 'startedat', 'activitydatetime', 'eventdatetime', 'created_at', 'createdat', '__realtime_timestamp', 'unix_timestamp', 'log_time', 'date',
]; // biome-ignore format: rows of names

const DEPTH_MAX = 4;

interface Found {
  readonly value: string;
  readonly rank: number;
  readonly depth: number;
}

/** Takes the time under the best known name of a JSON record; the outermost wins. */
export function jsonTime(record: Readonly<Record<string, unknown>>, now: UnixMs | undefined): UnixMs | undefined {
  const found: Found[] = [];
  collect(record, 0, found);
  for (const { value } of found.toSorted((a, b) => a.depth - b.depth || a.rank - b.rank)) {
    const time = timeOfText(value) ?? lineTime(value, now);
    if (time !== undefined) return time;
  }
  return undefined;
}

function collect(record: Readonly<Record<string, unknown>>, depth: number, found: Found[]): void {
  for (const [key, value] of Object.entries(record)) {
    if (isRecord(value)) {
      if (depth < DEPTH_MAX) collect(value, depth + 1, found);
      continue;
    }
    const rank = typeof value === 'string' || typeof value === 'number' ? TIME_NAMES.indexOf(key.toLowerCase()) : -1;
    if (rank >= 0) found.push({ value: String(value), rank, depth });
  }
}
