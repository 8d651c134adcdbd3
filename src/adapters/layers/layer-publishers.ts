import type { LayerKind } from './layer-file.ts';

export interface PublishedFile {
  readonly name: string;
  /** `{month}` stands for the UTC month as `YYYY-MM` where the publisher has a file a month. */
  readonly url: string;
  readonly maxBytes: number;
}

export interface LayerPublisher {
  readonly id: string;
  readonly kind: LayerKind;
  /** All files are replaced together, or none. */
  readonly files: readonly PublishedFile[];
}

const MB = 1024 * 1024;
const IP2REGION = 'https://raw.githubusercontent.com/lionsoul2014/ip2region/master/data';
const ASN = 'https://cdn.jsdelivr.net/npm/@ip-location-db/asn';

export const LAYER_PUBLISHERS: readonly LayerPublisher[] = [
  {
    id: 'dbip',
    kind: 'mmdb',
    files: [
      { name: 'city', url: 'https://download.db-ip.com/free/dbip-city-lite-{month}.mmdb.gz', maxBytes: 512 * MB },
    ],
  },
  {
    id: 'ip2region',
    kind: 'xdb',
    files: [
      { name: 'ipv4', url: `${IP2REGION}/ip2region_v4.xdb`, maxBytes: 128 * MB },
      { name: 'ipv6', url: `${IP2REGION}/ip2region_v6.xdb`, maxBytes: 256 * MB },
    ],
  },
  {
    id: 'asn',
    kind: 'csv',
    files: [
      { name: 'ipv4', url: `${ASN}/asn-ipv4.csv`, maxBytes: 256 * MB },
      { name: 'ipv6', url: `${ASN}/asn-ipv6.csv`, maxBytes: 256 * MB },
    ],
  },
];

/** Replaces addresses of publishers by those of an operator's own mirror, by layer id. */
export function publishersWith(mirrors: Readonly<Record<string, readonly string[]>>): LayerPublisher[] {
  return LAYER_PUBLISHERS.map((publisher) => ({
    ...publisher,
    files: publisher.files.map((file, index) => ({ ...file, url: mirrors[publisher.id]?.[index] ?? file.url })),
  }));
}
