import assert from 'node:assert/strict';
import type { PulseError } from '../../clients/typescript/src/index.ts';

/** The error a call must end with. */
export async function failure(call: Promise<unknown>): Promise<PulseError> {
  const error = await call.then(
    () => assert.fail('it has a result'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error && error.name === 'PulseError', String(error));
  return error as PulseError;
}
