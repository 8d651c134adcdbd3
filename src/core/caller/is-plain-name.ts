/** Control and format characters (directions, zero widths, tags), lone surrogates, private use and unassigned: Unicode's category C. */
const UNSEEN = /\p{C}/u;

/**
 * Whether a name that a user chose reads as it is stored. One with characters that are not seen could clear a terminal, start a line of its own in a list,
 * or look like another name.
 */
export const isPlainName = (name: string): boolean => !UNSEEN.test(name);
