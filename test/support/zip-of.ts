import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive of deflated files (APPNOTE 4.3): each behind its local header, then the table of contents. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  const contents: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(text), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(Buffer.from(text).length, 18);
    about.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(at, 12);
    contents.push(Buffer.from('PK\x01\x02\x14\0'), about, entry.subarray(2), Buffer.from(name));
    const local = [Buffer.from('PK\x03\x04'), about, Buffer.from(name), packed];
    parts.push(...local);
    at += Buffer.concat(local).length;
  }
  const table = Buffer.concat(contents);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, table, end]);
}
