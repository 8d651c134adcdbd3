import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPart } from './control-part.ts';

/** Serves the compiled geo image of the data folder. */
export const geoImagePart: ControlPart = {
  name: 'geo image',
  async start({ config, log, publisher }) {
    const path = join(config.dataDir, 'images', 'geo.img');
    if (existsSync(path)) publisher.geo(readShared(path));
    else log.warn({ path }, 'there is no geo image; look-ups answer not_ready');
    return { stop() {} };
  },
};

/** Reads a file into shared memory in as few calls as the system allows. */
export function readShared(path: string): SharedArrayBuffer {
  const fd = openSync(path, 'r');
  try {
    const shared = new SharedArrayBuffer(fstatSync(fd).size);
    const bytes = new Uint8Array(shared);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(fd, bytes, at, Math.min(bytes.length - at, 1 << 30), at);
      if (read === 0) throw new Error(`${path} ended early`);
      at += read;
    }
    return shared;
  } finally {
    closeSync(fd);
  }
}
