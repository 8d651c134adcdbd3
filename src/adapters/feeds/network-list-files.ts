import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Feed } from '../../core/feeds/feed.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { parseRecord } from '../../core/kit/json.ts';
import type { NetworkList, NetworkListFile, PrefixColumns } from '../../core/place/network-list.ts';
import type { NetworkListSink } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/files.ts';
import { writeDurablySync } from '../system/write-durably.ts';

/** The compiler of lookup data reads these files: `<folder>/<id>.json` in the form of `NetworkListFile`. */
export class NetworkListFiles implements NetworkListSink {
  readonly #folder: string;
  readonly #findRelay: () => boolean;
  #relayKnown = false;

  constructor(folder: string, findRelay: () => boolean) {
    this.#folder = folder;
    this.#findRelay = findRelay;
    mkdirSync(folder, { recursive: true });
  }

  knowsRelay(): boolean {
    this.#relayKnown ||= this.#findRelay();
    return this.#relayKnown;
  }

  /**
   * Writes a layer of places beside the list; an unchanged one is left, so that places are not compiled again.
   * @returns whether it changed
   */
  #putPlaces({ id, licence, attribution, holders }: Feed, places: readonly string[]): boolean {
    const path = join(this.#folder, `${id}.geofeed`);
    const held = holders === undefined ? '' : `# ${holders.map((asn) => `AS${asn}`).join(' ')}\n`;
    const text = `# ${licence}; ${attribution}\n${held}${places.join('\n')}\n`;
    if (String(readOptionalFile(path) ?? '') === text) return false;
    writeDurablySync(path, text);
    return true;
  }

  put(feed: Feed, list: NetworkList): boolean {
    const moved = list.places !== undefined && this.#putPlaces(feed, list.places);
    // A list that sets nothing (an operator's whole space, read for reference) needs no file.
    if (Object.keys(list.effect).length === 0) return moved;
    const path = join(this.#folder, `${list.id}.json`);
    const bytes = readOptionalFile(path);
    const held = bytes && parseRecord(String(bytes));
    if (held?.version === list.version && held.family === list.family) return moved;
    const file: NetworkListFile = {
      id: list.id,
      version: list.version,
      ...(list.family === undefined ? {} : { family: list.family }),
      effect: list.effect,
      ...(list.prefixes === undefined ? {} : { prefixes: prefixTexts(list.prefixes) }),
      ...(list.asns === undefined ? {} : { asns: [...list.asns] }),
      origin: feed.url === '' ? feed.title : feed.url,
      licence: `${feed.licence}; ${feed.attribution}`,
    };
    writeDurablySync(path, `${JSON.stringify(file)}\n`);
    return true;
  }
}

function prefixTexts({ length, family, words, bits }: PrefixColumns): string[] {
  return Array.from({ length }, (_, row) =>
    formatPrefix({
      family: family[row] === 6 ? 6 : 4,
      w0: words[4 * row]!,
      w1: words[4 * row + 1]!,
      w2: words[4 * row + 2]!,
      w3: words[4 * row + 3]!,
      bits: bits[row]!,
    }),
  );
}
