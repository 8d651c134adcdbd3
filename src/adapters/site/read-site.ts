import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Site, SiteFile } from '../../service/site.ts';
import { readIfThere } from '../system/read-if-there.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Reads the built site (console/dist) with the compressed forms that the build wrote next to each file.
 * @returns undefined when the site was not built: the API then runs without it
 */
export function readSite(folder: string): Site | undefined {
  const document = readIfThere(join(folder, 'index.html'));
  if (document === undefined) return undefined;
  const files = new Map<string, SiteFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    files.set(path, {
      type,
      bytes: readFileSync(file),
      gzip: readIfThere(`${file}.gz`),
      brotli: readIfThere(`${file}.br`),
      immutable: path.startsWith('/assets/'),
    });
  }
  return { document: document.toString('utf8'), files };
}
