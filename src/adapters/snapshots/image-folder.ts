import type { ImageKind } from '../../engine/image.ts';
import { FileFolder } from '../system/file-folder.ts';
import { checkImage } from './check-image.ts';
import type { ImagePlace } from './published-images.ts';
import { readImageFile } from './read-image-file.ts';

export class ImageFolder extends FileFolder implements ImagePlace {
  image(name: string, kind: ImageKind): Promise<SharedArrayBuffer> {
    return readImageFile(this.file(name), kind);
  }

  /** A file may have been damaged since; writing it again repairs any damage. */
  async holds(name: string, kind: ImageKind): Promise<boolean> {
    try {
      await checkImage(await this.image(name, kind), kind, 'checksums');
      return true;
    } catch {
      return false;
    }
  }
}
