import { type Said, said } from '../texts/said.ts';

/** Parts of a layer's files that are not used. */
export interface LeftOutOfLayer {
  /** Rows without a readable range. */
  readonly rows: number;
  /** Texts in place of a country's code, and how often each stands there: in a row, or in a record of a file that holds each record once. */
  readonly countries: ReadonlyMap<string, number>;
}

/** How a layer was read for one part of the image. */
export interface LayerReading {
  readonly id: string;
  /** The first of its files: ids may be the same. */
  readonly file: string;
  /** Whether it says anything about places or networks. */
  readonly gives: boolean;
  /** Why it was not taken, as a sentence that names the file. */
  readonly refused?: Said;
  readonly leftOutRows: number;
  readonly leftOutCountries: Readonly<Record<string, number>>;
}

/** What became of a layer in an image. */
export interface LayerUse extends Omit<LayerReading, 'gives' | 'refused'> {
  readonly state: 'used' | 'refused' | 'gives_nothing';
  /** Absent for one that is used. */
  readonly why?: Said;
}

/** Parts of a layer that are left out, as sentences that name the file. */
export const leftOutLines = ({ file, leftOutRows, leftOutCountries }: LayerUse): readonly Said[] => {
  const countries = Object.entries(leftOutCountries).map(([text, count]) => `${text} ${count}`);
  return [
    ...(leftOutRows === 0
      ? []
      : [said('{file}: {rows} rows without a readable range are left out', { file, rows: leftOutRows })]),
    ...(countries.length === 0
      ? []
      : [
          said('{file}: countries other than codes of ISO 3166-1 are left out: {countries}', {
            file,
            countries: countries.join(', '),
          }),
        ]),
  ];
};

/** Readings of IPv4 and IPv6. Both count all unreadable rows of a file, and each the countries of its own family. */
export const joinFamilies = (readings: readonly LayerReading[]): readonly LayerReading[] =>
  joinReadings(readings, (a, b) => a + b);

/** What became of each layer, by its readings for places and for networks. */
export const layerUses = (readings: readonly LayerReading[]): readonly LayerUse[] =>
  joinReadings(readings, Math.max).map(({ gives, refused, ...reading }) => {
    if (refused !== undefined) return { ...reading, state: 'refused', why: refused };
    if (gives) return { ...reading, state: 'used' };
    const why = said('{file}: nothing in it is used: no country by its code, no AS number, no usage code', {
      file: reading.file,
    });
    return { ...reading, state: 'gives_nothing', why };
  });

function joinReadings(
  readings: readonly LayerReading[],
  countries: (a: number, b: number) => number,
): readonly LayerReading[] {
  const joined = new Map<string, LayerReading>();
  for (const reading of readings) {
    const key = `${reading.id} ${reading.file}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? reading : joinTwo(before, reading, countries));
  }
  return [...joined.values()];
}

function joinTwo(a: LayerReading, b: LayerReading, countries: (a: number, b: number) => number): LayerReading {
  const refused = a.refused ?? b.refused;
  const names = new Set([...Object.keys(a.leftOutCountries), ...Object.keys(b.leftOutCountries)]);
  return {
    id: a.id,
    file: a.file,
    gives: a.gives || b.gives,
    ...(refused !== undefined && { refused }),
    leftOutRows: Math.max(a.leftOutRows, b.leftOutRows),
    leftOutCountries: Object.fromEntries(
      [...names].map((name) => [name, countries(a.leftOutCountries[name] ?? 0, b.leftOutCountries[name] ?? 0)]),
    ),
  };
}
