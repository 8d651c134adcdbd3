import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../../../test/spec/covers.ts';
import type { Account, ApiKey } from '../../../../core/caller/caller.ts';
import type { ChargeRequest, Receipt } from '../../../../core/quota/quota.ts';
import { unixMs } from '../../../../core/units.ts';
import { LibraryUnavailable, type PhoneLibraries } from '../../../../service/phone/phone-libraries.ts';
import type { Ledger } from '../../../../service/ports.ts';
import { createHttpServer } from '../../connection/create-http-server.ts';
import type { HttpServices } from '../../services.ts';
import { phoneRoutes } from './phone-routes.ts';

const at = unixMs(Date.parse('2026-11-20T12:00:30Z'));
const account = {
  id: 'acc',
  phoneEligible: true,
  phoneEnabled: true,
  phonePerMin: 100,
  phonePerDay: 100,
  disabled: false,
} as Account;
const key = { id: 'key', accountId: 'acc', phone: true } as ApiKey;

/** A ledger with room for all that reports its questions. */
function recordingLedger(
  fail?: () => Error,
): Ledger & { readonly charges: ChargeRequest[]; readonly refunds: Receipt[] } {
  const charges: ChargeRequest[] = [];
  const refunds: Receipt[] = [];
  return {
    charges,
    refunds,
    charge(request) {
      if (fail !== undefined) throw fail();
      charges.push(request);
      const window = { limit: 100, remaining: 90, resetsAt: unixMs(at + 30_000) };
      const receipt = { units: request.units, dayNumber: 1, ids: request.day.map(({ id }) => id) };
      return { ok: true, minute: window, ...(request.day.length > 0 && { day: window }), receipt };
    },
    windows() {
      if (fail !== undefined) throw fail();
      return { minute: { limit: 100, remaining: 90, resetsAt: unixMs(at + 30_000) } };
    },
    refund: (receipt) => void refunds.push(receipt),
    usage: () => ({ dayNumber: 20_778, used: 0, refunded: 0, resetsAt: at }),
    usageOf: () => [],
    flushed: () => undefined,
    close: async () => {},
  };
}

const segments = { version: 'none', records: 0, facts: () => undefined };
const empty: PhoneLibraries = {
  lookup: async (digits) => ({ dataVersion: { cn: '1', sg: '1' }, findings: digits.map(() => []) }),
  state: async () => [],
  close: async () => {},
};

async function ask(
  ledger: Ledger,
  libraries: PhoneLibraries,
  path: string,
  body: unknown,
  more: Record<string, string> = {},
) {
  const logged: unknown[] = [];
  const log = (...line: unknown[]): void => void logged.push(line);
  const services = {
    clock: { now: () => at },
    log: { error: log, warn: log, info: log, debug: log },
    ledger,
    keys: {
      remembered: () => undefined,
      find: () => ({ status: 'ok', account, key }),
      account: () => account,
      plans: () => [],
    },
    limiter: { take: () => undefined, giveBack: () => {} },
    view: () => undefined,
    trustedProxies: [],
    limits: { anonPerMin: 1, anonPerDay: 1, assistantPerMin: 1, assistantPerDay: 1 },
    links: { signup: '', pricing: '', console: '' },
    baseUrl: 'http://127.0.0.1',
  } as unknown as HttpServices;
  const server = createHttpServer({ idPrefix: 't-', services, plugins: [phoneRoutes({ libraries, segments })] });
  const port = await server.listen({ host: '127.0.0.1', port: 0, reusePort: false });
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': 'pk_test', 'content-type': 'application/json', connection: 'close', ...more },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as { error?: { code: string } },
      logged,
    };
  } finally {
    await server.close(100);
  }
}

test('a library that cannot be asked: 502 in five seconds again, and the whole batch is given back', async () => {
  covers('ERR-upstream_unavailable', 'PHONE-NON-200');
  const ledger = recordingLedger();
  const broken: PhoneLibraries = {
    ...empty,
    lookup: () => {
      throw new LibraryUnavailable('sg', 'is away');
    },
  };
  const { status, body, headers, logged } = await ask(ledger, broken, '/v1/phone/batch', {
    numbers: ['+8613800138000', '+8613800138001', 'x'],
  });
  assert.deepEqual([status, body.error?.code, headers.get('retry-after')], [502, 'upstream_unavailable', '5']);
  const unitses = ledger.charges.map(({ units }) => units);
  assert.deepEqual(unitses, [2]);
  const shown = ledger.refunds.map(({ units, ids }) => [units, ids]);
  assert.deepEqual(shown, [[2, ['phone:acc']]]);
  assert.equal(headers.get('x-billable-units'), '0');
  assert.equal(/1380013/.test(JSON.stringify(logged)), false);
});

test('a ledger that cannot answer is quota_unavailable, and no library is asked', async () => {
  covers('ERR-quota_unavailable');
  let asked = 0;
  const counting: PhoneLibraries = {
    ...empty,
    lookup: (digits) => {
      asked += 1;
      return empty.lookup(digits);
    },
  };
  for (const [path, body] of [
    ['/v1/phone/lookup', { number: '+8613800138000' }],
    ['/v1/phone/batch', { numbers: ['+8613800138000'] }],
  ] as const) {
    const { status, body: refusal } = await ask(
      recordingLedger(() => new Error('connection lost')),
      counting,
      path,
      body,
    );
    assert.deepEqual([status, refusal.error?.code], [503, 'quota_unavailable']);
  }
  assert.equal(asked, 0);
});

test('a charge that cannot be made durable is quota_unavailable and given back', async () => {
  const ledger = { ...recordingLedger(), flushed: () => Promise.reject(new Error('disk full')) };
  const { status, body, headers } = await ask(ledger, empty, '/v1/phone/lookup', { number: '+8613800138000' });
  assert.deepEqual([status, body.error?.code, headers.get('x-billable-units')], [503, 'quota_unavailable', '0']);
  assert.equal(ledger.refunds.length, 1);
});

test('an unexpected fault of a library is internal_error, given back, and reveals nothing', async () => {
  const ledger = recordingLedger();
  const faulty: PhoneLibraries = {
    ...empty,
    lookup: () => {
      throw new Error('secret inside');
    },
  };
  const { status, body } = await ask(ledger, faulty, '/v1/phone/lookup', { number: '+8613800138000' });
  assert.deepEqual([status, body.error?.code, ledger.refunds.length], [500, 'internal_error', 1]);
  assert.equal(JSON.stringify(body).includes('secret'), false);
});

test('a refused input is counted in the minute and never in the day', async () => {
  const ledger = recordingLedger();
  await ask(ledger, empty, '/v1/phone/lookup', { number: 'x' });
  await ask(ledger, empty, '/v1/phone/batch', { numbers: 7 });
  const coded = await ask(
    ledger,
    empty,
    '/v1/phone/lookup',
    { number: '+8613800138000' },
    { 'content-encoding': 'gzip' },
  );
  assert.deepEqual([coded.status, coded.body.error?.code], [415, 'unsupported_media_type']);
  const shown = ledger.charges.map(({ units, day }) => [units, day.length]);
  assert.deepEqual(shown, [
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
});
