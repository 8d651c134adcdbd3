import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, threadCostMs } from '../../adapters/system/own-process.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import type { ExportEntry } from '../../core/export/export-record.ts';
import { metaOf } from '../../core/export/text-formats.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { isCurrent, isFresh, type KeptList } from '../../core/lists/kept-list.ts';
import { listChanges } from '../../core/lists/list-changes.ts';
import { familiesOf, filterOf } from '../../core/lists/list-options.ts';
import type { UnixMs } from '../../core/units.ts';
import type { ListQuery } from '../../service/lists/list-files.ts';
import { encoded } from '../bulk/export-formats.ts';
import { openVerdicts, type VerdictChoice, type VerdictStores } from '../bulk/open-verdicts.ts';
import { replaceFile } from '../bulk/replace-file.ts';
import { type FileStatement, VerdictFile } from '../bulk/verdict-file.ts';

export interface ListReply {
  readonly path: string;
  readonly digest: string;
  readonly modifiedAt: UnixMs;
  readonly prefixes: number;
  readonly total: number;
  readonly leftOut: number;
  readonly degraded: boolean;
}

type MadeList = KeptList & Omit<ListReply, 'path'>;

const FILES_KEPT_MAX = 200;

/**
 * Makes lists as files in a folder, one at a time. The facts of a file lie beside it. A list with the same content
 * keeps its file and the moment from which it had that content.
 */
export class ListAnswers {
  readonly #folder: string;
  readonly #stores: VerdictStores;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, stores: VerdictStores) {
    this.#folder = folder;
    this.#stores = stores;
  }

  answer(query: ListQuery, signal: AbortSignal): Promise<ListReply> {
    const answer = this.#turn.then(() => this.#answer(query, signal));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #answer(query: ListQuery, signal: AbortSignal): Promise<ListReply> {
    const name = createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 32);
    const path = join(this.#folder, `${name}.${query.format}${query.isPacked ? '.gz' : ''}`);
    const known = readMade(path);
    const at = systemClock.now();
    const { images } = this.#stores;
    if (known !== undefined && isFresh(known, at, await images.overridesVersion())) return replyOf(path, known);
    const { version, overridesVersion: overrides } = await images.current();
    if (known !== undefined && isCurrent(known, at, version)) return replyOf(path, known);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const started = threadCostMs();
    const { isNew, ...facts } = await this.#write(query, path, known?.digest, signal);
    const made: MadeList = {
      ...facts,
      version,
      overrides,
      madeAt: at,
      costMs: threadCostMs() - started,
      modifiedAt: isNew || known === undefined ? at : known.modifiedAt,
    };
    await writeDurably(madePath(path), Buffer.from(JSON.stringify(made)));
    this.#removeOldest();
    return replyOf(path, made);
  }

  #write(query: ListQuery, path: string, known: string | undefined, signal: AbortSignal): Promise<FileStatement> {
    const { name, format, isWithoutComments, since } = query;
    const choice = choiceOf(query);
    if (since !== undefined) {
      const then = { ...choice, at: since, exclude: excluded(query, query.allowedSince ?? []) };
      return writeListChanges(this.#stores, { path, then, now: choice, since, knownContent: known }, signal);
    }
    const options = {
      ...choice,
      format,
      schema: 'pulse' as const,
      path,
      name,
      ...(isWithoutComments && { hasComments: false }),
    };
    return new VerdictFile(this.#stores, options, known).write(signal);
  }

  #removeOldest(): void {
    const made = readdirSync(this.#folder).filter((file) => file.endsWith('.made'));
    if (made.length <= FILES_KEPT_MAX) return;
    const times = made.map((file) => ({ file, at: statSync(join(this.#folder, file)).mtimeMs }));
    times.sort((a, b) => a.at - b.at);
    for (const { file } of times.slice(0, made.length - FILES_KEPT_MAX)) {
      const path = join(this.#folder, file.slice(0, -'.made'.length));
      for (const ending of ['', '.made', '.meta.json']) rmSync(`${path}${ending}`, { force: true });
    }
  }
}

/** IPv6 has no history, so lists of the past hold IPv4 alone. */
function choiceOf(query: ListQuery): VerdictChoice {
  const { settings, isOwn, at, since, allowed } = query;
  return {
    families: at === undefined && since === undefined ? familiesOf(settings) : [4],
    filter: filterOf(settings),
    exclude: excluded(query, allowed),
    includeFetchOnly: isOwn,
    max: settings.max,
    at,
  };
}

const excluded = ({ settings }: ListQuery, allowed: readonly string[]) =>
  [...settings.exclude, ...allowed].map((text) => parsePrefix(text)!);

const madePath = (path: string): string => `${path}.made`;

function readMade(path: string): MadeList | undefined {
  if (!existsSync(path) || !existsSync(madePath(path))) return undefined;
  return JSON.parse(readFileSync(madePath(path), 'utf8')) as MadeList;
}

const replyOf = (path: string, made: MadeList): ListReply => ({ path, ...made });

interface ListChangesOptions {
  readonly path: string;
  readonly then: VerdictChoice;
  readonly now: VerdictChoice;
  readonly since: UnixMs;
  readonly knownContent: string | undefined;
}

async function writeListChanges(
  stores: VerdictStores,
  { path, then, now, since, knownContent }: ListChangesOptions,
  signal: AbortSignal,
): Promise<FileStatement> {
  const before = await openVerdicts(stores, then, 'prefix');
  const { notice, entries, leftOut } = await openVerdicts(stores, now, 'prefix');
  const hash = createHash('sha256');
  let prefixes = 0;
  function* json(): Generator<string> {
    const removed: string[] = [];
    yield `{"meta":${JSON.stringify(metaOf(notice))},"since":"${new Date(since).toISOString()}","added":[`;
    let separator = '';
    for (const { change, prefix } of listChanges(prefixesOf(before.entries), prefixesOf(entries))) {
      const text = `"${formatPrefix(prefix)}"`;
      hash.update(`${change} ${text}\n`);
      prefixes++;
      if (change === 'removed') removed.push(text);
      else {
        yield separator + text;
        separator = ',';
      }
    }
    yield `],"removed":[${removed.join(',')}]}\n`;
  }
  let content = '';
  let isReplaced = false;
  const isNew = (): boolean => {
    content = hash.digest('hex');
    isReplaced = content !== knownContent || !existsSync(path);
    return isReplaced;
  };
  await replaceFile(path, encoded(json()), { signal, isNew });
  return {
    digest: content,
    prefixes,
    total: prefixes,
    leftOut: leftOut(),
    degraded: notice.degraded,
    isNew: isReplaced,
  };
}

function* prefixesOf(entries: Iterable<ExportEntry>) {
  for (const { prefix } of entries) yield prefix;
}
