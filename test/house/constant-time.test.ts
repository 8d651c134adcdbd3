/**
 * A caller's text is compared with a secret in constant time: `===` ends at the first difference, and how
 * soon can be measured from outside.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { parseAst } from 'vite';
import { type TreeNode, visitNodes } from '../support/visit-nodes.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Names of values that are secret, or prove that their sender knows a secret. */
const SECRET = /(?:secret|hash|digest|hmac|mac|signature|csrf|password|verifier|token|seal)$/i;

/** Comparisons of two values with such a name where none is a caller's guess at a secret, and why. */
const ALLOWED: readonly (readonly [comparison: string, reason: string])[] = [
  ['src/engine/record-texts.ts: this.#hashes[id] === hash', 'the hash of a place, of public data'],
  ['src/core/csv/csv-fields.ts: list[from] === HASH', 'the character #'],
  ['src/core/logs/line-reader.ts: bytes[from] === HASH', 'the character #'],
];

/** Files that judge a caller's secret, each in constant time. */
const JUDGES = [
  'src/adapters/accounts/key-directory-cache.ts',
  'src/service/accounts/password.ts',
  'src/service/sign-in/session.ts',
  'src/adapters/snapshots/sealed-pointer.ts',
];

const EQUALITY = new Set(['==', '===', '!=', '!==']);

/** The last name of an expression: `hash` of `found.hash`, `this.#hash` and `hash!`. */
function nameOf(node: TreeNode): string {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node['name'] as string;
  if (node.type === 'MemberExpression') return nameOf(node['property'] as TreeNode);
  if (node.type === 'TSNonNullExpression' || node.type === 'ParenthesizedExpression')
    return nameOf(node['expression'] as TreeNode);
  return node.type === 'Literal' ? String(node['value']) : '';
}

const isConstant = (node: TreeNode): boolean =>
  ['Literal', 'UnaryExpression', 'TemplateLiteral'].includes(node.type) || nameOf(node) === 'undefined';

/** Equalities that have a secret on one side and a value on the other. */
function comparisons(file: string, text: string): readonly string[] {
  const found: string[] = [];
  visitNodes(parseAst(text, { lang: 'ts' }, file), (node) => {
    if (node.type !== 'BinaryExpression' || !EQUALITY.has(node['operator'] as string)) return;
    const sides = [node['left'], node['right']] as TreeNode[];
    if (sides.some((side) => !isConstant(side) && SECRET.test(nameOf(side))) && !sides.some(isConstant))
      found.push(`${file}: ${text.slice(node['start'] as number, node['end'] as number)}`);
  });
  return found;
}

const FILES = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !/\.(?:test|contract|fixture|d)\.ts$/.test(file));
const FOUND = FILES.flatMap((file) => comparisons(file, readFileSync(resolve(ROOT, file), 'utf8')));

test('no secret is compared with ===', () => {
  const allowed = new Set(ALLOWED.map(([comparison]) => comparison));
  assert.deepEqual(
    FOUND.filter((one) => !allowed.has(one)),
    [],
  );
  assert.deepEqual(
    [...allowed].filter((one) => !FOUND.includes(one)),
    [],
  );
});

test('a check of a secret compares in constant time', () => {
  for (const file of JUDGES) assert.match(readFileSync(resolve(ROOT, file), 'utf8'), /\btimingSafeEqual\(/, file);
});

test('the rule finds its cases', () => {
  for (const code of [
    'if (sent.hash === hash) go();',
    'const same = a.csrf !== given;',
    "ok = row['digest'] == this.#digest!;",
  ])
    assert.equal(comparisons('x.ts', code).length, 1, code);
  for (const code of ['hash === undefined', "typeof hash === 'string'", 'hash.length === 3', 'a === b', "token === ''"])
    assert.deepEqual(comparisons('x.ts', code), [], code);
});
