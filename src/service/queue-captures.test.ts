import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SOURCE_ROW_BUDGETS } from '../core/limits/limits.ts';
import { unixMs } from '../core/units.ts';
import { checkCaptures } from './check-captures.ts';
import { queueCaptures } from './queue-captures.ts';
import type { AppendOutcome, AppendTerms, WaitingBatch } from './waiting-batch.ts';

const REQUEST = { source: 's', format: 'ndjson', at: unixMs(1_000), account: 'acc_1' } as const;
const row = (ip: string): string => `{"ip":"${ip}","risk_type":"proxy"}\n`;
const check = (text: string, source = 's') => {
  const checked = checkCaptures(new TextEncoder().encode(text), { ...REQUEST, source });
  assert.ok(checked !== 'too_many_lines');
  return checked;
};

/** What a request comes to when the stream answers so, and what the stream was given. */
async function queue(text: string, id: string | undefined, answer: AppendOutcome) {
  const given: (readonly [WaitingBatch, AppendTerms])[] = [];
  const stream = {
    async append(batch: WaitingBatch, terms: AppendTerms): Promise<AppendOutcome> {
      given.push([batch, terms]);
      return answer;
    },
  };
  const outcome = await queueCaptures(stream, check(text), Uint8Array.of(7), { ...REQUEST, id }, () => 'made');
  return { outcome, given };
}

test('what is known before captures are stored is counted, and nothing else', () => {
  const { digest, ...known } = check(`${row('198.14.0.1')}{\n${row('10.0.0.1')}${row('198.14.0.2')}`);
  assert.deepEqual(known, {
    lines: 4,
    rows: 2,
    refused: { not_json: { count: 1, first_lines: [2] }, reserved_address: { count: 1, first_lines: [3] } },
  });
  assert.equal(digest, check(`${row('198.14.0.1')}{\n${row('10.0.0.1')}${row('198.14.0.2')}`).digest);
  assert.notEqual(check(row('198.14.0.1'), 'another').digest, check(row('198.14.0.1')).digest);
});

test('a batch waits under the name of its sender, which then stands for its bytes; one without a name gets one', async () => {
  const named = await queue(row('198.14.0.1'), 'one', { status: 'queued' });
  const answer = { lines: 1, queued: 1, refused: {} };
  assert.deepEqual(named.outcome, { status: 'queued', outcome: answer });
  const terms = { rows: 1, budgets: SOURCE_ROW_BUDGETS };
  assert.deepEqual(named.given, [
    [
      { ...REQUEST, id: 'one', body: Uint8Array.of(7) },
      { ...terms, named: { digest: check(row('198.14.0.1')).digest, answer: JSON.stringify(answer) } },
    ],
  ]);
  const unnamed = await queue(row('198.14.0.1'), undefined, { status: 'queued' });
  assert.deepEqual([unnamed.given[0]![0].id, unnamed.given[0]![1]], ['made', { ...terms, named: undefined }]);
});

test('what the stream answers is what the sender gets', async () => {
  const of = async (answer: AppendOutcome) => (await queue(row('198.14.0.1'), 'one', answer)).outcome;
  assert.deepEqual(await of({ status: 'differs' }), { status: 'differs' });
  assert.deepEqual(await of({ status: 'full' }), { status: 'busy' });
  assert.deepEqual(await of({ status: 'over_budget', waitMs: 500 }), { status: 'over_budget', until: 1_500 });
  const first = { lines: 3, queued: 2, refused: {} };
  assert.deepEqual(await of({ status: 'replayed', answer: JSON.stringify(first) }), { status: 'queued', outcome: { ...first, replayed: true } });
});

test('a batch of which nothing is left does not wait', async () => {
  const { outcome, given } = await queue(row('10.0.0.1'), 'one', { status: 'queued' });
  assert.deepEqual([outcome.status, given], ['queued', []]);
});
