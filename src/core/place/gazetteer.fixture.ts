import type { LayerRecord } from './layer-record.ts';

/** A record of each place, and the weight that a layer gives it where that is not 1. */
export const WORLD: readonly (readonly [LayerRecord, number?])[] = [
  [{ country: 'CA', region: 'Nova Scotia', city: 'Sydney', point: [46.14, -60.19] }],
  [{ country: 'CA', region: 'Ontario', city: 'Toronto', point: [43.7, -79.42] }],
  [{ country: 'AU', region: 'New South Wales', city: 'Sydney (Surry Hills)', point: [-33.87, 151.2] }],
  [{ country: 'US', region: 'Oregon', city: 'Portland', point: [45.52, -122.68] }],
  [{ country: 'US', region: 'Maine', city: 'Portland', point: [43.66, -70.26] }],
  [{ country: 'US', region: 'Oregon', city: 'Boardman', point: [45.84, -119.7] }, 1_000_000],
  [{ country: 'US', region: 'Ohio', city: 'Boardman', point: [41.02, -80.66] }, 9000],
  [{ country: 'US', region: 'Ohio', city: 'Boardman (Heights)', point: [41.03, -80.67] }, 9000],
  [{ country: 'US', region: 'Texas', city: 'Dallas', point: [32.78, -96.8] }],
  [{ country: 'DE', region: 'Hesse', city: 'Frankfurt am Main', point: [50.11, 8.68] }],
  [{ country: 'DE', region: 'Brandenburg', city: 'Frankfurt (Oder)', point: [52.34, 14.55] }],
  [{ country: 'GB', region: 'England', city: 'London', point: [51.51, -0.13] }],
  [{ country: 'SG', city: 'Singapore', point: [1.29, 103.85] }],
  [{ country: 'SG', region: 'South West', city: 'Jurong', point: [1.33, 103.72] }],
  [{ country: 'DE', region: 'Berlin', city: 'Berlin', point: [52.5, 13.4] }],
  [{ country: 'DE', region: 'State of Berlin', city: 'Berlin (Mitte)', point: [52.53, 13.38] }],
  [{ country: 'AT', region: 'Vienna', city: 'Vienna', point: [48.21, 16.37] }],
  [{ country: 'DK', region: 'Capital Region', city: 'Kobenhavn', point: [55.68, 12.57] }],
];

/** Country, region and town of a row, and region and town that it is completed with. */
export const NOT_FOUND = [
  ['US', '', 'Portland', undefined, 'Portland'],
  ['US', 'US-TX', 'Portland', 'Texas', 'Portland'],
  ['CA', 'CA-ON', 'Sydney', 'Ontario', 'Sydney'],
  ['CA', 'CA-ON', 'NOWHERE BAY', 'Ontario', 'Nowhere Bay'],
  ['CA', 'CA-ON', '', 'Ontario', undefined],
  ['FR', 'FR-XX', 'Sydney', 'FR-XX', 'Sydney'],
] as const;

/** Country, region and town of a row, and region, town and latitude that it is completed with. */
export const FOUND = [
  ['CA', 'CA-NS', 'Sydney', 'Nova Scotia', 'Sydney', 46.14],
  ['ca', 'ca-ns', 'SYDNEY', 'Nova Scotia', 'Sydney', 46.14],
  ['AU', '', 'Sydney', 'New South Wales', 'Sydney', -33.87],
  ['US', '', 'Boardman', 'Oregon', 'Boardman', 45.84],
  ['US', 'US-OR', 'Portland', 'Oregon', 'Portland', 45.52],
  ['US', 'Oregon', 'Portland', 'Oregon', 'Portland', 45.52],
  ['DE', 'DE-HE', 'Frankfurt', 'Hesse', 'Frankfurt am Main', 50.11],
  ['DE', 'DE-BE', 'Berlin', 'Berlin', 'Berlin', 52.5],
  ['GB', 'GB-LND', 'London', 'England', 'London', 51.51],
  ['SG', 'SG-05', 'Singapore', 'South West', 'Singapore', 1.29],
  ['AT', 'AT-9', 'Wien', 'Vienna', 'Vienna', 48.21],
  ['DK', 'DK-84', 'København', 'Capital Region', 'Kobenhavn', 55.68],
] as const;
