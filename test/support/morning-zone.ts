/**
 * A time zone in which it is six in the morning: no quota day ends while a test counts by the real clock. In the
 * zone of the service it ends at 16:00 UTC.
 */
export function morningZone(): string {
  const offset = ((6 - new Date().getUTCHours() + 35) % 24) - 11;
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}
