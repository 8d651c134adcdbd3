/**
 * docs/feeds.md, docs/assistants.md and docs/demo.md name exactly the rows of the catalogue, the families and
 * the demonstration's table hold.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE, feedById } from '../../src/adapters/feeds/catalogue.ts';
import { readDocsPage } from '../../src/adapters/feeds/feeds-page.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { DEMO_ADDRESSES } from '../../src/service/intake/demo-addresses.ts';
import { ASSISTANT_FAMILY_ROWS, ASSISTANT_LIST_ROWS } from '../support/assistant-rows.ts';
import { demoRow } from '../support/demo-row.ts';

const docs = (name: string): string => readFileSync(resolve(import.meta.dirname, '../../docs', name), 'utf8');

const tableRows = (text: string): string[] =>
  (text.split('## Sources')[1] ?? text).split('\n').filter((line) => line.startsWith('| `'));

test('the page of sources names every source of the catalogue in the place that docs/feeds.md keeps', () => {
  const page = readDocsPage(resolve(import.meta.dirname, '../../docs/feeds.md')).split('## Sources')[1]!;
  assert.deepEqual(
    CATALOGUE.filter(({ id }) => !page.includes(`\`${id}\``)).map(({ id }) => id),
    [],
  );
});

test('docs/demo.md lists every address of the demonstration, and no other', () => {
  assert.deepEqual(tableRows(docs('demo.md')), DEMO_ADDRESSES.map(demoRow));
});

test('docs/assistants.md lists every family, token and list with its shipped part, and no other', () => {
  const rows = docs('assistants.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  assert.deepEqual(rows, [...ASSISTANT_FAMILY_ROWS, ...ASSISTANT_LIST_ROWS]);
});

test('the sources that contain others, their members, and those that claim networks are feeds of the catalogue that bring evidence', () => {
  const named = Object.entries(SCORE_PARAMETERS.aggregates).flatMap(([source, members]) => [source, ...members]);
  for (const id of [...named, ...SCORE_PARAMETERS.claiming]) assert.equal(feedById(id)?.effect.kind, 'risk', id);
});
