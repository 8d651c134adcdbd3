import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { LogPosition } from '../../service/log-source.ts';
import { LogFile } from './log-file.ts';
import { positionFile } from './position-file.ts';

let folder = '';
let path = '';
let losses = 0;
const opened: LogFile[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pulse-log-'));
  path = join(folder, 'auth.log');
  losses = 0;
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

function follow(position?: LogPosition, begin: 'start' | 'end' = 'start'): LogFile {
  const file = new LogFile({ path, position, begin, onLoss: () => (losses += 1) });
  opened.push(file);
  return file;
}

/** Every line there is, and the position behind the last; asks until a file that was replaced is left. */
async function drain(
  file: LogFile,
): Promise<{ readonly lines: readonly string[]; readonly position: LogPosition | undefined }> {
  const lines: string[] = [];
  let position: LogPosition | undefined;
  for (let silent = 0; silent < 3; ) {
    const chunk = await file.read();
    silent = chunk === undefined ? silent + 1 : 0;
    lines.push(...(chunk?.lines ?? []));
    position = chunk?.position ?? position;
  }
  return { lines, position };
}
const linesOf = async (file: LogFile) => (await drain(file)).lines;
/** Lines differ, as lines with times do. */
const write = (to: string, ...lines: readonly string[]): void =>
  appendFileSync(to, lines.map((line) => `${line}\n`).join(''));
const aged = (file: string, sec: number): void => utimesSync(file, sec, sec);

describe('a log that grows', () => {
  test('is read line by line; a line without its end waits', async () => {
    const file = follow();
    assert.deepEqual(await linesOf(file), [], 'it is not there yet');
    write(path, 'one', 'two\r');
    appendFileSync(path, 'thr');
    assert.deepEqual(await linesOf(file), ['one', 'two']);
    appendFileSync(path, 'ee\nfour\n');
    assert.deepEqual(await linesOf(file), ['three', 'four']);
  });

  test('begins at its end where that was asked for, and the place is known before a line came', async () => {
    write(path, 'old');
    appendFileSync(path, 'begun ');
    const first = await drain(follow(undefined, 'end'));
    assert.deepEqual(first.lines, []);
    write(path, 'before', 'new');
    assert.deepEqual(await linesOf(follow(first.position, 'end')), ['begun before', 'new']);
  });

  test('a line that is far too long is passed over, and no other', async () => {
    write(path, 'one', 'x'.repeat(3_000_000), 'y'.repeat(70_000), 'two');
    assert.deepEqual(await linesOf(follow()), ['one', 'two']);
  });
});

describe('rotation', () => {
  test('a renamed file is read to its end, also what comes after the renaming', async () => {
    const file = follow();
    write(path, 'one');
    assert.deepEqual(await linesOf(file), ['one']);
    renameSync(path, `${path}.1`);
    write(`${path}.1`, 'two');
    appendFileSync(`${path}.1`, 'three without end');
    write(path, 'four');
    assert.deepEqual(await linesOf(file), ['two', 'three without end', 'four']);
  });

  test('of a file that was copied and cut, the rest is read from the copy, also when the new one has grown past the old', async () => {
    const file = follow();
    write(path, 'one');
    assert.deepEqual(await linesOf(file), ['one']);
    write(path, 'two');
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    write(path, 'three', 'four', 'five');
    assert.deepEqual(await linesOf(file), ['two', 'three', 'four', 'five']);
    assert.equal(losses, 0);
  });

  test('a file that was cut without a copy is begun again, and that is reported', async () => {
    const file = follow();
    write(path, 'one');
    assert.deepEqual(await linesOf(file), ['one']);
    truncateSync(path);
    write(path, 'b');
    assert.deepEqual([await linesOf(file), losses], [['b'], 1]);
  });
});

describe('a restart', () => {
  test('goes on where the position was kept, over a position file', async () => {
    const positions = positionFile(folder);
    assert.equal(await positions.load(), undefined);
    write(path, 'one');
    await positions.save((await drain(follow())).position!);
    write(path, 'two');
    assert.deepEqual(await linesOf(follow(await positions.load())), ['two']);
    writeFileSync(join(folder, 'position.json'), '{"inode":1}');
    await assert.rejects(positions.load(), /does not hold a position/);
  });

  test('reads what was rotated meanwhile in its order, whichever way it was rotated', async () => {
    for (const way of ['renamed', 'copied'] as const) {
      path = join(folder, `${way}.log`);
      write(path, 'one');
      const { position } = await drain(follow());
      write(path, 'two');
      if (way === 'renamed') renameSync(path, `${path}.2`);
      else {
        copyFileSync(path, `${path}.2`);
        rmSync(path);
      }
      write(`${path}.1`, 'three');
      aged(`${path}.2`, 1000);
      aged(`${path}.1`, 2000);
      write(path, 'four');
      assert.deepEqual([await linesOf(follow(position)), losses], [['two', 'three', 'four'], 0], way);
    }
  });

  test('where the file is packed by now, reads what was written since, and reports the loss', async () => {
    write(path, 'one');
    aged(path, 1000);
    const { position } = await drain(follow());
    renameSync(path, `${path}.2.gz`);
    write(`${path}.3`, 'long ago');
    aged(`${path}.3`, 500);
    write(`${path}.1`, 'three');
    aged(`${path}.1`, 2000);
    write(path, 'four');
    assert.deepEqual([await linesOf(follow(position)), losses], [['three', 'four'], 1]);
  });
});

test('whatever is written, rotated and restarted, each line is read, in order, and none twice where the position was kept', async () => {
  const step = fc.constantFrom('write', 'rename', 'copy', 'read', 'restart', 'forget');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const inner = mkdtempSync(join(folder, 'run-'));
      path = join(inner, 'app.log');
      let file = follow();
      let kept: LogPosition | undefined;
      let keptLines = 0;
      const written: string[] = [];
      let read: string[] = [];
      let rotation = 0;
      const drained = async (): Promise<void> => {
        const { lines, position } = await drain(file);
        read.push(...lines);
        if (position !== undefined) [kept, keptLines] = [position, read.length];
      };
      const add = (): void => {
        const line = `${String(written.length).padStart(6, '0')} line`;
        written.push(line);
        write(path, line);
      };
      add();
      for (const one of [...steps, 'read']) {
        if (one === 'write') add();
        // Rotation comes no more often than the log is looked at: a file that was begun and cut unseen leaves no trace.
        if (one === 'rename' || one === 'copy') {
          await drained();
          add();
          if (one === 'rename') renameSync(path, `${path}.${++rotation}`);
          else {
            copyFileSync(path, `${path}.${++rotation}`);
            truncateSync(path);
          }
          aged(`${path}.${rotation}`, 1000 + rotation);
          add();
        }
        if (one === 'read') await drained();
        if (one === 'restart' || one === 'forget') {
          // What was read and whose position was not kept is read again.
          if (one === 'restart') await drained();
          else await drain(file);
          read = read.slice(0, keptLines);
          await file.close();
          file = follow(kept);
        }
      }
      assert.deepEqual([read, losses], [written, 0]);
      await file.close();
      rmSync(inner, { recursive: true });
    }),
    { numRuns: 60 },
  );
});
