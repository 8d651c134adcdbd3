import type { Image } from '../image.ts';
import { RECORD_SECTIONS, RecordTexts } from '../record-texts.ts';

/** RC: number of the record that holds only the country of a record. */
export const PLACE_SECTIONS = [...RECORD_SECTIONS, 'RC'] as const;

export class PlaceRecords extends RecordTexts {
  /** 0 where no country is known. */
  readonly countries: Uint32Array;

  constructor(image: Image, name: string) {
    super(image, name);
    this.countries = image.words32(`${name}RC`);
  }

  override sizeFaults(): readonly string[] {
    return this.countries.length === this.count ? super.sizeFaults() : ['the columns differ in length'];
  }

  override faults(): readonly string[] {
    const { countries } = this;
    const wrong = countries.findIndex((country) => country >= this.count || countries[country] !== country);
    return wrong < 0 ? super.faults() : [`the country of record ${wrong} is not a record of a country`];
  }
}
