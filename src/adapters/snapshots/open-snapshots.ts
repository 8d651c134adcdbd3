import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import type { ImageKind } from '../../engine/image.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { ImageBucket } from './image-bucket.ts';
import { ImageFolder } from './image-folder.ts';
import { type ImagePlace, PublishedImages } from './published-images.ts';
import { type TakenSequences, TakenSequencesFile } from './taken-sequences.ts';

/**
 * Opens the place of published images: PULSE_SNAPSHOT_URL, or `snapshots` in the data folder. Pointers are
 * sealed with the deployment's secret. s3://bucket/prefix takes `?style=virtual` for stores that want the
 * bucket in the host name.
 * @param taken for a node that follows images: the sequences it has followed
 */
export function openSnapshots(
  config: SnapshotConfig,
  taken?: TakenSequences,
): Readonly<Record<ImageKind, PublishedImages>> {
  const place = placeAt(config.snapshotUrl ?? join(config.dataDir, 'snapshots'));
  const secret = loadSecret(config);
  const keys = { current: secret.subkey('snapshot'), former: secret.formerSubkeys('snapshot') };
  const of = (kind: ImageKind): PublishedImages =>
    new PublishedImages(place(kind), kind, { keys, ...(taken !== undefined && { taken }) });
  return { geo: of('geo'), evidence: of('evidence'), assistants: of('assistants') };
}

export const openTakenSequences = ({ dataDir }: Pick<Config, 'dataDir'>): TakenSequences =>
  new TakenSequencesFile(join(dataDir, 'taken-snapshots.json'));

type SnapshotConfig = Pick<Config, 'dataDir' | 'snapshotUrl' | 'secret'>;

function placeAt(place: string): (kind: ImageKind) => ImagePlace {
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
