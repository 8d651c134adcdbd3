/**
 * For any request to any route, by any caller: an answer, never a fault of ours, the contract's error body on
 * each refusal, and memory that does not grow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { fuzzRequests } from '../support/fuzz/fuzz-requests.ts';

const REQUESTS = 800;
/** Each endpoint with a body still gets a dozen of them or more, and each field one. */
const HOSTILE_EVERY = 3;
/**
 * Memory that a server of this size may hold more at the end than in the middle, MiB. The thread of lists begins
 * at the first question about one, and takes 100. Requests that each left their body behind would leave far more.
 */
const GROWTH_MB = 128;

/** Routes that give something only to those who hold a secret link, a code or a form, or whose company signs in. */
const ONLY_WITH_A_SECRET =
  /\/(?:authorize\/:uid|console\/oauth\/:uid(?:\/sign-up)?|console\/company(?:\/callback)?|sign-in|sign-up)$/;

/** Routes that answer with a file, whose making would be measured with the requests. */
const MAKES_A_FILE = /\/geoip\/databases\//;

test('hostile bodies to every endpoint with one, and drawn requests over the whole route table', async () => {
  const { answered, memory, faults } = await fuzzRequests({
    seed: 20_261_122,
    requests: REQUESTS,
    hostileEvery: HOSTILE_EVERY,
    parallel: 8,
  });
  assert.deepEqual(faults, []);
  // Were all of them stopped at the door, nothing behind it would have been tried.
  const silent = ROUTES.map(({ methods, path }) => `${methods} ${path}`).filter(
    (route) => !answered.has(route) && !ONLY_WITH_A_SECRET.test(route) && !MAKES_A_FILE.test(route),
  );
  assert.deepEqual(silent, []);
  const memoryMb = memory.map(({ residentMb }) => residentMb);
  const [middle, end] = [memoryMb.slice(4, 8), memoryMb.slice(8)].map((part) => Math.max(...part));
  assert.ok(end! - middle! < GROWTH_MB, `resident memory in MiB: ${memoryMb.join(', ')}`);
});
