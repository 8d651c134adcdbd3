import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Transform } from 'node:stream';
import type { Feed } from '../../core/feeds/feed.ts';
import { feedlogHeader } from '../../core/feeds/feedlog.ts';
import { readTime } from '../../core/feeds/read-time.ts';
import { fault, type Said, sentenceOf } from '../../core/texts/said.ts';
import { unixMs } from '../../core/units.ts';
import type { MirrorFile, MirrorScan } from '../../service/feeds/import-mirror.ts';
import { unpackedName } from '../system/map-file.ts';
import { packedKind, unpackWith } from '../system/read-body.ts';
import { feedById, feedForRepository, feedsForFile } from './catalogue.ts';
import { folderManifest, MANIFEST } from './published-times.ts';

const DATED = /^(\d{4})[-_](\d\d)[-_](\d\d)\.(txt|csv|json|jsonl)$/;

/**
 * Finds the feeds in a folder and everything below it. A file belongs to the feeds that know its name; `<feed id>/<date>.txt` is one day of a series;
 * `*.feedlog.jsonl` is the whole history of one list; `manifest.json` at the top says when files were published. Files that belong to no feed are named in `unknown`.
 * @throws Error when the folder cannot be read
 */
export async function scanMirror(folder: string): Promise<MirrorScan> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw fault('{folder} is not a folder', { folder });
  const snapshots = new Map<string, Extract<MirrorFile, { kind: 'snapshot' }>>();
  const series: MirrorFile[] = [];
  const unknown: string[] = [];
  const broken: { path: string; reason: Said }[] = [];
  let newestAt = 0;
  const published = folderManifest(folder);
  let fingerprint = '';
  for (const path of filesBelow(folder)) {
    const { mtimeMs, size } = statSync(path);
    const found = await identify(path).catch((error: Error) => error);
    if (path === join(folder, MANIFEST)) fingerprint += `${MANIFEST} ${size} ${mtimeMs}\n`;
    else if (found instanceof Error) broken.push({ path: relative(folder, path), reason: sentenceOf(found) });
    else if (found.length === 0) unknown.push(relative(folder, path));
    else {
      newestAt = Math.max(newestAt, Math.floor(mtimeMs));
      fingerprint += `${relative(folder, path)} ${size} ${mtimeMs}\n`;
    }
    for (const file of found instanceof Error ? [] : found) {
      if (file.kind !== 'snapshot') series.push(file);
      else if (!snapshots.has(file.feed.id))
        snapshots.set(file.feed.id, { ...file, publishedAt: published(relative(folder, path)) });
    }
  }
  return { snapshots: [...snapshots.values()], series, unknown, broken, newestAt: unixMs(newestAt), fingerprint };
}

/** Shallow files first, then by name, so that the choice between two files of one feed does not depend on the file system. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((a, b) => a.split(sep).length - b.split(sep).length || (a < b ? -1 : 1));
}

async function identify(path: string): Promise<readonly MirrorFile[]> {
  const name = unpackedName(basename(path));
  if (name.endsWith('.feedlog.jsonl')) {
    const header = feedlogHeader(await firstLine(path));
    const feed = feedForRepository(header.repo, header.path);
    // Only evidence has a history; a list about networks of last year says nothing now.
    return feed?.effect.kind === 'risk' ? [{ kind: 'feedlog', feed, path }] : [];
  }
  const date = DATED.exec(name);
  const folder = basename(dirname(path));
  if (date !== null && feedById(folder) !== undefined) {
    const at = readTime(date.slice(1, 4).join('-'));
    if (at === undefined) throw fault('{name}: no such date', { name });
    return feedsForFile(`${folder}.txt`).map((feed) => ({ kind: 'dated', feed, path, date: at }));
  }
  return feedsForFile(name).map((feed: Feed) => ({ kind: 'snapshot' as const, feed, path, publishedAt: undefined }));
}

async function firstLine(path: string): Promise<string> {
  const head = Buffer.alloc(65_536);
  const file = openSync(path, 'r');
  const length = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  const start = head.subarray(0, length);
  const packing = packedKind(start);
  const text = packing === undefined ? start.toString('utf8') : await unpackedHead(unpackWith(packing), start);
  return text.split('\n', 1)[0] ?? '';
}

/** The first bytes of a packed file, up to one line; the cut-off end is expected. */
function unpackedHead(packed: Transform, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const done = (): void => {
      packed.destroy();
      resolve(text);
    };
    packed.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\n')) done();
    });
    packed.on('end', done);
    packed.on('error', (error: NodeJS.ErrnoException) => (text.includes('\n') ? done() : reject(error)));
    packed.end(bytes);
  });
}
