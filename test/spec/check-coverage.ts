/**
 * Run by scripts/test.mjs after the tests, with the folders of their results: fails when no passed test cites
 * a requirement. With `--interface` only those of the published interface are asked for.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Citation } from './covers.ts';
import { judgeCoverage, type Skip } from './judge-coverage.ts';
import { REQUIREMENTS } from './requirements.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folders = process.argv.slice(2).filter((argument) => argument !== '--interface');
const asked = process.argv.includes('--interface')
  ? REQUIREMENTS.filter(({ text }) => !text.startsWith('beyond the interface: '))
  : REQUIREMENTS;

const read = <Row>(start: string): readonly Row[] =>
  folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => basename(path).startsWith(start))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

const sources = new Map<string, Set<string>>();
for (const file of globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules'],
}))
  for (const call of readFileSync(resolve(ROOT, file), 'utf8').matchAll(/\bcovers\(([^)]*)\)/g))
    for (const [, id] of call[1]!.matchAll(/'([^']+)'/g)) sources.set(id!, (sources.get(id!) ?? new Set()).add(file));

const skips = read<Skip>('skips').map((skip) => ({ ...skip, file: relative(ROOT, skip.file) }));
const { faults, excused } = judgeCoverage(asked, {
  citations: read<Citation>('citations'),
  skips,
  sources: new Map([...sources].map(([id, files]) => [id, [...files]])),
});
for (const line of excused) process.stdout.write(`  ${line}\n`);
for (const line of faults) process.stderr.write(`  ${line}\n`);
process.stdout.write(
  `  ${asked.length - faults.length - excused.length} of ${asked.length} requirements are cited by a test that passed\n`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
