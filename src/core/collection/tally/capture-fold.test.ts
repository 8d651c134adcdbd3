import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptureReader } from '../../evidence/capture-reader.ts';
import { printCaptures, shiftCaptures } from '../print-captures.ts';
import { CaptureFold, type SensorEvent } from './collection-tally.ts';

const AT = Date.UTC(2026, 7, 22, 16, 0, 0, 250);
const event = (change: Partial<SensorEvent> = {}): SensorEvent => ({
  ip: '1.2.3.4',
  riskType: 'honeypot_scan',
  protocol: 'ssh',
  port: 22,
  at: AT,
  isFirstOfConnection: true,
  ...change,
});

test('equal events are one row with first, last and the number of connections', () => {
  const fold = new CaptureFold();
  fold.add(event({ at: AT + 500 }));
  fold.add(event({ at: AT }));
  fold.add(event({ at: AT + 900, isFirstOfConnection: false }));
  fold.add(event({ riskType: 'honeypot_credential', actor: 'A-1' }));
  fold.add(event({ riskType: 'honeypot_credential', actor: 'A-2' }));
  assert.equal(
    printCaptures(fold.take()),
    '{"ip":"1.2.3.4","risk_type":"honeypot_scan","captured_at":"2026-08-22T16:00:01.150Z","first_captured_at":"2026-08-22T16:00:00.250Z","count":2,"port":22,"protocol":"ssh"}\n' +
      '{"ip":"1.2.3.4","risk_type":"honeypot_credential","captured_at":"2026-08-22T16:00:00.250Z","count":1,"port":22,"protocol":"ssh","actor":"A-1"}\n' +
      '{"ip":"1.2.3.4","risk_type":"honeypot_credential","captured_at":"2026-08-22T16:00:00.250Z","count":1,"port":22,"protocol":"ssh","actor":"A-2"}\n',
  );
  assert.equal(fold.rows, 0);
});

test('a later event of a connection whose first was handed on already makes a row of one connection', () => {
  const fold = new CaptureFold();
  fold.add(event({ isFirstOfConnection: false }));
  assert.equal(fold.take()[0]!.count, 1);
});

test('a full interval takes events of its rows and no new ones', () => {
  const fold = new CaptureFold();
  let rows = 0;
  while (fold.add(event({ port: rows + 1 }))) rows += 1;
  assert.equal(rows, 20_000);
  assert.equal(fold.add(event({ port: 1 })), true);
  assert.equal(fold.take().length, 20_000);
  assert.equal(fold.add(event()), true);
});

test('the intake takes every row, and moved rows have moved times', () => {
  const fold = new CaptureFold();
  fold.add(event());
  fold.add(event({ at: AT + 7 }));
  const moved = shiftCaptures(printCaptures(fold.take()), -1250);
  assert.match(moved, /"captured_at":"2026-08-22T15:59:59.007Z","first_captured_at":"2026-08-22T15:59:59.000Z"/);
  const reader = new CaptureReader();
  reader.write(new TextEncoder().encode(moved));
  reader.end();
  assert.deepEqual([reader.pending > 0, [...reader.refused]], [true, []]);
});
