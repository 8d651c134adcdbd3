import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/caller/caller.ts';
import type { ChargeRequest, ChargeResult } from '../../../core/quota/quota.ts';
import { unixMs } from '../../../core/units.ts';
import { batchOfInputs } from '../../../service/lookup/read-ip-batch.ts';
import { readBatchBody } from '../../../service/phone/lookup-phone.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { chargeAddresses } from './charge-addresses.ts';
import { chargeNumbers } from './charge-numbers.ts';

const ACCOUNT = { id: 'a', perMin: 1000, perDay: 1000, overagePct: 0, phonePerMin: 100, phonePerDay: 100 } as Account;

test('a batch asks the ledger once, whatever part of it can be looked up', async () => {
  const asked: ChargeRequest[] = [];
  const services = {
    clock: { now: () => unixMs(0) },
    ledger: {
      charge(request: ChargeRequest): ChargeResult {
        asked.push(request);
        return { ok: true, receipt: { units: request.units, dayNumber: 0, ids: [] } };
      },
    },
  } as unknown as HttpServices;
  const exchange = (bodies: object): Exchange =>
    ({ caller: { kind: 'user', client: '', account: ACCOUNT }, ...bodies }) as unknown as Exchange;
  await chargeAddresses(
    exchange({ addresses: batchOfInputs(['8.8.8.8', 'x', '10.0.0.1', '::1', '9.9.9.9']) }),
    services,
  );
  await chargeAddresses(exchange({ addresses: batchOfInputs(['x']) }), services);
  await chargeNumbers(exchange({ numbers: readBatchBody({ numbers: ['+8613800138000', 'x'] }) }), services);
  await chargeNumbers(exchange({ numbers: readBatchBody({ numbers: ['x', 'y'] }) }), services);
  assert.deepEqual(
    asked.map(({ units, minuteUnits, minute, day }) => [units, minuteUnits, minute.length, day.length]),
    [
      [2, 5, 1, 1],
      [0, 1, 1, 1],
      [1, 1, 1, 1],
      [0, 1, 1, 1],
    ],
  );
});
