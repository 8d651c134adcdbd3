import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { DeviceTokens } from './device-tokens.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const tokens = new DeviceTokens(new Uint8Array(32).fill(1));

test('a device token is good for its address alone, for 180 days, and says nothing about it', () => {
  const { token } = tokens.issue('owner@example.com', NOON);
  assert.ok(!token.includes('owner'));
  assert.equal(tokens.isOf(token, 'owner@example.com', NOON), true);
  assert.equal(tokens.isOf(token, 'other@example.com', NOON), false);
  assert.equal(tokens.isOf(token, 'owner@example.com', unixMs(NOON + 180 * DAY_MS - 1)), true);
  assert.equal(tokens.isOf(token, 'owner@example.com', unixMs(NOON + 180 * DAY_MS)), false);
});

test('a token that was changed anywhere, or made with another key, belongs to no address', () => {
  const { token } = tokens.issue('owner@example.com', NOON);
  for (let at = 0; at < token.length; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`;
    // The last character of a base64 text has bits that are not read.
    if (at < token.length - 1) assert.equal(tokens.holder(changed, NOON), undefined, changed);
  }
  for (const text of [undefined, '', '..', token.slice(1), `${token}x`, token.replaceAll('.', ':')])
    assert.equal(tokens.holder(text, NOON), undefined);
  assert.equal(new DeviceTokens(new Uint8Array(32).fill(2)).holder(token, NOON), undefined);
});

test('a token of a former secret is known while that one is accepted; new ones are made with the new secret', () => {
  const { token } = tokens.issue('owner@example.com', NOON);
  const [former, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const rotated = new DeviceTokens(fresh, [former]);
  assert.equal(rotated.isOf(token, 'owner@example.com', NOON), true);
  assert.equal(rotated.isOf(token, 'other@example.com', NOON), false);
  assert.equal(rotated.holder(token, NOON), tokens.holder(token, NOON));
  assert.equal(
    new DeviceTokens(fresh).isOf(rotated.issue('owner@example.com', NOON).token, 'owner@example.com', NOON),
    true,
  );
});
