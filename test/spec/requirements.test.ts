import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTERFACE_ROWS } from './interface-rows.ts';
import { interfaceSentences } from './interface-sentences.ts';
import { type Coverage, type CoverageRun, judgeCoverage } from './judge-coverage.ts';
import { REQUIREMENTS } from './requirements.ts';

const IDS = REQUIREMENTS.map(({ id }) => id);
const idsOf = (row: (typeof INTERFACE_ROWS)[number]): readonly string[] => (typeof row[1] === 'string' ? [] : row[1]);

test('requirement ids are unique', () => {
  const unexpected = IDS.filter((id, i) => IDS.indexOf(id) !== i);
  assert.deepEqual(unexpected, []);
});

test('every sentence of docs/interface.md has a row, every row has its sentence, and both stand in one order', () => {
  const sentences = interfaceSentences();
  const rows = new Set(INTERFACE_ROWS.map(([hash]) => hash));
  const hashes = new Set(sentences.map(({ hash }) => hash));
  assert.deepEqual(
    sentences.filter(({ hash }) => !rows.has(hash)).map(({ section, hash, text }) => `${hash} ${section}: ${text}`),
    [],
    'sentences without a row',
  );
  const unexpected = INTERFACE_ROWS.filter(([hash]) => !hashes.has(hash));
  assert.deepEqual(unexpected, [], 'rows whose sentence is not there, or reads differently now');
  assert.deepEqual(
    INTERFACE_ROWS.map(([hash]) => hash),
    sentences.map(({ hash }) => hash),
  );
});

test('a sentence names requirements that exist, or the reason why it asks nothing of the service', () => {
  for (const row of INTERFACE_ROWS) {
    if (typeof row[1] === 'string') assert.ok(row[1].length > 10, row[0]);
    else assert.ok(row[1].length > 0 && row[1].every((id) => IDS.includes(id)), `${row[0]}: ${row[1].join(', ')}`);
  }
});

test('every requirement belongs to a sentence, or says that it is beyond the interface', () => {
  const asked = new Set(INTERFACE_ROWS.flatMap(idsOf));
  for (const { id, text } of REQUIREMENTS)
    assert.notEqual(asked.has(id), text.startsWith('beyond the interface: '), id);
});

/** Judges one requirement R, cited by a.test.ts. */
const judge = (run: Partial<CoverageRun>): Coverage =>
  judgeCoverage([{ id: 'R', area: 'lookup', text: 'the rule' }], {
    citations: [],
    skips: [],
    sources: new Map([['R', ['a.test.ts']]]),
    ...run,
  });
const citation = (passed: boolean) => ({ id: 'R', test: 'a.test.ts > t', passed });
const skip = (reason: string) => ({ file: 'a.test.ts', test: 't', reason });

test('a requirement is met by one test that passed, whatever others did', () => {
  assert.deepEqual(judge({ citations: [citation(false), citation(true)], skips: [skip('later')] }), {
    faults: [],
    excused: [],
  });
});

test('a requirement without a citation, or with failed or skipped tests only, is a fault', () => {
  assert.match(judge({ sources: new Map() }).faults[0]!, /^R is cited by no test/);
  assert.match(judge({ citations: [citation(false)] }).faults[0]!, /only by tests that failed/);
  assert.match(judge({ skips: [skip('later')] }).faults[0]!, /only by tests that were skipped .*later/);
  assert.match(judge({}).faults[0]!, /did not run/);
});

test('a missing program excuses a requirement of its tests, and is named', () => {
  const { faults, excused } = judge({ skips: [skip('PostgreSQL is not installed and cannot be installed here')] });
  assert.deepEqual([faults, excused.length], [[], 1]);
  assert.match(excused[0]!, /^R was not checked, PostgreSQL is not installed/);
});
