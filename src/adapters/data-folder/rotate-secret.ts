import { chmodSync, statSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { KEPT_USES, type KeptUse, type SecretLines, secretLinesText } from '../../core/data-folder/secret-lines.ts';
import { fault } from '../../core/texts/said.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { createDurablySync, writeDurablySync } from '../system/write-durably.ts';
import { findSecret, loadSecret, newSecret, secretPlace } from './deployment-secret.ts';
import { type FolderTarget, openDataFolder } from './open-data-folder.ts';

type RotateTarget = FolderTarget & Partial<Pick<Config, 'secretFile'>>;

/**
 * - `renew`: values stored under the old keys of these uses are lost.
 * - `out`: the new text goes to this file, and the secret in use stays unchanged.
 */
export interface RotateOptions {
  readonly at: UnixMs;
  readonly days: number;
  readonly renew: readonly KeptUse[];
  readonly out?: string;
}

export interface SecretState {
  readonly place: string;
  readonly formerUntil: UnixMs | undefined;
  readonly kept: readonly KeptUse[];
}

/**
 * Makes a new secret. The former one stays in the text for some days, so that other nodes and callers under
 * way keep working. Keys of stored values are written down, so that API keys, phone libraries and pool
 * handles stay valid. Processes read the text when they start.
 * @throws Error when there is no secret, when a former one is still accepted, or when its text cannot be
 * changed here
 */
export async function rotateSecret(
  config: RotateTarget,
  { at, days, renew, out }: RotateOptions,
): Promise<SecretState> {
  const { secret, former } = linesIn(config);
  if (former !== undefined && former.until > at)
    throw fault('{place} holds a former secret until {until}; end it first with: pulse secret forget', {
      place: secretPlace(config),
      until: new Date(former.until).toISOString(),
    });
  const keys = loadSecret(config);
  const kept: { [Use in KeptUse]?: string } = {};
  for (const use of KEPT_USES)
    if (!renew.includes(use)) kept[use] = Buffer.from(keys.subkey(use)).toString('base64url');
  return await place(config, { secret: newSecret(), former: { secret, until: unixMs(at + days * DAY_MS) }, kept }, out);
}

/**
 * Removes the former secret from the text. Running processes accept it until they restart. @throws Error if
 * there is none
 */
export async function removeOldSecret(config: RotateTarget, out?: string): Promise<SecretState> {
  const { secret, former, kept } = linesIn(config);
  if (former === undefined) throw fault('{place} holds no former secret', { place: secretPlace(config) });
  return await place(config, { secret, kept }, out);
}

export const secretState = (config: RotateTarget): SecretState => stateOf(secretPlace(config), linesIn(config));

function linesIn(config: RotateTarget): SecretLines {
  const { lines } = findSecret(config);
  if (lines === undefined)
    throw fault('{place} holds no secret; the first start makes one', { place: secretPlace(config) });
  return lines;
}

async function place(config: RotateTarget, lines: SecretLines, out: string | undefined): Promise<SecretState> {
  const text = secretLinesText(lines);
  if (out !== undefined) {
    if (!createDurablySync(out, text, 0o600)) throw fault('{out} is there already', { out });
    return stateOf(out, lines);
  }
  if (config.secret !== undefined && config.secretFile === undefined)
    throw fault('PULSE_SECRET cannot be changed from here: name a file for the new text with --out');
  // A folder that is incomplete, or belongs to another secret, stays unchanged.
  await openDataFolder(config);
  replace(secretPlace(config), text);
  await (await openDataFolder({ ...config, ...(config.secretFile !== undefined && { secret: text.trim() }) })).settle();
  return stateOf(secretPlace(config), lines);
}

function replace(path: string, text: string): void {
  const { uid, mode } = statSync(path);
  if (process.getuid !== undefined && process.getuid() !== uid)
    throw fault("{path} is another user's; run this as its owner", { path });
  writeDurablySync(path, text, 0o600);
  chmodSync(path, mode & 0o777);
}

const stateOf = (place: string, { former, kept }: SecretLines): SecretState => ({
  place,
  formerUntil: former?.until,
  kept: KEPT_USES.filter((use) => kept[use] !== undefined),
});
