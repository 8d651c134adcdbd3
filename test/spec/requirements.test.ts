import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { interfaceSentences } from './interface-sentences.ts';
import { type Coverage, type CoverageRun, judgeCoverage } from './judge-coverage.ts';
import { REQUIREMENTS } from './requirements.ts';

const IDS = REQUIREMENTS.map(({ id }) => id);
/**
 * One row a sentence of docs/interface.md, in its order: the hash of section and sentence (interface-sentences.ts),
 * the requirements that hold the service to it, or behind a dash why it asks nothing of the service. The words
 * behind a bar are for the reader.
 */
const INTERFACE_ROWS = readFileSync(join(import.meta.dirname, 'interface-rows.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
  .map((line) => {
    const [, hash = '', reason, ids] = /^([0-9a-f]{8}) (?:- (.+?)|(.+?))(?: \| .*)?$/.exec(line) ?? assert.fail(line);
    return { hash, reason, ids: ids?.split(' ') ?? [] };
  });

test('requirement ids are unique', () => {
  const unexpected = IDS.filter((id, i) => IDS.indexOf(id) !== i);
  assert.deepEqual(unexpected, []);
});

test('every sentence of docs/interface.md has a row, every row has its sentence, and both stand in one order', () => {
  const sentences = interfaceSentences();
  const rows = new Set(INTERFACE_ROWS.map(({ hash }) => hash));
  const hashes = new Set(sentences.map(({ hash }) => hash));
  assert.deepEqual(
    sentences.filter(({ hash }) => !rows.has(hash)).map(({ section, hash, text }) => `${hash} ${section}: ${text}`),
    [],
    'sentences without a row',
  );
  const unexpected = INTERFACE_ROWS.filter(({ hash }) => !hashes.has(hash));
  assert.deepEqual(unexpected, [], 'rows whose sentence is not there, or reads differently now');
  assert.deepEqual(
    INTERFACE_ROWS.map(({ hash }) => hash),
    sentences.map(({ hash }) => hash),
  );
});

test('a sentence names requirements that exist, or the reason why it asks nothing of the service', () => {
  for (const { hash, reason, ids } of INTERFACE_ROWS)
    if (reason === undefined)
      assert.ok(
        ids.every((id) => IDS.includes(id)),
        `${hash}: ${ids.join(', ')}`,
      );
    else assert.ok(reason.length > 10, hash);
});

test('every requirement belongs to a sentence, or says that it is beyond the interface', () => {
  const asked = new Set(INTERFACE_ROWS.flatMap(({ ids }) => ids));
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
