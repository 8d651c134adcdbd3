/** The suite that every limiter passes; each technology runs it against the real server. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import type { Limit, LimitCounter } from '../../core/limits/limits.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../../core/units.ts';
import type { Limiter } from '../../service/limiter.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));

/** @param open returns another limiter over the same counters, as another thread or node would have */
export function limiterContract(name: string, open: () => Limiter): void {
  describe(name, () => {
    let made = 0;
    const counter = (limit: Limit, of: LimitCounter['of'] = 'subject'): LimitCounter => ({
      of,
      id: `contract ${++made}`,
      limit,
    });
    const THREE: Limit = { most: 3, windowMs: HOUR_MS };

    test('a counter admits its limit and says when its window ends', async () => {
      const limiter = open();
      const one = counter(THREE);
      for (let n = 0; n < 3; n += 1) assert.equal(await limiter.take([one], NOON), undefined);
      const refusal = await limiter.take([one], NOON);
      assert.ok(
        refusal !== undefined && refusal.endsAt > NOON && refusal.endsAt <= NOON + HOUR_MS,
        JSON.stringify(refusal),
      );
    });

    test('a refusal counts in none of its counters', async () => {
      const limiter = open();
      const [wide, full] = [counter(THREE, 'client'), counter({ most: 1, windowMs: HOUR_MS })];
      assert.equal(await limiter.take([full], NOON), undefined);
      for (let n = 0; n < 10; n += 1) assert.notEqual(await limiter.take([wide, full], NOON), undefined);
      for (let n = 0; n < 3; n += 1)
        assert.equal(await limiter.take([wide], NOON), undefined, 'the refused ones left nothing');
      assert.notEqual(await limiter.take([wide], NOON), undefined);
    });

    test('a unit given back can be taken again, and never more than that', async () => {
      const limiter = open();
      const one = counter(THREE);
      for (let n = 0; n < 3; n += 1) await limiter.take([one], NOON);
      await limiter.giveBack([one], NOON);
      assert.equal(await limiter.take([one], NOON), undefined);
      assert.notEqual(await limiter.take([one], NOON), undefined);
      const unused = counter(THREE);
      for (let n = 0; n < 5; n += 1) await limiter.giveBack([unused], NOON);
      for (let n = 0; n < 3; n += 1) assert.equal(await limiter.take([unused], NOON), undefined);
      assert.notEqual(await limiter.take([unused], NOON), undefined);
    });

    test('a window ends with its time', async () => {
      const limiter = open();
      const short = counter({ most: 1, windowMs: 300 });
      const at = unixMs(Date.now());
      assert.equal(await limiter.take([short], at), undefined);
      assert.notEqual(await limiter.take([short], at), undefined);
      await eventually(async () => (await limiter.take([short], unixMs(Date.now()))) === undefined);
    });

    test('two that count at once admit no more than one would', async () => {
      const limiters = [open(), open()];
      const one = counter({ most: 50, windowMs: DAY_MS });
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => limiters[n % 2]!.take([one], NOON)));
      assert.equal(answers.filter((answer) => answer === undefined).length, 50);
    });
  });
}
