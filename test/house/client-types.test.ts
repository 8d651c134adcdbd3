/** A change of a published schema reaches the client in the same commit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CLIENT_TYPES, clientTypes } from '../../scripts/client-types.ts';

test('the types of the client are those of openapi.json as it is now', () => {
  assert.ok(readFileSync(CLIENT_TYPES, 'utf8') === clientTypes(), 'they are not: run node scripts/client-types.ts');
});
