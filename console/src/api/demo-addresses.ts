const said = document.querySelector<HTMLMetaElement>('meta[name="demo-addresses"]')?.content;

/**
 * Addresses to try in a demonstration, written into the document by a service whose evidence is invented;
 * undefined everywhere else.
 */
export const demoAddresses: readonly string[] | undefined = said?.split(' ');
