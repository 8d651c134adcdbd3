import type { FoldedCapture } from './tally/collection-tally.ts';

export const printCaptures = (rows: readonly FoldedCapture[]): string =>
  rows.map((row) => `${JSON.stringify(printed(row))}\n`).join('');

const printed = ({ ip, riskType, firstAt, lastAt, count, port, protocol, actor }: FoldedCapture) => ({
  ip,
  risk_type: riskType,
  captured_at: timeOf(lastAt),
  ...(firstAt < lastAt && { first_captured_at: timeOf(firstAt) }),
  count,
  port,
  protocol,
  ...(actor !== undefined && { actor }),
});

const timeOf = (at: number): string => new Date(Math.round(at)).toISOString();

export const shiftCaptures = (text: string, byMs: number): string =>
  text.replace(
    /"((?:first_)?captured_at)":"([^"]*)"/g,
    (_, name: string, time: string) => `"${name}":"${timeOf(Date.parse(time) + byMs)}"`,
  );
