import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, unixMs, utcDay } from '../../core/units.ts';
import type { LookupView } from '../../service/ports.ts';
import { collectionDocument } from './collection-routes.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12, 30));
const PLACES = new Map([
  [1, '{"country":"FJ"}'],
  [2, '{"country":"FJ"}'],
  [3, '{"country":"DE"}'],
]);
const view = { geoJson: ({ w0 }: { readonly w0: number }) => PLACES.get(w0 >>> 24) } as unknown as LookupView;
const document = (more: Partial<Parameters<typeof collectionDocument>[0]>, exits: readonly string[] = []) =>
  collectionDocument(
    { sources: [], hours: [], ports: [], newest: [], ...more },
    { all: [], exits },
    { at: NOW, firstDay: utcDay(NOW), view },
  );

test('countries of captures and of exits are counted', () => {
  const capture = (ip: string) => ({ at: NOW, ip, source: 'trap', riskType: 'honeypot_scan' as const });
  const { countries, exit_countries: exits } = document(
    { newest: ['1.0.0.1', '2.0.0.1', '3.0.0.0/24', '9.0.0.1'].map(capture) },
    ['3.0.0.1', '9.0.0.1', '9.0.0.2'],
  );
  assert.deepEqual(countries, [{ country: 'FJ', count: 2 }, { country: 'DE', count: 1 }, { count: 1 }]);
  assert.deepEqual(exits, [{ count: 2 }, { country: 'DE', count: 1 }]);
});

test('a sensor is silent after five minutes without a heartbeat; one without heartbeats is never called so', () => {
  const source = { source: 'trap', accepted: 0, refused: 0, capturesOfDay: 0 };
  const heard = (seenAt: number) =>
    document({ sources: [{ ...source, heartbeat: { seenAt: unixMs(seenAt), clockOffsetMs: -5 } }] }).sensors[0];
  assert.deepEqual(
    [heard(NOW - 5 * MINUTE_MS)?.silent, heard(NOW - 5 * MINUTE_MS - 1)?.silent, heard(NOW)?.clock_offset_ms],
    [false, true, -5],
  );
  assert.deepEqual(document({ sources: [{ ...source, acceptedAt: NOW, capturedAt: NOW }] }).sensors, [
    {
      source: 'trap',
      accepted_at: '2026-11-22T12:30:00.000Z',
      captured_at: '2026-11-22T12:30:00.000Z',
      accepted: 0,
      refused: 0,
      day: 0,
    },
  ]);
});
