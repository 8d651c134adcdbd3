/** Control and format characters (directions, zero widths, tags), lone surrogates, private use and unassigned: Unicode's category C. */
const UNSEEN = /\p{C}/u;

/** Whether a name reads as it is stored: unseen characters could clear a terminal or mimic another name. */
export const isPlainName = (name: string): boolean => !UNSEEN.test(name);
