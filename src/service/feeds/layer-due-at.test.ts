import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said } from '../../core/texts/said.ts';
import { DAY_MS } from '../../core/units.ts';
import { layerDueAt } from './due-at.ts';

test('a publisher is asked at once where it never was, a month after an answer, a day after a refusal', () => {
  const at = Date.parse('2026-11-01T00:00:00Z');
  const checked_at = new Date(at).toISOString();
  assert.equal(layerDueAt({}), 0);
  assert.equal(layerDueAt({ checked_at: 'soon' }), 0);
  assert.equal(layerDueAt({ checked_at }), at + 30 * DAY_MS);
  assert.equal(layerDueAt({ checked_at, refused: said('status {status}', { status: 500 }) }), at + DAY_MS);
});
