import {
  buildImage,
  Image,
  type ImageBuffer,
  ImageError,
  jsonSection,
  ownMemory,
  type SectionInput,
  verifyChecksums,
} from '../image.ts';
import { AddressHash, type HashSeed, isHashSeed, nextSeed } from './address-hash.ts';
import { rehashedSections } from './host-table.ts';

/**
 * Addresses in one bucket beyond which an image is hashed again with another seed. Buckets hold five on average; by chance alone none is ever so long,
 * and reading one to its end takes sixteen cache lines.
 */
export const BUCKET_MAX = 64;
/** Seeds tried. Past them the image stands: it answers rightly, only slower. */
const SEEDS_MAX = 4;

/** The seed of an evidence image; undefined in images of earlier versions, whose hash had none. */
export function seedOf(image: Image): HashSeed | undefined {
  const meta = image.json('META') as { readonly seed?: unknown } | null;
  return isHashSeed(meta?.seed) ? meta.seed : undefined;
}

/**
 * The same evidence hashed with another seed. Takes images of earlier versions too, which had none.
 * @param memory makes what the file is written to
 * @throws ImageError where bytes are not the ones that were written
 */
export function reseedEvidence<B extends ImageBuffer>(
  image: Image,
  seed: HashSeed,
  memory: (size: number) => B,
): Uint8Array<B> {
  const [damaged] = verifyChecksums(image);
  if (damaged !== undefined) throw new ImageError(damaged);
  const hash = new AddressHash(seed);
  const hosts = [
    ...rehashedSections(4, image.words32('H4EN'), hash),
    ...rehashedSections(6, image.words32('H6EN'), hash),
  ];
  const replaced = new Map<string, SectionInput>(hosts.map((section) => [section.id, section]));
  replaced.set('META', jsonSection('META', { ...(image.json('META') as object), seed }));
  return buildImage(
    'evidence',
    image.entries.map(({ id }) => replaced.get(id) ?? { id, data: image.bytes(id) }),
    memory,
  );
}

/** A finished image whose buckets are short: as it is, or hashed again. */
export function withShortBuckets(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let short = bytes;
  for (let tried = 1; tried < SEEDS_MAX; tried++) {
    const image = new Image(short.buffer, 'evidence');
    if (longestBucket(image) <= BUCKET_MAX) return short;
    short = reseedEvidence(image, nextSeed(seedOf(image)!), ownMemory);
  }
  return short;
}

function longestBucket(image: Image): number {
  let longest = 0;
  for (const id of ['H4BK', 'H6BK']) {
    const buckets = image.words32(id);
    for (let b = 1; b < buckets.length; b++) longest = Math.max(longest, buckets[b]! - buckets[b - 1]!);
  }
  return longest;
}
