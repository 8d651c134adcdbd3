const said = document.querySelector<HTMLMetaElement>('meta[name="client-address"]')?.content;

/**
 * The visitor's own public address as the service saw it, in canonical form; undefined where it cannot be
 * looked up.
 */
export const clientAddress: string | undefined = said === '' ? undefined : said;
