import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ExportEntry } from '../../core/export/export-record.ts';
import { metaOf } from '../../core/export/text-formats.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { listChanges } from '../../core/lists/list-changes.ts';
import type { UnixMs } from '../../core/units.ts';
import { encoded } from '../bulk/export-formats.ts';
import { openVerdicts, type VerdictChoice, type VerdictStores } from '../bulk/open-verdicts.ts';
import { replaceFile } from '../bulk/replace-file.ts';
import type { FileStatement } from '../bulk/verdict-file.ts';

export interface ListChangesOptions {
  readonly path: string;
  readonly then: VerdictChoice;
  readonly now: VerdictChoice;
  readonly since: UnixMs;
  readonly knownContent: string | undefined;
}

export async function writeListChanges(
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
