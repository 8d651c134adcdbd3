import type { GeoImage } from '../../engine/geo/geo-image.ts';

/**
 * Adds the registered name of the AS number, for readers of the files of `enrich`. Documents of the API carry
 * none (decisions 10.11).
 */
export function withAsName(document: object, geo: Pick<GeoImage, 'asName'>): object {
  const { network } = document as { readonly network?: { readonly asn?: number } };
  const name = network?.asn === undefined ? undefined : geo.asName(network.asn);
  return name === undefined ? document : { ...document, network: { ...network, as_name: name } };
}
