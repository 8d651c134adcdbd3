import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrlOf } from './thread-messages.ts';

test('the address of the service is the configured one or where it listens, never an unspecified one', () => {
  const of = (host: string, baseUrl?: string) => baseUrlOf({ host, port: 8080, baseUrl });
  assert.equal(of('127.0.0.1'), 'http://127.0.0.1:8080');
  assert.equal(of('::1'), 'http://[::1]:8080');
  assert.equal(of('0.0.0.0'), 'http://localhost:8080');
  assert.equal(of('::'), 'http://localhost:8080');
  assert.equal(of('0.0.0.0', 'https://pulse.example'), 'https://pulse.example');
  assert.equal(of('127.0.0.1', 'http://0.0.0.0:9000'), 'http://localhost:9000');
});
