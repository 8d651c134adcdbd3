import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../units.ts';
import { CASES, FRESH, NOW } from './run-time.fixture.ts';
import { runTime } from './run-time.ts';

for (const [name, times, last, expected] of CASES)
  test(name, () =>
    assert.equal(runTime({ ...FRESH, ...times }, last === undefined ? undefined : unixMs(last), NOW), expected),
  );
