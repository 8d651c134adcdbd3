import { hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Found } from '../../core/data-folder/check-folder.ts';
import { KEPT_USES, readSecretLines, type SecretLines, secretFault } from '../../core/data-folder/secret-lines.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import { createDurablySync } from '../system/write-durably.ts';
import { readRecord } from './read-record.ts';

/** Each use of the secret gets its own key, so that one key can never stand in for another. */
export type SecretUse =
  | 'api-key'
  | 'cookie'
  | 'pool-handle'
  | 'oauth'
  | 'oidc'
  | 'phone-number'
  | 'mail-token'
  | 'snapshot'
  | 'limits'
  | 'client-address'
  | 'second-factor'
  | 'recovery-code'
  | 'webhook'
  | 'feedback';

/**
 * - `subkey`: returns 32 bytes for this use alone (HKDF-SHA256, RFC 5869). Every node with the same secret gets the
 *   same ones, and a use that a rotation keeps gets them with later secrets too.
 * - `formerSubkeys`: returns the keys of the former secret while it is accepted; empty for a kept use, whose key did
 *   not change.
 */
export interface DeploymentSecret {
  subkey(use: SecretUse): Uint8Array;
  formerSubkeys(use: SecretUse): readonly Uint8Array[];
}

/**
 * Loads the deployment's secret: PULSE_SECRET, the file of PULSE_SECRET_FILE, or `secret` in the data folder,
 * which the first start creates for its owner only. Processes that start at once all get the same one. An
 * installation that loses it loses every key, session and pool handle.
 * @throws Error when the text cannot be a secret, or is gone from a folder whose `data.json` asks for it
 */
export function loadSecret(config: SecretTarget): DeploymentSecret {
  const { secret, former, kept } = linesOf(secretPlace(config), secretText(config));
  const made = new Map<SecretUse, Uint8Array>();
  const keptOf = (use: SecretUse): string | undefined => kept[KEPT_USES.find((one) => one === use)!];
  const make = (use: SecretUse): Uint8Array => {
    const key = keptOf(use);
    return key === undefined ? derive(secret, use) : new Uint8Array(Buffer.from(key, 'base64url'));
  };
  return {
    subkey(use) {
      const known = made.get(use) ?? make(use);
      made.set(use, known);
      return known;
    },
    formerSubkeys: (use) =>
      former === undefined || keptOf(use) !== undefined || Date.now() >= former.until
        ? []
        : [derive(former.secret, use)],
  };
}

const derive = (secret: string, use: SecretUse): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `pulse/${use}/1`, 32));

export type SecretTarget = Pick<Config, 'dataDir' | 'secret'> & Partial<Pick<Config, 'secretFile'>>;

export const secretText = (config: SecretTarget): string => config.secret ?? readOrMake(config.dataDir);

export function secretPlace({ dataDir, secret, secretFile }: SecretTarget): string {
  return secretFile ?? (secret === undefined ? join(dataDir, 'secret') : 'PULSE_SECRET');
}

/**
 * Looks for the secret without creating one; `lines` is defined when it is valid.
 * @throws Error when a setting cannot be read as one
 */
export function findSecret(config: SecretTarget): { readonly found: Found; readonly lines: SecretLines | undefined } {
  if (config.secret !== undefined) return { found: THERE, lines: linesOf(secretPlace(config), config.secret) };
  const text = read(join(config.dataDir, 'secret'));
  if (text === undefined) return { found: { state: 'absent' }, lines: undefined };
  if (text === '') return { found: { state: 'empty' }, lines: undefined };
  const how = faultOf(text);
  if (how !== undefined) return { found: { state: 'damaged', how }, lines: undefined };
  return { found: THERE, lines: linesOf(secretPlace(config), text) };
}

const THERE: Found = { state: 'there', id: undefined };

function readOrMake(dataDir: string): string {
  const path = join(dataDir, 'secret');
  const found = read(path);
  if (found !== undefined) return sound(path, found);
  if (isRecorded(dataDir))
    throw fault('{path} is missing; restore it from a backup, or see what `pulse serve` says of this folder', { path });
  // Another process may have created it first; both then read that one.
  createDurablySync(path, `${newSecret()}\n`, 0o600);
  return sound(path, readFileSync(path, 'utf8').trim());
}

export const newSecret = (): string => randomBytes(32).toString('base64url');

function isRecorded(dataDir: string): boolean {
  const record = readRecord(dataDir);
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
  const how = faultOf(text);
  if (how !== undefined)
    throw fault('{path} {fault}; restore it from a backup, or see what `pulse serve` says of this folder', {
      path,
      fault: how,
    });
  return text;
}

function faultOf(text: string): Said | undefined {
  const lines = readSecretLines(text);
  return typeof lines === 'number' ? unreadable(lines) : secretFault(lines.secret);
}

function linesOf(place: string, text: string): SecretLines {
  const lines = readSecretLines(text);
  if (typeof lines === 'number') throw fault('{file} {how}', { file: place, how: unreadable(lines) });
  return lines;
}

const unreadable = (line: number): Said =>
  said('holds a line {line} that is not one of `pulse secret rotate`', { line });

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
