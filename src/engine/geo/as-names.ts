import type { Image, SectionInput } from '../image.ts';

/** AN: AS numbers, ascending. AO: start of each name in AB, and the end. AB: the names, UTF-8. */
export const AS_NAME_SECTIONS = ['AN', 'AO', 'AB'] as const;

export function encodeAsNames(table: string, names: ReadonlyMap<number, string>): readonly SectionInput[] {
  const rows = [...names].sort(([a], [b]) => a - b);
  const texts = rows.map(([, name]) => Buffer.from(name));
  const offsets = new Uint32Array(rows.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i]! + text.length;
  });
  return [
    { id: `${table}AN`, data: Uint32Array.from(rows, ([asn]) => asn) },
    { id: `${table}AO`, data: offsets },
    { id: `${table}AB`, data: new Uint8Array(Buffer.concat(texts)) },
  ];
}

/** Registered names of AS numbers, read in place: a thread that shows none keeps none in memory. */
export class AsNames {
  readonly #asns: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #bytes: Buffer;

  constructor(image: Image, table: string) {
    this.#asns = image.words32(`${table}AN`);
    this.#offsets = image.words32(`${table}AO`);
    const bytes = image.bytes(`${table}AB`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  of(asn: number): string | undefined {
    let low = 0;
    let high = this.#asns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#asns[middle]! < asn) low = middle + 1;
      else high = middle;
    }
    return this.#asns[low] === asn
      ? this.#bytes.toString('utf8', this.#offsets[low], this.#offsets[low + 1])
      : undefined;
  }

  sizeFaults(): readonly string[] {
    return this.#offsets.length !== this.#asns.length + 1 || this.#offsets.at(-1) !== this.#bytes.length
      ? ['the names of AS numbers differ in length from their numbers']
      : [];
  }

  faults(): readonly string[] {
    const faults = [...this.sizeFaults()];
    for (let i = 0; i < this.#asns.length && faults.length < 5; i++) {
      if (i > 0 && this.#asns[i]! <= this.#asns[i - 1]!)
        faults.push(`AS number ${i} does not come after the one before`);
      if (this.#offsets[i]! >= this.#offsets[i + 1]!) faults.push(`the name of AS number ${i} is empty`);
    }
    return faults;
  }
}
