import type { LayerRecord } from './layer-record.ts';

export const WORLD: readonly LayerRecord[] = [
  { country: 'CA', region: 'Nova Scotia', city: 'Sydney', point: [46.14, -60.19] },
  { country: 'CA', region: 'Ontario', city: 'Toronto', point: [43.7, -79.42] },
  { country: 'AU', region: 'New South Wales', city: 'Sydney (Surry Hills)', point: [-33.87, 151.2] },
  { country: 'US', region: 'Oregon', city: 'Portland', point: [45.52, -122.68] },
  { country: 'US', region: 'Maine', city: 'Portland', point: [43.66, -70.26] },
  { country: 'US', region: 'Texas', city: 'Dallas', point: [32.78, -96.8] },
  { country: 'DE', region: 'Hesse', city: 'Frankfurt am Main', point: [50.11, 8.68] },
  { country: 'DE', region: 'Brandenburg', city: 'Frankfurt (Oder)', point: [52.34, 14.55] },
  { country: 'GB', region: 'England', city: 'London', point: [51.51, -0.13] },
  { country: 'SG', city: 'Singapore', point: [1.29, 103.85] },
  { country: 'SG', region: 'South West', city: 'Jurong', point: [1.33, 103.72] },
  { country: 'DE', region: 'Berlin', city: 'Berlin', point: [52.5, 13.4] },
  { country: 'DE', region: 'State of Berlin', city: 'Berlin (Mitte)', point: [52.53, 13.38] },
  { country: 'AT', region: 'Vienna', city: 'Vienna', point: [48.21, 16.37] },
  { country: 'DK', region: 'Capital Region', city: 'Kobenhavn', point: [55.68, 12.57] },
];
