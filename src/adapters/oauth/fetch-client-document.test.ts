import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { getUrl } from '../http-client/get-url.ts';
import { clientDocumentFetch } from './fetch-client-document.ts';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'app.example': ['45.1.1.1', '2a00::1'],
  'inside.example': ['45.1.1.1', '10.0.0.7'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'local.example': ['127.0.0.1'],
};
const resolve = async (host: string) =>
  (ADDRESSES[host] ?? [host]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

interface Answer {
  readonly status?: number;
  readonly text: string;
}

function fetchWith({ status = 200, text }: Answer) {
  const asked: string[] = [];
  const connected: unknown[] = [];
  const get: typeof getUrl = async (url, { lookup }) => {
    asked.push(url.href);
    lookup('app.example', { all: true }, (_fault, addresses) => connected.push(addresses));
    return { status, headers: {}, body: Readable.from(text.match(/[\s\S]{1,4096}/g) ?? [], { objectMode: false }) };
  };
  return { asked, connected, fetch: clientDocumentFetch({ resolve, get }) };
}

test('a document is read from the addresses that were judged', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const { fetch, connected } = fetchWith({ text: '{"client_id":"https://app.example/client"}' });
  assert.deepEqual(await fetch(new URL('https://app.example/client')), { client_id: 'https://app.example/client' });
  assert.deepEqual(connected, [
    [
      { address: '45.1.1.1', family: 4 },
      { address: '2a00::1', family: 6 },
    ],
  ]);
});

test('a host with any private, reserved or mapped address is not connected to', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const { fetch, asked } = fetchWith({ text: '{}' });
  for (const host of ['inside.example', 'mapped.example', 'local.example', '169.254.169.254', '[::1]', '0.0.0.0'])
    await assert.rejects(fetch(new URL(`https://${host}/client`)), /private address/, host);
  assert.deepEqual(asked, []);
});

test('a redirect, an error, a long answer or another text is refused', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const url = new URL('https://app.example/client');
  await assert.rejects(fetchWith({ status: 201, text: '{}' }).fetch(url), /201/);
  await assert.rejects(fetchWith({ text: `{"a":"${'x'.repeat(16 * 1024)}"}` }).fetch(url), /larger/);
  await assert.rejects(fetchWith({ text: '<html>' }).fetch(url), SyntaxError);
});
