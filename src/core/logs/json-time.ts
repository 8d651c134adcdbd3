import { sameName } from '../csv/column-names.ts';
import { isRecord } from '../kit/json.ts';
import type { UnixMs } from '../units.ts';
import { TEXTS } from './candidates-in-text.ts';
import { isDate, mergeClock } from './merge-clock.ts';
import { lineTime, timeOfText } from './time-in.ts';

/** Logs write the time of an event under these names (as `sameName` compares them), best first. */
export const TIME_NAMES: readonly string[] = (
  'timestamp time datetime ts t eventtime eventtimestamp timeiso8601 timelocal edgestarttimestamp creationtime eventcreationtime utctimestamp ' +
  'createddatetime timegenerated timecreated systemtime published requestreceivedtimestamp stagetimestamp receivetimestamp querytimestamp isotimestamp utctime localtime ' +
  'messagetime requesttime logintime detectiontimestamp starttime start startutc flowstartmilliseconds flowstart frametimeepoch frametime startedat connectionstarttime accesstime ' +
  'activitydatetime eventdatetime eventdate createdat created datecreate datecreated effectiveat occurredat realtimetimestamp unixtimestamp logtime date ' +
  'zeit zeitstempel zeitpunkt datum datumzeit horodatage dateheure heure fecha fechahora data dataora datahora 时间 日期 日期时间 时间戳 访问时间 登录时间 发生时间 請求時間 請求时间 请求时间 時間 日時 日付 дата время'
).split(' '); // biome-ignore format: rows of names

const DEPTH_MAX = 4;

interface Found {
  readonly value: string;
  readonly rank: number;
  readonly depth: number;
}

/** Takes the time under the best known name of a JSON record, the outermost first; else that of a line in it. */
export function jsonTime(record: Readonly<Record<string, unknown>>, now: UnixMs | undefined): UnixMs | undefined {
  const found: Found[] = [];
  const texts: string[] = [];
  collect(record, 0, found, texts);
  for (const { value } of found.toSorted((a, b) => a.depth - b.depth || a.rank - b.rank)) {
    const time = timeOfText(value) ?? lineTime(value, now);
    if (time !== undefined) return time;
  }
  return texts.map((text) => lineTime(text, now)).find((time) => time !== undefined);
}

function collect(record: Readonly<Record<string, unknown>>, depth: number, found: Found[], texts: string[]): void {
  for (const [key, value] of Object.entries(record)) {
    if (isRecord(value)) {
      if (depth < DEPTH_MAX) collect(value, depth + 1, found, texts);
      continue;
    }
    const rank = typeof value === 'string' || typeof value === 'number' ? TIME_NAMES.indexOf(sameName(key)) : -1;
    const apart = typeof value === 'string' && isDate(value) ? withClock(record, key, value) : undefined;
    if (apart !== undefined) found.push({ value: apart, rank: 0, depth });
    else if (rank >= 0) found.push({ value: String(value), rank, depth });
    else if (typeof value === 'string' && TEXTS.test(key)) texts.push(value);
  }
}

/** FortiGate writes `"date": "2026-11-26", "time": "08:00:00", "tz": "+0100"`. */
function withClock(record: Readonly<Record<string, unknown>>, key: string, date: string): string | undefined {
  const textOf = (name: string): string | undefined => {
    const value = Object.entries(record).find(([other]) => sameName(other) === name)?.[1];
    return typeof value === 'string' ? value : undefined;
  };
  const clock = textOf(sameName(key).replace(/date$/, 'time'));
  const zone = textOf('tz') ?? textOf('timezone') ?? '';
  return clock === undefined ? undefined : mergeClock(date, `${clock}${/^[+-]\d\d:?\d\d$/.test(zone) ? zone : ''}`);
}
