import { LayerFileError } from '../layer.ts';

/** Where pointers point: a data section inside a file. */
export interface DataSection {
  readonly name: string;
  readonly bytes: Buffer;
  readonly dataStart: number;
  readonly dataEnd: number;
}

/** Added to a pointer's value by its size (specification, "Pointer"). */
const POINTER_BASE = [0, 2048, 526_336, 0] as const;
/** Deeper nesting than this is a file that points at itself. */
const MAX_DEPTH = 32;

/**
 * Decodes the value at a byte offset of the file. Texts reached by a pointer are kept in `texts`, because records share them.
 * 64- and 128-bit numbers become numbers when they are safe, else undefined.
 * @throws LayerFileError naming the offset
 */
export function decodeValue(section: DataSection, offset: number, texts?: Map<number, unknown>): unknown {
  const { bytes, dataStart, dataEnd, name } = section;
  let at = offset;

  const need = (count: number): void => {
    if (at + count > dataEnd) throw new LayerFileError(name, 'value runs past the data section', { offset: at });
  };
  const uint = (size: number): number | undefined => {
    need(size);
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + bytes[at++]!;
    return Number.isSafeInteger(value) ? value : undefined;
  };
  const sizeOf = (control: number): number => {
    const size = control & 31;
    if (size < 29) return size;
    if (size === 29) return 29 + uint(1)!;
    return size === 30 ? 285 + uint(2)! : 65_821 + uint(3)!;
  };
  const pointer = (control: number): number => {
    const size = (control >> 3) & 3;
    const low = uint(size + 1)!;
    return dataStart + POINTER_BASE[size]! + (size === 3 ? low : (control & 7) * 256 ** (size + 1) + low);
  };
  const map = (size: number, depth: number): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    for (let i = 0; i < size; i++) {
      const key = read(depth + 1);
      if (typeof key !== 'string') throw new LayerFileError(name, 'map key is no text', { offset: at });
      value[key] = read(depth + 1);
    }
    return value;
  };
  const follow = (target: number, depth: number): unknown => {
    const known = texts?.get(target);
    if (known !== undefined) return known;
    const back = at;
    at = target;
    if (target < dataStart || target >= dataEnd) throw new LayerFileError(name, 'pointer leaves the data section', { offset: back });
    const value = read(depth + 1);
    at = back;
    texts?.set(target, value);
    return value;
  };
  const read = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new LayerFileError(name, 'values nest too deep', { offset: at });
    need(1);
    const start = at;
    const control = bytes[at++]!;
    let type = control >> 5;
    if (type === 1) return follow(pointer(control), depth);
    if (type === 0) type = uint(1)! + 7;
    const size = sizeOf(control);
    switch (type) {
      case 2:
        need(size);
        at += size;
        return bytes.toString('utf8', at - size, at);
      case 3:
        need(8);
        at += 8;
        return bytes.readDoubleBE(at - 8);
      case 4:
        need(size);
        at += size;
        return undefined;
      case 5:
      case 6:
      case 9:
      case 10:
        return uint(size);
      case 7:
        return map(size, depth);
      case 8:
        return uint(size)! | 0;
      case 11:
        return Array.from({ length: Math.min(size, dataEnd - at) }, () => read(depth + 1));
      case 14:
        return size !== 0;
      case 15:
        need(4);
        at += 4;
        return bytes.readFloatBE(at - 4);
      default:
        throw new LayerFileError(name, `unknown data type ${type}`, { offset: start });
    }
  };
  return read(0);
}
