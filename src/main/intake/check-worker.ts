/** Entry of the thread that reads captures before they are appended to the stream: unpacking and reading a hundred thousand rows keeps no answering thread. */
import { workerData } from 'node:worker_threads';
import { constants, gzipSync } from 'node:zlib';
import { unpackGzip } from '../../adapters/system/unpack-gzip.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import type { RefusePrefix } from '../../core/evidence/capture-reader.ts';
import { UNPACKED_MAX_BYTES } from '../../service/accept-captures.ts';
import { checkCaptures } from '../../service/check-captures.ts';
import { loadIntakeRefusals } from '../evidence/load-intake-refusals.ts';
import { openHistory } from '../evidence/open-history.ts';
import type { CheckCall, CheckReply, CheckTarget } from './check-thread.ts';
import { KnownTrust } from './known-trust.ts';

const { own, ...target } = workerData as CheckTarget;
const trust = new KnownTrust(() => openHistory(target, { forCallers: true }));
let refuse: RefusePrefix | undefined;

async function check({ body: { bytes, gzip }, request }: Extract<CheckCall, { do: 'check' }>): Promise<CheckReply> {
  if (!(await trust.isTrusted(request.source))) return { status: 'untrusted' };
  const body = gzip ? unpackGzip(bytes, UNPACKED_MAX_BYTES) : bytes;
  if (body === 'too_large') return { status: 'too_large' };
  if (body === 'damaged') return { status: 'damaged_gzip' };
  refuse ??= loadIntakeRefusals(own);
  const checked = checkCaptures(body, request, refuse);
  if (checked === 'too_many_lines') return { status: 'too_many_lines' };
  return { status: 'checked', checked, ...(gzip ? {} : { packed: gzipSync(body, { level: constants.Z_BEST_SPEED }) }) };
}

answerCalls<CheckCall, CheckReply | undefined>(async (call) => {
  if (call.do === 'check') return await check(call);
  await trust.close();
  return undefined;
});
