import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** What a secret is used for; each use gets a key of its own, so that one can never be taken for another. */
export type SecretUse = 'api-key' | 'cookie' | 'pool-handle' | 'oauth' | 'phone-number' | 'mail-token';

export interface DeploymentSecret {
  /** 32 bytes for this use alone (HKDF-SHA256, RFC 5869). The same on every node and at every start with the same secret. */
  subkey(use: SecretUse): Uint8Array;
}

/**
 * The deployment's secret: PULSE_SECRET, or `secret` in the data folder, made at the first start and readable by its owner only.
 * Several processes may start at once: all get the same one. Whoever loses it loses every key, session and pool handle.
 */
export function loadSecret(config: Pick<Config, 'dataDir' | 'secret'>): DeploymentSecret {
  const secret = config.secret ?? readOrMake(config.dataDir);
  const made = new Map<SecretUse, Uint8Array>();
  return {
    subkey(use) {
      const known = made.get(use) ?? new Uint8Array(hkdfSync('sha256', secret, '', `pulse/${use}/1`, 32));
      made.set(use, known);
      return known;
    },
  };
}

const MIN_LENGTH = 32;

function readOrMake(dataDir: string): string {
  const path = join(dataDir, 'secret');
  const found = read(path);
  if (found !== undefined) return found;
  mkdirSync(dataDir, { recursive: true });
  // Written whole under another name, then linked: the link fails when another process was first, and nobody ever reads half a file.
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readOrFail(path);
}

function read(path: string): string | undefined {
  try {
    return readOrFail(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function readOrFail(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (text.length < MIN_LENGTH)
    throw new Error(`${path}: holds fewer than ${MIN_LENGTH} characters; restore it from a backup, or remove it to start with new keys`);
  return text;
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
