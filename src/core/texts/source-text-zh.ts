import { sourcesZh } from './sources-zh.ts';

/** Publisher or group, subject, and address family of a title. */
const TITLE = /^(?:([^:]+): )?(.*?)(, IPv4 and IPv6|, IPv[46])?( \(mirror\))?$/;

/** A text about a source in Chinese: the whole, or a title by its parts. Names stay. */
export function sourceTextZh(text: string): string {
  const named = (part: string): string => sourcesZh[part] ?? part;
  if (text in sourcesZh) return named(text);
  const [, publisher, subject = '', family = '', mirror = ''] = TITLE.exec(text) ?? [];
  const rest = `${named(family).replace(', ', '，')}${named(mirror)}`;
  return publisher === undefined ? `${named(subject)}${rest}` : `${named(publisher)}：${sourceTextZh(subject)}${rest}`;
}
