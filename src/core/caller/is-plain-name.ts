const UNSEEN = /\p{C}/u;

/** Refuses Unicode category C: unseen characters could clear a terminal or imitate another name. */
export const isPlainName = (name: string): boolean => !UNSEEN.test(name);
