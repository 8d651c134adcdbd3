import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { openHistory } from '../adapters/evidence/open-history.ts';
import { type Config, loadConfig } from '../config.ts';
import { fault } from '../core/texts/said.ts';

/**
 * Settings of a command that only reads: it makes no data folder, and none is built for it.
 * @param hasPlaceOnly whether the command has that option
 * @throws Fault where the data folder has no evidence. A lookup there would say "never seen" of every address
 */
export function readerConfig({ hasPlaceOnly = true } = {}): Config {
  const config = loadConfig();
  if (hasEvidence(config)) return config;
  throw fault(
    hasPlaceOnly
      ? 'no evidence in {folder}: no server has written there. Name the data folder of your server with PULSE_DATA_DIR, or start one with `npm start`; --place-only shows place and network alone'
      : 'no evidence in {folder}: no server has written there. Name the data folder of your server with PULSE_DATA_DIR, or start one with `npm start`',
    { folder: resolve(config.dataDir) },
  );
}

const hasEvidence = ({ dataDir, databaseUrl }: Config): boolean =>
  databaseUrl === undefined ? existsSync(join(dataDir, 'evidence.db')) : existsSync(dataDir);

export const placeOnlyOption = (): Option =>
  new Option('--place-only', 'place and network alone, also without a data folder; says nothing about risk');

const PLACE_PARTS = ['images', 'layers', 'layer-updates', 'network'] as const;

/**
 * Settings for place and network alone: those of the data folder where it has them, in a folder without
 * evidence that goes with the process.
 */
export async function placeConfig(): Promise<Config> {
  const config = loadConfig();
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-place-'));
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  for (const part of PLACE_PARTS) {
    const path = resolve(config.dataDir, part);
    if (existsSync(path)) symlinkSync(path, join(dataDir, part));
  }
  const alone = { ...config, dataDir, databaseUrl: undefined };
  await (await openHistory(alone)).close();
  return alone;
}
