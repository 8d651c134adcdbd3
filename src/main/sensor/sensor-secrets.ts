import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDurablySync } from '../../adapters/system/write-durably.ts';
import { isHostKey, makeHostKey } from '../../apps/sensor/ssh-server.ts';
import { fault } from '../../core/texts/said.ts';

/**
 * - `hash`: returns HMAC-SHA256 cut to 128 bits, 22 characters of base64url.
 * - `hostKeys`: host keys stay equal at every start: a server whose key changes is recognised as a trap.
 */
export interface SensorSecrets {
  hash(text: string): string;
  hostKeys(): readonly string[];
}

const OWNER_ONLY = 0o600;
const HASH_BYTES = 16;

/**
 * The first start creates the secrets in the folder. They only protect the originals of the sensor's hashes,
 * and never leave the folder.
 */
export function sensorSecrets(folder: string): SensorSecrets {
  return {
    hash: keyedHash(keptText(join(folder, 'secret'), () => randomBytes(32).toString('hex'))),
    hostKeys: () => [
      keptKey(join(folder, 'ssh_host_ed25519_key'), 'ed25519'),
      keptKey(join(folder, 'ssh_host_rsa_key'), 'rsa'),
    ],
  };
}

export const memorySecrets = (): SensorSecrets => ({
  hash: keyedHash(randomBytes(32)),
  hostKeys: () => [makeHostKey('ed25519')],
});

const keyedHash =
  (secret: string | Uint8Array): SensorSecrets['hash'] =>
  (text) =>
    createHmac('sha256', secret).update(text, 'latin1').digest().subarray(0, HASH_BYTES).toString('base64url');

function keptText(path: string, make: () => string): string {
  if (!existsSync(path)) createDurablySync(path, `${make()}\n`, OWNER_ONLY);
  const text = readFileSync(path, 'utf8').trim();
  if (text === '') throw fault('{path} is empty; delete it to have another one made', { path });
  return text;
}

function keptKey(path: string, type: 'ed25519' | 'rsa'): string {
  const key = keptText(path, () => makeHostKey(type));
  if (!isHostKey(key)) throw fault('{path} is not a private key of SSH; delete it to have another one made', { path });
  return key;
}
