import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import type { ImageKind } from '../../engine/image.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { ImageBucket } from './image-bucket.ts';
import { ImageFolder } from './image-folder.ts';
import { KeptImages } from './kept-images.ts';
import { type ImagePlace, PublishedImages, type PublishedOptions, TakenSequencesFile } from './published-images.ts';

/**
 * Opens the place of published images: PULSE_SNAPSHOT_URL, or `snapshots` in the data folder. Pointers are
 * sealed with the deployment's secret. s3://bucket/prefix takes `?style=virtual` for stores that want the
 * bucket in the host name.
 */
export function openSnapshots(
  config: SnapshotConfig,
  use: Omit<PublishedOptions, 'keys'>,
): Readonly<Record<ImageKind, PublishedImages>> {
  const place = placeAt(config.snapshotUrl ?? join(config.dataDir, 'snapshots'));
  const secret = loadSecret(config);
  const keys = { current: secret.subkey('snapshot'), former: secret.formerSubkeys('snapshot') };
  const of = (kind: ImageKind): PublishedImages =>
    new PublishedImages(place(kind), kind, { keys, ...use, ...(kind === 'assistants' && { kept: undefined }) });
  return { geo: of('geo'), evidence: of('evidence'), assistants: of('assistants') };
}

export const followingIn = (
  { dataDir }: Pick<Config, 'dataDir'>,
  onUnkept: (error: unknown) => void,
): Omit<PublishedOptions, 'keys'> => ({
  taken: new TakenSequencesFile(join(dataDir, 'taken-snapshots.json')),
  kept: new KeptImages(join(dataDir, 'followed'), onUnkept),
});

export const publishingIn = ({ dataDir }: Pick<Config, 'dataDir'>): Omit<PublishedOptions, 'keys'> => ({
  published: new TakenSequencesFile(join(dataDir, 'published-snapshots.json')),
});

type SnapshotConfig = Pick<Config, 'dataDir' | 'snapshotUrl' | 'secret'>;

export function placeAt(place: string): (kind: ImageKind) => ImagePlace {
  if (place.startsWith('s3://')) {
    const { hostname, pathname, searchParams } = new URL(place);
    const prefix = pathname.replace(/^\/+|\/+$/g, '');
    const pathStyle = searchParams.get('style') !== 'virtual';
    return (kind) =>
      new ImageBucket({ bucket: hostname, prefix: prefix === '' ? kind : `${prefix}/${kind}`, pathStyle });
  }
  const folder = place.startsWith('file://') ? fileURLToPath(place) : resolve(place);
  return (kind) => new ImageFolder(join(folder, kind));
}
