import { createHash, randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type FetchResult, fetchFeed, Refused } from '../../adapters/feeds/fetch-feed.ts';
import { ReadingDeadline } from '../../adapters/feeds/reading-deadline.ts';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { contentDate, type LayerFile } from '../../adapters/layers/layer-file.ts';
import { type LayerPublisher, type PublishedFile, publishersWith } from '../../adapters/layers/layer-publishers.ts';
import { LayerUpdates, type UpdatedContent, type UpdatedFile } from '../../adapters/layers/layer-updates.ts';
import { summarizeLayer } from '../../adapters/layers/summarize-layer.ts';
import { readBody } from '../../adapters/system/read-body.ts';
import { refuseLayerUpdate } from '../../core/place/refuse-layer-update.ts';
import { Fault, type Said, said, sentenceOf } from '../../core/texts/said.ts';

const LAYER_MS = 30 * 60_000;

export interface LayerOutcome {
  readonly id: string;
  readonly status: 'updated' | 'unchanged' | 'refused';
  readonly version: string;
  readonly before: string;
  readonly reason?: Said;
}

export interface UpdateLayersOptions {
  readonly ids?: readonly string[];
  readonly onStep?: (step: Said) => void;
  readonly layerMs?: number;
}

/**
 * Fetches shipped layers again. Content that is older, covers less or fails the samples is refused with a
 * reason.
 */
export async function updateLayers(
  dataDir: string,
  now: number,
  { ids, onStep = () => {}, layerMs = LAYER_MS }: UpdateLayersOptions = {},
): Promise<LayerOutcome[]> {
  const { layers, mirrors } = findLayers(dataDir);
  const updates = new LayerUpdates(dataDir);
  const outcomes: LayerOutcome[] = [];
  for (const publisher of publishersWith(mirrors)) {
    const layer = layers.find(({ id, shipped }) => shipped && id === publisher.id);
    if (layer === undefined || ids?.includes(publisher.id) === false) continue;
    onStep(said('fetch {layer}', { layer: publisher.id }));
    outcomes.push(await updateLayer({ publisher, layer, updates, now, onStep, layerMs }));
  }
  return outcomes;
}

interface Update {
  readonly publisher: LayerPublisher;
  readonly layer: LayerFile;
  readonly updates: LayerUpdates;
  readonly now: number;
  readonly onStep: (step: Said) => void;
  readonly layerMs: number;
}

async function updateLayer(update: Update): Promise<LayerOutcome> {
  const { publisher: { id }, layer, updates, now } = update; // biome-ignore format: one line
  const { refused: _, ...held } = updates.read(id);
  const checked_at = new Date(now).toISOString();
  try {
    const content = await fetchContent(update, wholeContent(updates, held.current));
    const used = content?.files.some(({ sha256 }, i) => sha256 !== held.current?.files[i]?.sha256) === true;
    const current = content ?? held.current;
    const previous = used ? held.current : held.previous;
    updates.record(id, { ...(current && { current }), ...(previous && { previous }), checked_at }, now);
    return {
      id,
      status: used ? 'updated' : 'unchanged',
      version: used ? current!.version : layer.version,
      before: layer.version,
    };
  } catch (error) {
    const reason = withoutFolder(sentenceOf(error), updates.folder);
    updates.record(id, { ...held, checked_at, refused: reason }, now);
    return { id, status: 'refused', version: layer.version, before: layer.version, reason };
  }
}

function withoutFolder({ text, values }: Said, folder: string): Said {
  const named = Object.entries(values).map(
    ([slot, value]) => [slot, typeof value === 'string' ? value.replaceAll(join(folder, sep), '') : value] as const,
  );
  return { text, values: Object.fromEntries(named) };
}

/** Returns the content only if all its files exist, since only then is the answer "not modified" acceptable. */
const wholeContent = (updates: LayerUpdates, content: UpdatedContent | undefined): UpdatedContent | undefined =>
  content !== undefined && updates.pathsOf(content) !== undefined ? content : undefined;

async function fetchContent(
  { publisher, layer, updates, now, onStep, layerMs }: Update,
  held: UpdatedContent | undefined,
): Promise<UpdatedContent | undefined> {
  const deadline = new ReadingDeadline(layerMs);
  const got = await Promise.all(publisher.files.map((file, i) => fetchFile(file, held?.files[i], now, deadline)));
  if (held !== undefined && got.every(({ fetched }) => fetched.status === 'unchanged')) return undefined;
  const bodies = got.map(({ fetched, file }, i) =>
    fetched.status === 'fresh' ? Buffer.from(readBody(fetched.body, file.maxBytes)) : heldBytes(updates, held!, i),
  );
  const dates = got.map(({ fetched, file }, i) =>
    contentDate(file.name, publisher.kind, bodies[i]!, fetched.validators.lastModified),
  );
  const version = dates.reduce<string>(
    (oldest, date) => (date !== undefined && date < oldest ? date : oldest),
    new Date(now).toISOString().slice(0, 10),
  );
  const files = got.map(({ url, fetched, file }, i) => {
    const sha256 = createHash('sha256').update(bodies[i]!).digest('hex');
    const { etag, lastModified } = fetched.validators;
    const name = `${publisher.id}.${file.name}-${version}-${sha256.slice(0, 8)}.${publisher.kind}`;
    const described: UpdatedFile = {
      file: name,
      url,
      bytes: bodies[i]!.length,
      sha256,
      ...(etag && { etag }),
      ...(lastModified && { last_modified: lastModified }),
    };
    return described;
  });
  const paths = files.map(({ file }, i) => updates.put(file, bodies[i]!));
  onStep(said('verify {layer} of {version}', { layer: publisher.id, version }));
  const { shipped, gives, role, id } = layer;
  const next: LayerFile = {
    id,
    shipped,
    version,
    files: paths,
    kind: publisher.kind,
    ...(gives && { gives }),
    ...(role && { role }),
  };
  try {
    requireUsable(layer, next);
  } catch (error) {
    for (const [i, path] of paths.entries())
      if (!layer.files.includes(path) && files[i]!.sha256 !== held?.files[i]?.sha256) rmSync(path, { force: true });
    throw error;
  }
  return { version, fetched_at: new Date(now).toISOString(), kind: publisher.kind, files };
}

function requireUsable(layer: LayerFile, next: LayerFile): void {
  const after = summarizeLayer(next);
  const reason = refuseLayerUpdate(summarizeLayer(layer), after);
  if (reason !== undefined) throw new Fault(reason);
}

function heldBytes(updates: LayerUpdates, held: UpdatedContent, index: number): Buffer {
  return readFileSync(join(updates.folder, held.files[index]!.file));
}

interface FetchedFile {
  readonly url: string;
  readonly file: PublishedFile;
  readonly fetched: FetchResult;
}

async function fetchFile(
  file: PublishedFile,
  held: UpdatedFile | undefined,
  now: number,
  deadline: ReadingDeadline,
): Promise<FetchedFile> {
  const urls = [...new Set([0, 1].map((back) => file.url.replaceAll('{month}', monthBefore(now, back))))];
  const ask = async (url: string): Promise<FetchedFile> => {
    const options = {
      maxBytes: file.maxBytes,
      timeoutMs: deadline.leftMs,
      deadline,
      random: () => randomInt(2 ** 32) / 2 ** 32,
    };
    return { url, file, fetched: await fetchFeed(url, held?.url === url ? validatorsOf(held) : undefined, options) };
  };
  const [url, before] = urls as [string, string?];
  try {
    return await ask(url);
  } catch (error) {
    const isAbsent = error instanceof Refused && (error.status === 404 || error.status === 403);
    if (before === undefined || !isAbsent) throw error;
    return ask(before);
  }
}

const validatorsOf = ({ etag, last_modified }: UpdatedFile) => ({
  ...(etag && { etag }),
  ...(last_modified && { lastModified: last_modified }),
});

function monthBefore(now: number, back: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
}
