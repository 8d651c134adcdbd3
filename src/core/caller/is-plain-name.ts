/** Unicode category C: control and format characters, lone surrogates, private use, unassigned. */
const UNSEEN = /\p{C}/u;

/** Whether a name reads as it is stored: unseen characters could clear a terminal or imitate another name. */
export const isPlainName = (name: string): boolean => !UNSEEN.test(name);
