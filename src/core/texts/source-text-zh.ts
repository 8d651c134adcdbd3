import sources from '../../../data/texts/sources.zh.json' with { type: 'json' };

/** Chinese of titles without the publisher's name in front, of licences, and of why a list is left out. */
const SOURCES: Readonly<Record<string, string>> = sources;

/** Publisher or group, subject, and address family of a title. */
const TITLE = /^(?:([^:]+): )?(.*?)(, IPv4 and IPv6|, IPv[46])?( \(mirror\))?$/;

/** A text about a source in Chinese: the whole, or a title by its parts. Names stay. */
export function sourceTextZh(text: string): string {
  const named = (part: string): string => SOURCES[part] ?? part;
  if (text in SOURCES) return named(text);
  const [, publisher, subject = '', family = '', mirror = ''] = TITLE.exec(text) ?? [];
  const rest = `${named(family).replace(', ', '，')}${named(mirror)}`;
  return publisher === undefined ? `${named(subject)}${rest}` : `${named(publisher)}：${sourceTextZh(subject)}${rest}`;
}
