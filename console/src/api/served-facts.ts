import type { HighExample } from '../../../src/contract/shown-names.ts';

const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

const example = metaOf('high-example');
const links = JSON.parse(metaOf('address-links') ?? '[]') as readonly { readonly name: string; readonly url: string }[];

/** Facts that the service wrote into the document. */
export const servedFacts = {
  /** An address whose score is high now. */
  highExample: example === undefined ? undefined : (JSON.parse(example) as HighExample),
  /** No evidence was ever taken in here. */
  isUnread: metaOf('unread') !== undefined,
  /** Pages about an address at other services, as the operator names them. */
  linksAbout: (ip: string): readonly (readonly [name: string, href: string])[] =>
    links.map(({ name, url }) => [name, url.replaceAll('{ip}', encodeURIComponent(ip))]),
} as const;
