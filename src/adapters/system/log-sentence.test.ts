import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, logSentence } from './create-logger.ts';

test('on a terminal the log speaks sentences: message, weight and fields, an error without its stack, secrets masked', () => {
  const written: string[] = [];
  const log = createLogger('info', { write: (line) => void written.push(logSentence(line)) });
  log.info({ version: 'r1', ms: 12 }, 'built');
  log.warn({ key: `pk_${'A'.repeat(32)}` }, 'refused');
  log.error({ error: new Error('no space left') }, 'not kept');
  log.info({}, 'plain');
  assert.deepEqual(
    [written[0], written[2], written[3]],
    ['pulse: built (version r1, ms 12)\n', 'pulse: error: not kept (no space left)\n', 'pulse: plain\n'],
  );
  assert.match(written[1]!, /^pulse: warning: refused/);
  assert.doesNotMatch(written[1]!, /AAAA/);
  assert.equal(logSentence('not of the log\n'), 'not of the log\n');
});
