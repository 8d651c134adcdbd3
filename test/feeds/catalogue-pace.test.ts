/** Sources are read at half the time between their versions or faster, and no publisher is asked too often. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSISTANT_FAMILIES } from '../../src/adapters/assistants/assistant-families.ts';
import { CATALOGUE, sourceFigures } from '../../src/adapters/feeds/catalogue.ts';
import { covers } from '../spec/covers.ts';

/** The shortest time between two questions to one publisher about one list. */
const POLITE_MIN = 15;

const scheduled = CATALOGUE.filter(({ scheduled }) => scheduled !== false);

test('each source is read at half the measured time between its versions or faster, never more than every 15 minutes', () => {
  covers('FEEDS-PACE');
  for (const { id, cadenceMin } of scheduled) {
    assert.ok(cadenceMin >= POLITE_MIN, id);
    const pace = sourceFigures.get(id)?.paceMin;
    if (pace !== undefined) assert.ok(cadenceMin <= Math.max(POLITE_MIN, pace / 2), `${id}: every ${pace} min`);
  }
});

test('every scheduled source says when it was measured and what no other gives, and nothing else does', () => {
  const verifying = new Set(ASSISTANT_FAMILIES.flatMap(({ feeds }) => feeds));
  assert.deepEqual(
    [...sourceFigures.keys()],
    scheduled.map(({ id }) => id),
  );
  for (const [id, { gives, alone = 0 }] of sourceFigures)
    assert.ok(gives !== undefined || verifying.has(id) || alone > 0.05, `${id} gives nothing that others do not`);
});
