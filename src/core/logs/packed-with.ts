/** First bytes of packed files that are not unpacked here, by the program that unpacks them. */
const MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];
/** Of bzip2, its level follows. */
const LEVEL_AT = 3;

/** The program that packed a file; undefined where it is not packed, or with one that readers unpack. */
export function packedWith(head: Uint8Array): string | undefined {
  const [name] = MARKS.find(([, mark]) => mark.every((byte, i) => head[i] === byte)) ?? [];
  const level = head[LEVEL_AT] ?? 0;
  return name === 'bzip2' && (level < 0x31 || level > 0x39) ? undefined : name;
}
