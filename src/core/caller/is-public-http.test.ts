import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicHttp } from './client-address.ts';

test('http under a public name or address, or on all addresses, can be overheard', () => {
  for (const url of [
    'http://pulse.example.com',
    'http://8.8.8.8:8080',
    'http://[2606:4700::1]',
    'http://0.0.0.0:8080',
    'http://[::]:8080',
    'http://notlocal.com',
  ])
    assert.ok(isPublicHttp(url), url);
});

test('https, this machine, and private addresses and names cannot', () => {
  for (const url of [
    'https://pulse.example.com',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://localhost',
    'http://10.1.2.3',
    'http://192.168.1.2:8080',
    'http://[fd00::1]',
    'http://pulse',
    'http://pulse.internal',
    'http://pulse.home.arpa',
  ])
    assert.ok(!isPublicHttp(url), url);
});
