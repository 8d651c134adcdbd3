import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDurablySync } from '../../adapters/system/write-durably.ts';
import type { Config } from '../../config.ts';
import type { Found } from '../../core/data-folder/check-folder.ts';
import { readFolderRecord } from '../../core/data-folder/folder-record.ts';
import { secretFault } from '../../core/data-folder/secret-fault.ts';

/** What a secret is used for; each use gets a key of its own, so that one can never be taken for another. */
export type SecretUse = 'api-key' | 'cookie' | 'pool-handle' | 'oauth' | 'phone-number' | 'mail-token' | 'snapshot' | 'limits';

export interface DeploymentSecret {
  /** 32 bytes for this use alone (HKDF-SHA256, RFC 5869). The same on every node and at every start with the same secret. */
  subkey(use: SecretUse): Uint8Array;
}

/**
 * The deployment's secret: PULSE_SECRET, or `secret` in the data folder, made at the first start and readable by its owner only.
 * Several processes may start at once: all get the same one. An installation that loses it loses every key, session and pool handle.
 * @throws Error when the file cannot be a secret, or is gone from a folder whose `data.json` asks for it
 */
export function loadSecret(config: SecretTarget): DeploymentSecret {
  const secret = secretText(config);
  const made = new Map<SecretUse, Uint8Array>();
  return {
    subkey(use) {
      const known = made.get(use) ?? new Uint8Array(hkdfSync('sha256', secret, '', `pulse/${use}/1`, 32));
      made.set(use, known);
      return known;
    },
  };
}

export type SecretTarget = Pick<Config, 'dataDir' | 'secret'>;

/** The secret itself, for threads that must not read it again. Made when there is none. @throws what `loadSecret` throws */
export const secretText = (config: SecretTarget): string => config.secret ?? readOrMake(config.dataDir);

/** What is there, without making anything. `text` is defined when it is a secret. */
export function findSecret(config: SecretTarget): { readonly found: Found; readonly text: string | undefined } {
  if (config.secret !== undefined) return { found: { state: 'there', id: undefined }, text: config.secret };
  const text = read(join(config.dataDir, 'secret'));
  if (text === undefined) return { found: { state: 'absent' }, text };
  if (text === '') return { found: { state: 'empty' }, text: undefined };
  const fault = secretFault(text);
  return fault === undefined ? { found: { state: 'there', id: undefined }, text } : { found: { state: 'damaged', how: fault }, text: undefined };
}

function readOrMake(dataDir: string): string {
  const path = join(dataDir, 'secret');
  const found = read(path);
  if (found !== undefined) return sound(path, found);
  if (isRecorded(dataDir)) throw new Error(`${path} is missing; restore it from a backup, or see what \`pulse serve\` says of this folder`);
  // Where another process was first, its secret is the one that is read.
  createDurablySync(path, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  return sound(path, readFileSync(path, 'utf8').trim());
}

/** Whether `data.json` says that the folder has a secret. */
function isRecorded(dataDir: string): boolean {
  const path = join(dataDir, 'data.json');
  const record = existsSync(path) ? readFolderRecord(readFileSync(path, 'utf8')) : undefined;
  return typeof record === 'object' && record.parts.secret !== undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function sound(path: string, text: string): string {
  const fault = secretFault(text);
  if (fault !== undefined) throw new Error(`${path} ${fault}; restore it from a backup, or see what \`pulse serve\` says of this folder`);
  return text;
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
