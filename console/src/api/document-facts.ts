const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** An address whose score is high, as the service offers it. */
export const highExample: string | undefined = metaOf('high-example');

/** No source of evidence has been read on this machine. */
export const isUnread: boolean = metaOf('unread') !== undefined;

const links = JSON.parse(metaOf('address-links') ?? '[]') as readonly { readonly name: string; readonly url: string }[];

/** Pages about an address at other services, as the operator names them. */
export const addressLinks = (ip: string): readonly (readonly [name: string, href: string])[] =>
  links.map(({ name, url }) => [name, url.replaceAll('{ip}', encodeURIComponent(ip))]);
