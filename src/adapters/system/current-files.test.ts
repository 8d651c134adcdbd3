import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { CurrentFiles, type PointerFormat } from './current-files.ts';
import { FileFolder, type FilePlace } from './files.ts';

interface Pair {
  readonly table: string;
  readonly log: string;
}

const isPair = (value: unknown): value is Pair =>
  typeof (value as Pair | undefined)?.table === 'string' && typeof (value as Pair).log === 'string';

const FORMAT: PointerFormat<Pair> = {
  name: 'current.json',
  parse: (json) => {
    const { current, before } = Object(json) as { current?: unknown; before?: unknown };
    return isPair(current) ? { current, ...(isPair(before) && { before }) } : undefined;
  },
  print: (pointer) => JSON.stringify(pointer),
  files: ({ table, log }) => [table, log],
  owns: (name) => /^\d+\.(table|log|parts)$/.test(name),
};

const pair = (n: number): Pair => ({ table: `${n}.table`, log: `${n}.log` });

const newPlace = (): FileFolder => new FileFolder(join(testFolder('current'), 'library'));

/** Writes the files of a pair and makes them current. */
async function advance(place: FilePlace, files: CurrentFiles<Pair>, n: number): Promise<void> {
  for (const name of FORMAT.files(pair(n))) await place.write(name, Buffer.from(`${name} content`));
  await files.replace(pair(n));
}

test('nothing is current in a folder that is not there', async () => {
  const files = new CurrentFiles(newPlace(), FORMAT);
  assert.deepEqual(await files.read(), {});
  assert.equal(
    await files.firstUsable(
      async () => assert.fail('nothing to load'),
      () => assert.fail('nothing to refuse'),
    ),
    undefined,
  );
});

test('the files of the pointer and of the one before it stay; other files go, and nothing else does', async () => {
  const place = newPlace();
  const files = new CurrentFiles(place, FORMAT);
  await place.write('import.lock', Buffer.from('1'));
  await mkdir(join(place.path, '1.parts'));
  await writeFile(join(place.path, '1.parts', '0'), 'left by an import that died');
  for (const n of [1, 2, 3]) await advance(place, files, n);
  assert.deepEqual(await files.read(), { current: pair(3), before: pair(2) });
  assert.deepEqual(
    (await readdir(place.path)).sort(),
    '2.log 2.table 3.log 3.table current.json import.lock'.split(' '),
  );
  await files.replace(pair(3));
  assert.deepEqual(await files.read(), { current: pair(3), before: pair(2) }, 'the way back stays');
});

test('where the current files cannot be used, those before are taken and each refusal is reported', async () => {
  const place = newPlace();
  const files = new CurrentFiles(place, FORMAT);
  for (const n of [1, 2]) await advance(place, files, n);
  const load = ({ table }: Pair): Promise<string> => readFile(place.file(table), 'utf8');
  const refused: string[] = [];
  const usable = () =>
    files.firstUsable(load, ({ table }, { message }) => refused.push(`${table} ${message.slice(0, 6)}`));
  assert.deepEqual([await usable(), refused], [{ named: pair(2), loaded: '2.table content' }, []]);
  await rm(place.file('2.table'));
  assert.deepEqual([await usable(), refused], [{ named: pair(1), loaded: '1.table content' }, ['2.table ENOENT']]);
  await rm(place.file('1.table'));
  assert.equal(await usable(), undefined);
  assert.deepEqual(refused.slice(1), ['2.table ENOENT', '1.table ENOENT']);
});

test('a damaged pointer is as none, and is replaced by the next one', async () => {
  const place = newPlace();
  const files = new CurrentFiles(place, FORMAT);
  await advance(place, files, 1);
  for (const text of ['', '{', '[]', 'null', '7', '{"current":{"table":"1.table"}}']) {
    await writeFile(place.file('current.json'), text);
    assert.deepEqual(await files.read(), {}, text);
  }
  await advance(place, files, 2);
  assert.deepEqual(await files.read(), { current: pair(2) });
});

test('a pointer that cannot be read is a fault, not an empty folder', async () => {
  const place = newPlace();
  await mkdir(place.file('current.json'), { recursive: true });
  await assert.rejects(new CurrentFiles(place, FORMAT).read(), { code: 'EISDIR' });
});

test('the pointer is written after the files were, and files go only after it; where names cannot be listed, those it forgets go', async () => {
  const held = new Map<string, string>();
  const done: string[] = [];
  const place: FilePlace = {
    text: async (name) => held.get(name),
    async write(name, bytes) {
      done.push(`write ${name}`);
      held.set(name, Buffer.from(bytes).toString());
    },
    async remove(name) {
      done.push(`remove ${name}`);
      held.delete(name);
    },
  };
  const files = new CurrentFiles(place, FORMAT);
  for (const n of [1, 2, 3]) await advance(place, files, n);
  const written = (n: number): string[] => [`write ${n}.table`, `write ${n}.log`, 'write current.json'];
  assert.deepEqual(done, [...written(1), ...written(2), ...written(3), 'remove 1.table', 'remove 1.log']);
  place.write = async () => {
    throw new Error('no space');
  };
  await assert.rejects(files.replace(pair(4)), /no space/);
  assert.deepEqual([await files.read(), held.size], [{ current: pair(3), before: pair(2) }, 5], 'nothing forgotten');
});
