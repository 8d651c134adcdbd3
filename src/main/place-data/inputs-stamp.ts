import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rulesDigest } from '../../adapters/layers/tables.ts';
import { folderStamp } from '../../adapters/system/folder-stamp.ts';
import { inputFolders } from './current-geo-image.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * The stamp changes with the names, sizes and times of the inputs of an image, with the packages that ship
 * layers and with the rules. Equal stamps mean equal inputs; reading a megabyte of lists takes fifty times as long.
 */
export function inputsStamp(dataDir: string): string {
  const { text } = folderStamp([...inputFolders(dataDir), join(ROOT, 'data')]);
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  const parts = [text, rulesDigest(join(ROOT, 'src')), JSON.stringify(dependencies)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
