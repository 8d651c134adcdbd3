import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import ssh2 from 'ssh2';
import { eventually } from '../../../test/support/eventually.ts';
import { randomBelow } from '../../../test/support/random.ts';
import { makePersona } from '../../core/collection/traps/persona.ts';
import { wireNumber } from '../../core/collection/traps/trap.ts';
import { makeHostKey, sshServer } from './ssh-server.ts';
import type { SessionPeer } from './take-connection.ts';

const { ssh } = makePersona((text) => createHash('sha256').update(text).digest('base64url'));
const server = sshServer([makeHostKey('ed25519')], ssh);

/** ssh2 begins to read when its ciphers are ready. */
const afterPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The connection as the server sees it, which records the bytes sent to the client. */
function side() {
  const seen = { sent: '', ended: false, traits: [] as string[], attempts: 0 };
  const noted: SessionPeer = {
    send(bytes) {
      seen.sent += Buffer.from(bytes).toString('latin1');
    },
    end() {
      seen.ended = true;
    },
    attempt() {
      seen.attempts += 1;
    },
    trait(text) {
      seen.traits.push(text);
    },
  };
  return { seen, noted };
}

const LISTS = [
  'curve25519-sha256',
  'ssh-ed25519',
  'aes128-ctr',
  'aes128-ctr',
  'hmac-sha2-256',
  'hmac-sha2-256',
  'none',
  'none',
  '',
  '',
];
const PAYLOAD = `\x14${'c'.repeat(16)}${LISTS.map((list) => wireNumber(list.length, 4) + list).join('')}\0\0\0\0\0`;
/** At least four bytes, up to a multiple of eight in total (RFC 4253 section 6). */
const padding = 4 + ((8 - ((5 + PAYLOAD.length + 4) % 8)) % 8);
const KEX_INIT = `${wireNumber(1 + PAYLOAD.length + padding, 4)}${String.fromCharCode(padding)}${PAYLOAD}${'p'.repeat(padding)}`;
const IDENT = 'SSH-2.0-trap_test\r\n';

test('a client is greeted, its make is seen, and its keys are exchanged with ours', async () => {
  const { seen, noted } = side();
  const talk = server(noted);
  talk.receive(Buffer.from(IDENT + KEX_INIT, 'latin1'));
  // The first connection of a process waits for the ciphers.
  await eventually(() => seen.traits.length > 0 && seen.sent.includes('curve25519-sha256'));
  assert.ok(seen.sent.startsWith(`SSH-2.0-${ssh.ident}\r\n`));
  assert.equal(seen.ended, false, seen.sent);
  // The client chooses the exchange, so none may be expensive enough to block the process.
  assert.doesNotMatch(seen.sent, /group-exchange|group1[5-8]/);
  assert.deepEqual(seen.traits, [`SSH-2.0-trap_test ${LISTS.slice(0, 8).join(';')}`]);
  talk.closed?.();
});

test('a second exchange of keys ends the talk before it is paid for', async () => {
  const { seen, noted } = side();
  const talk = server({
    ...noted,
    send(bytes) {
      wire.push(bytes);
    },
    end() {
      noted.end();
      wire.destroy();
    },
  });
  const wire: Duplex = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      talk.receive(bytes);
      done();
    },
  });
  const client = new ssh2.Client();
  let exchanged = 0;
  client.on('handshake', () => {
    exchanged += 1;
    if (exchanged > 1) wire.destroy();
    else (client as unknown as { readonly _protocol: { rekey(): void } })._protocol.rekey();
  });
  const closed = once(client, 'close');
  client.on('error', () => undefined).connect({ sock: wire, username: 'root', password: 'toor' });
  await closed;
  assert.deepEqual([exchanged, seen.ended, seen.attempts], [1, true, 0]);
  talk.closed?.();
});

test('whatever a client sends ends that client and no other', async () => {
  const below = randomBelow(14);
  const sound = IDENT + KEX_INIT;
  let ended = 0;
  for (let run = 0; run < 300; run++) {
    const bytes = Buffer.from(sound, 'latin1');
    for (let change = below(6); change >= 0; change--) bytes[below(bytes.length)] = below(256);
    const more = Buffer.from(Array.from({ length: below(400) }, () => below(256)));
    const { seen, noted } = side();
    const talk = server(noted);
    const all = Buffer.concat([bytes.subarray(0, below(2) === 0 ? bytes.length : below(bytes.length)), more]);
    for (let at = 0; at < all.length; at += 97) talk.receive(all.subarray(at, at + 97));
    await afterPromises();
    assert.equal(seen.attempts, 0);
    if (seen.ended) ended += 1;
    talk.closed?.();
  }
  assert.ok(ended > 50, String(ended));
});

test('a host key that cannot be read again is not used: another is made', (t) => {
  const whole = makeHostKey('ed25519');
  const keys = [whole.replace(/[A-Za-z]{8}/, 'AAAAAAAA').slice(0, 120), whole];
  t.mock.method(ssh2.utils, 'generateKeyPairSync', () => ({ private: keys.shift() }));
  assert.equal(makeHostKey('ed25519'), whole);
});
