import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../core/check-row.ts';
import type { LogPosition, LogPositionStore } from '../../service/log-source.ts';
import { writeDurably } from '../system/write-durably.ts';

/** The position of one log, in a folder of its own. */
export const positionFile = (folder: string): LogPositionStore => {
  const path = join(folder, 'position.json');
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (text === undefined) return undefined;
      const position = parsed(text);
      if (position === undefined)
        throw new Error(
          `${path} does not hold a position; delete it to begin at the end of the log, or with --from-start at its beginning`,
        );
      return position;
    },
    save: (position) => writeDurably(path, Buffer.from(`${JSON.stringify(position)}\n`)),
  };
};

function parsed(text: string): LogPosition | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { inode, offset, head, headBytes, modifiedAt } = value;
  const isWhole = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) >= 0;
  if (
    !isWhole(inode) ||
    !isWhole(offset) ||
    !isWhole(headBytes) ||
    typeof head !== 'string' ||
    typeof modifiedAt !== 'number'
  )
    return undefined;
  return { inode, offset, head, headBytes, modifiedAt };
}
