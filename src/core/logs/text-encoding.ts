export type TextEncoding = 'utf-8' | 'gb18030';

/** Spreadsheets of Chinese systems write GB 18030. @param sample the beginning of a file */
export function textEncoding(sample: Uint8Array): TextEncoding {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return 'utf-8';
  } catch {
    return 'gb18030';
  }
}
