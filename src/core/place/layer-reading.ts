import { type Said, said } from '../texts/said.ts';

export interface LeftOutOfLayer {
  readonly rows: number;
  /**
   * Texts that stand in place of a country's code, with the number of rows that hold them. Where a file holds
   * each record once, records are counted.
   */
  readonly countries: ReadonlyMap<string, number>;
}

export interface LayerReading {
  readonly id: string;
  /** The first file of the layer. Two layers may have the same id. */
  readonly file: string;
  readonly gives: boolean;
  readonly refused?: Said;
  readonly leftOutRows: number;
  /** Networks of a publisher's own places that none of its AS numbers announces, counted per family. */
  readonly leftOutForeign?: number;
  readonly leftOutCountries: Readonly<Record<string, number>>;
}

export interface LayerUse extends Omit<LayerReading, 'gives' | 'refused'> {
  readonly state: 'used' | 'refused' | 'gives_nothing';
  readonly why?: Said;
}

export const leftOutLines = ({
  file,
  leftOutRows,
  leftOutForeign = 0,
  leftOutCountries,
}: LayerUse): readonly Said[] => {
  const countries = Object.entries(leftOutCountries).map(([text, count]) => `${text} ${count}`);
  return [
    ...(leftOutRows === 0
      ? []
      : [said('{file}: left out {rows:row|rows} without a readable range', { file, rows: leftOutRows })]),
    ...(leftOutForeign === 0
      ? []
      : [
          said('{file}: left out {networks:network|networks} that the publisher’s AS numbers do not announce', {
            file,
            networks: leftOutForeign,
          }),
        ]),
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

/**
 * Joins the readings of IPv4 and IPv6. Both count all unreadable rows of a file, and each the countries and the
 * foreign networks of its own family.
 */
export const joinFamilies = (readings: readonly LayerReading[]): readonly LayerReading[] =>
  joinReadings(readings, (a, b) => a + b);

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
  counts: (a: number, b: number) => number,
): readonly LayerReading[] {
  const joined = new Map<string, LayerReading>();
  for (const reading of readings) {
    const key = `${reading.id} ${reading.file}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? reading : joinTwo(before, reading, counts));
  }
  return [...joined.values()];
}

function joinTwo(a: LayerReading, b: LayerReading, counts: (a: number, b: number) => number): LayerReading {
  const refused = a.refused ?? b.refused;
  const names = new Set([...Object.keys(a.leftOutCountries), ...Object.keys(b.leftOutCountries)]);
  return {
    id: a.id,
    file: a.file,
    gives: a.gives || b.gives,
    ...(refused !== undefined && { refused }),
    leftOutRows: Math.max(a.leftOutRows, b.leftOutRows),
    leftOutForeign: counts(a.leftOutForeign ?? 0, b.leftOutForeign ?? 0),
    leftOutCountries: Object.fromEntries(
      [...names].map((name) => [name, counts(a.leftOutCountries[name] ?? 0, b.leftOutCountries[name] ?? 0)]),
    ),
  };
}
