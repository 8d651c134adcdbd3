import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientDocumentUrl } from './client-document-url.ts';

test('a client id is the address of a document in one spelling only, on the standard port, with a path', () => {
  for (const id of [
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://app.example/client.json?version=2',
    'https://app.example/%2e%2e%2fclient',
  ])
    assert.equal(clientDocumentUrl(id)?.href, id, id);
  for (const id of [
    'https://app.example',
    'https://app.example/',
    'http://app.example/client',
    'https://app.example:8443/client',
    'https://app.example:443/client',
    'https://APP.example/client',
    'https://app.example/a/../client',
    'https://app.example/a/%2e%2e/client',
    'https://app.example/client#me',
    'https://app.example/client#',
    'https://user@app.example/client',
    'https://user:word@app.example/client',
    'https:\\\\app.example\\client',
    ' https://app.example/client',
    'https://app.example/cl ient',
    `https://app.example/${'a'.repeat(500)}`,
    'V1StGXR8_Z5jdHi6B-myT',
    '',
  ])
    assert.equal(clientDocumentUrl(id), undefined, id);
});
