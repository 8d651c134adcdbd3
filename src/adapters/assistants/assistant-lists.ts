import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkListFile } from '../../core/place/network-list.ts';
import { buildImage, Image, type ImageBuffer, ImageError, jsonSection } from '../../engine/image.ts';
import { ASSISTANT_FAMILIES } from './assistant-families.ts';

const SECTION = 'LIST';

export type AssistantLists = ReadonlyMap<string, readonly string[]>;

/**
 * Packs the vendors' lists of a folder in the container that other nodes take images in. A missing or damaged
 * list is left out.
 */
export function packAssistantLists(folder: string): Uint8Array {
  const feeds = ASSISTANT_FAMILIES.flatMap((family) => family.feeds);
  const lists = feeds
    .map((feed) => [feed, readAssistantList(folder, feed)] as const)
    .filter(([, prefixes]) => prefixes.length > 0);
  return buildImage('assistants', [jsonSection(SECTION, lists)]);
}

/** @throws ImageError or SyntaxError for anything but such a container */
export function unpackAssistantLists(buffer: ImageBuffer): AssistantLists {
  const text = new TextDecoder().decode(new Image(buffer, 'assistants').bytes(SECTION).slice());
  const lists: unknown = JSON.parse(text);
  if (!Array.isArray(lists)) throw new ImageError('its lists are not an array');
  return new Map(lists.map((pair: unknown) => (Array.isArray(pair) ? [String(pair[0]), textsOf(pair[1])] : ['', []])));
}

/**
 * A missing or damaged list is empty. The shipped copy replaces it; otherwise its callers are ordinary
 * anonymous ones, which is safe.
 */
export function readAssistantList(folder: string, feed: string): readonly string[] {
  try {
    const list = JSON.parse(readFileSync(join(folder, `${feed}.json`), 'utf8')) as Partial<NetworkListFile>;
    return textsOf(list.prefixes);
  } catch {
    return [];
  }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
