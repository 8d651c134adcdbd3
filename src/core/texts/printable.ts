const escaped = (unseen: string): string =>
  [...Array(unseen.length).keys()].map((at) => `\\u${unseen.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/**
 * One line of text that a terminal shows and does not obey: invisible characters (control and format
 * characters, line breaks too) is written as `\u001b`. Within JSON text that is the same string.
 */
export const printable = (line: string): string => line.replace(/[\p{C}\u2028\u2029]/gu, escaped);

/** Text of several lines by the same rule: tabs and line ends stay. */
export const printableText = (text: string): string => text.replace(/(?!\n|\t|\r\n)[\p{C}\u2028\u2029]/gu, escaped);
