import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Site, SiteFile } from '../../service/site.ts';
import { readOptionalFile } from '../system/files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.bin': 'application/octet-stream',
};

/** Reads the built site (console/dist) once per build; undefined while it is not built. */
export function openBuiltSite(folder: string): () => Site | undefined {
  let builtAt: number | undefined;
  let site: Site | undefined;
  return () => {
    const found = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
    if (found !== builtAt) [builtAt, site] = [found, found === undefined ? undefined : readSite(folder)];
    return site;
  };
}

function readSite(folder: string): Site {
  const files = new Map<string, SiteFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const bytes = readFileSync(file);
    files.set(path, {
      type,
      bytes,
      gzip: readOptionalFile(`${file}.gz`),
      brotli: readOptionalFile(`${file}.br`),
      immutable: path.startsWith('/assets/'),
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    });
  }
  return { document: readFileSync(join(folder, 'index.html'), 'utf8'), files };
}
