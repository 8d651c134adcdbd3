import { createReadStream, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import type { Log } from '../../apps/http/services.ts';
import type { Config } from '../../config.ts';
import { EDITIONS, isGeoSchema } from '../../core/export/export-record.ts';
import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import type { DatabaseFile, FindDatabase } from '../../service/databases/database-file.ts';
import { readCurrentGeo } from '../place-data/read-current-geo.ts';
import type { DatabaseReply, DatabaseRequest } from './database-worker.ts';

export interface DatabaseFilesOptions {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl'>;
  readonly log: Log;
}

const VERDICTS_OLD_MS = HOUR_MS;
/** Updaters ask again with growing pauses, so a first file is waited for as long as proxies allow. */
const FIRST_WAIT_MS = 55_000;
const WAIT_MS = 8000;
/** Making a file of places takes this much memory besides the mapped image. */
const CITY_MB = 650;
const IDLE_MS = 30_000;

interface Made {
  readonly md5: string;
  readonly bytes: number;
  readonly builtAt: UnixMs;
  readonly geo: string;
}

/**
 * Makes database files for updaters in the folder `databases`. A requested file is made when it is missing or
 * old, by one thread and one at a time; an old file is served until the new one is complete.
 */
export class DatabaseFiles {
  readonly #options: DatabaseFilesOptions;
  readonly #folder: string;
  readonly #making = new Map<string, Promise<DatabaseFile | 'withheld'>>();
  readonly #worker = new WorkerCalls<DatabaseRequest, DatabaseReply>(new URL('./database-worker.ts', import.meta.url), {
    idleMs: IDLE_MS,
    ended: 'the thread that makes database files ended early',
  });
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: DatabaseFilesOptions) {
    this.#options = options;
    this.#folder = join(options.config.dataDir, 'databases');
  }

  readonly find: FindDatabase = async (edition, isOperator) => {
    const current = await readCurrentGeo(this.#options.config.dataDir);
    if (current === undefined) return 'in_making';
    const { version: geo } = current;
    const kept = this.#read(edition, isOperator);
    if (kept !== undefined && isCurrent(edition, kept.made, geo)) return kept.file;
    const making = this.#make(edition, isOperator, current);
    const waited = await Promise.race([
      making,
      setTimeout(kept === undefined ? FIRST_WAIT_MS : WAIT_MS, undefined, { ref: false }),
    ]);
    return waited ?? kept?.file ?? 'in_making';
  };

  close(): Promise<void> {
    return this.#worker.close();
  }

  #pathOf(edition: string, isOperator: boolean): string {
    return join(this.#folder, `${edition}${isOperator ? '.operator' : ''}.mmdb.gz`);
  }

  #read(edition: string, isOperator: boolean): { readonly made: Made; readonly file: DatabaseFile } | undefined {
    const path = this.#pathOf(edition, isOperator);
    try {
      const made = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Made;
      return { made, file: fileOf(edition, path, made) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #make(edition: string, isOperator: boolean, geo: SharedGeo): Promise<DatabaseFile | 'withheld'> {
    const path = this.#pathOf(edition, isOperator);
    const underWay = this.#making.get(path);
    if (underWay !== undefined) return underWay;
    const making = this.#turn.then(() => this.#build({ edition, isOperator, path }, geo));
    this.#turn = making.catch((error: unknown) =>
      this.#options.log.error({ err: error, edition }, 'a database file could not be made'),
    );
    this.#making.set(path, making);
    return making.finally(() => this.#making.delete(path));
  }

  async #build(
    { edition, isOperator, path }: Omit<DatabaseRequest, 'config'>,
    { image, version: geo }: SharedGeo,
  ): Promise<DatabaseFile | 'withheld'> {
    const freeMb = Math.round(process.availableMemory() / 2 ** 20);
    if (EDITIONS[edition] === 'city' && freeMb < CITY_MB)
      throw new Error(`a file of places takes ${CITY_MB} MB of memory while it is made, and ${freeMb} MB are free`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const builtAt = systemClock.now();
    const { config } = this.#options;
    const reply = await this.#worker.call({
      config: {
        dataDir: config.dataDir,
        databaseUrl: config.databaseUrl,
        ...('path' in image && { geoPath: image.path }),
      },
      edition,
      path,
      isOperator,
    });
    if (reply === 'withheld') return reply;
    const made: Made = { md5: reply.md5, bytes: reply.bytes, builtAt, geo };
    await writeDurably(`${path}.json`, Buffer.from(JSON.stringify(made)));
    return fileOf(edition, path, made);
  }
}

const isCurrent = (edition: string, { builtAt, geo }: Made, current: string): boolean =>
  geo === current && (isGeoSchema(EDITIONS[edition]!) || systemClock.now() - builtAt < VERDICTS_OLD_MS);

const fileOf = (edition: string, path: string, { md5, bytes, builtAt }: Made): DatabaseFile => ({
  edition,
  md5,
  bytes,
  packedBytes: statSync(path).size,
  builtAt,
  open: () => createReadStream(path),
});
