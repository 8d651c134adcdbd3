/**
 * A value that is never imported is not an export: it would be read, kept and renamed for no caller. Types
 * are free: they name the parameters and answers of exports.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const FILES = ['src', 'console', 'test', 'bench', 'scripts'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }),
);
const isTest = (file: string): boolean => /^test\/|^bench\/|\.(test|contract|fixture)\.ts$/.test(file);

/** Exported values that only tests import, and why they are exported all the same. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  askNameService: 'a test asks a name service of its own on the loopback address',
  AssistantPrefixes: 'the matcher is tested over lists held in memory',
  AUDIT_DAYS: 'the bound and one millisecond more',
  BUCKET_MAX: 'the bound that chosen addresses are held to',
  CHAIN_MAX: 'the bound that chosen prefixes are held to',
  cleanClientName: 'a rule with cases of its own, tested apart from its caller',
  DEMO_EXAMPLES: 'a test holds them to the addresses of the demonstration',
  DROPPED_BYTES_MAX: 'the test sends one byte more than this bound',
  durationOf: 'a form that Go reads, tested apart from its caller',
  openSharedLedger: 'both steps of a start in one, for tests of the ledger',
  freshnessOf: 'a rule with cases of its own, tested apart from its caller',
  hotp: 'the values of RFC 4226, and the authenticator of tests',
  judgeRow: 'a rule with cases of its own, tested apart from its caller',
  kindOf: 'how a layer file is recognised, one case per form',
  LINE_MAX_BYTES: 'the bound of a line, and a line that passes it',
  MAX_REDIRECT_URI_LENGTH: 'the bound and one character more',
  networkList: 'the packed form of a list, so that a test can write one',
  metricNames: 'alert rules and the dashboard are held to them',
  NO_OBSERVATIONS: 'the one frozen answer of a miss; the test compares identity',
  PIPELINED_MAX: 'the bound, and a connection that passes it',
  QUEUE_MAX: 'the bound and one request more',
  WHOLE_BODY_BYTES: 'one byte more is a long body',
  packPlace: 'a rule with cases of its own, tested apart from its caller',
  progressText: 'what is shown, apart from the terminal it is shown on',
  serverJson: 'the document apart from its route',
  shippedLists: 'tests compare lookups with the shipped lists',
  syntheticNumber: 'tests and benchmarks ask for the numbers that were generated',
  timeColumns: 'a rule with cases of its own, tested apart from its caller',
  TURNS_MAX: 'the bound and one request more',
  USAGE_ORDER: 'the order is compared with the documents',
  usagePriority: 'a rule with cases of its own, tested apart from its caller',
};

/** Files and the names they import from the file at `target`; `*` where the whole module is taken. */
const imported = new Map<string, Map<string, string[]>>();
function note(from: string, path: string, names: readonly string[]): void {
  if (!path.startsWith('.')) return;
  const target = relative(ROOT, resolve(ROOT, dirname(from), path));
  const uses = imported.get(target) ?? new Map<string, string[]>();
  imported.set(target, uses);
  for (const name of names) uses.set(name, [...(uses.get(name) ?? []), from]);
}
for (const file of FILES) {
  const text = read(file);
  for (const [, what, path] of text.matchAll(/^(?:import|export)\s+(?:type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gm)) {
    const names = [
      ...(/\{([^}]*)\}/.exec(what!)?.[1] ?? '').matchAll(/(?:type\s+)?([\w$]+)(?:\s+as\s+[\w$]+)?\s*(?:,|$)/g),
    ].map(([, name]) => name!);
    note(file, path!, what!.includes('*') ? ['*'] : names);
  }
  for (const [, path] of text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)) note(file, path!, ['*']);
}

const exported = FILES.filter((file) => file.startsWith('src/') && !isTest(file) && !file.endsWith('.d.ts')).flatMap(
  (file) =>
    [...read(file).matchAll(/^export\s+(?:abstract\s+|async\s+)*(?:function\*?|class|const|let)\s+([\w$]+)/gm)].map(
      ([, name]) => ({
        file,
        name: name!,
        by: [...(imported.get(file)?.get(name!) ?? []), ...(imported.get(file)?.get('*') ?? [])],
      }),
    ),
);

test('every exported value is imported somewhere', () => {
  assert.ok(exported.length > 500, String(exported.length));
  const unexpected = exported.filter(({ by }) => by.length === 0).map(({ file, name }) => `${file} ${name}`);
  assert.deepEqual(unexpected, []);
});

test('an exported value that only tests import stands in the list above with its reason, and nothing else does', () => {
  const found = exported.filter(({ by }) => by.length > 0 && by.every(isTest)).map(({ name }) => name);
  assert.deepEqual(found.toSorted(), Object.keys(FOR_TESTS).toSorted());
});
