import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '../../core/kit/json.ts';
import { fault } from '../../core/texts/said.ts';
import type { FeedReader, Quarantine, QuarantinedReading } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/files.ts';
import { writeDurably, writeDurablySync } from '../system/write-durably.ts';
import { BodyFiles } from './body-files.ts';
import { readFeed } from './read-feed.ts';

const NOTE = '.quarantine.json';
const BODY = '.quarantined';

/**
 * Keeps the newest reading of each feed: `<id>.quarantine.json`, and the body as received in
 * `<id>.<digest>.quarantined`.
 */
export class QuarantineFiles implements Quarantine {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get(id: string): QuarantinedReading | undefined {
    const note = readOptionalFile(this.#note(id));
    return note && (parseRecord(String(note)) as QuarantinedReading | undefined);
  }

  async put(id: string, reading: QuarantinedReading, body: Uint8Array | undefined): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    if (body !== undefined) await writeDurably(this.#body(id, reading.content), body);
    writeDurablySync(this.#note(id), `${JSON.stringify(reading)}\n`);
    this.#removeBodies(id, reading.content);
  }

  reader(reading: QuarantinedReading): FeedReader {
    const { content, live, publishedAt, validators } = reading;
    return {
      read: async (feed) => {
        const read = await readFeed({ from: 'file', feed, path: this.#body(feed.id, content) });
        if (read.content !== content)
          throw fault('the body of {feed} in quarantine is damaged; its next reading replaces it', { feed: feed.id });
        return { ...read, live, publishedAt, validators };
      },
      keep: (feed, { body }) => new BodyFiles(this.#folder).keep(feed.id, body),
    };
  }

  drop(id: string): void {
    rmSync(this.#note(id), { force: true });
    this.#removeBodies(id, undefined);
  }

  #removeBodies(id: string, but: string | undefined): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder))
      if (name.startsWith(`${id}.`) && name.endsWith(BODY) && name !== `${id}.${but}${BODY}`)
        rmSync(join(this.#folder, name), { force: true });
  }

  #note(id: string): string {
    return join(this.#folder, id + NOTE);
  }

  #body(id: string, content: string): string {
    return join(this.#folder, `${id}.${content}${BODY}`);
  }
}
