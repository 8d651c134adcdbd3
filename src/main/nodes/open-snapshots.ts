import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ImageBucket } from '../../adapters/snapshots/image-bucket.ts';
import { ImageFolder } from '../../adapters/snapshots/image-folder.ts';
import { PublishedImages } from '../../adapters/snapshots/published-images.ts';
import type { Config } from '../../config.ts';
import type { ImageKind } from '../../engine/image.ts';

/**
 * Where published images are: PULSE_SNAPSHOT_URL, or `snapshots` in the data folder.
 * s3://bucket/prefix takes `?style=virtual` for stores that want the bucket in the host name.
 */
export function openSnapshots({ dataDir, snapshotUrl }: Pick<Config, 'dataDir' | 'snapshotUrl'>): Readonly<Record<ImageKind, PublishedImages>> {
  const of = storeAt(snapshotUrl ?? join(dataDir, 'snapshots'));
  return { geo: of('geo'), evidence: of('evidence'), assistants: of('assistants') };
}

function storeAt(place: string): (kind: ImageKind) => PublishedImages {
  if (place.startsWith('s3://')) {
    const { hostname, pathname, searchParams } = new URL(place);
    const prefix = pathname.replace(/^\/+|\/+$/g, '');
    const pathStyle = searchParams.get('style') !== 'virtual';
    return (kind) => new PublishedImages(new ImageBucket({ bucket: hostname, prefix: prefix === '' ? kind : `${prefix}/${kind}`, pathStyle }), kind);
  }
  const folder = place.startsWith('file://') ? fileURLToPath(place) : resolve(place);
  return (kind) => new PublishedImages(new ImageFolder(join(folder, kind)), kind);
}
