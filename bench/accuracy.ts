/**
 * How right the answers are over real lists (it prints docs/accuracy.md).
 *
 *   node bench/accuracy.ts --data FOLDER [--data FOLDER] [--at TIME] [--recall FOLDER] [--times FOLDER] [--places FOLDER --towns FILE] [--draws N]
 *   [--seed N]
 *
 * FOLDER is a mirror as PULSE_FEEDS takes it, with or without histories; several are read as one, the first
 * that holds a source counts. The folder of --recall holds lists that no source of the catalogue reads, one a
 * file; that of --times has the times of each source's versions, and that of --places geofeeds, whose towns are looked up in GeoNames' `cities500.txt`. Repeatable: the same files and seed print the same figures. Reads nothing from a network.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { publishedSources } from '../src/adapters/feeds/catalogue.ts';
import { SqliteHistory } from '../src/adapters/history/sqlite/history.ts';
import { loadProtection } from '../src/adapters/layers/load-protection.ts';
import { parseRfc3339 } from '../src/core/evidence/parse-rfc3339.ts';
import { accuracyText } from './accuracy/accuracy-text.ts';
import { imagePlaces } from './accuracy/image-places.ts';
import { measureAccuracy } from './accuracy/measure-accuracy.ts';

const MIRROR = resolve(import.meta.dirname, '../../shared/data');

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true },
    at: { type: 'string' },
    recall: { type: 'string' },
    times: { type: 'string' },
    places: { type: 'string' },
    towns: { type: 'string' },
    draws: { type: 'string', default: '8000000' },
    seed: { type: 'string', default: '1' },
  },
});
const folders = values.data ?? (existsSync(MIRROR) ? [MIRROR] : []);
const numbers = { draws: Number(values.draws), seed: Number(values.seed) };
const at = values.at === undefined ? undefined : parseRfc3339(values.at);
const progress = (step: string): void => void process.stderr.write(`${new Date().toISOString()} ${step}\n`);

if (
  folders.length === 0 ||
  Object.values(numbers).some((value) => !Number.isInteger(value) || value < 1) ||
  (values.at !== undefined && at === undefined) ||
  (values.places !== undefined && values.towns === undefined)
) {
  process.stderr.write(
    'usage: node bench/accuracy.ts --data FOLDER [--at TIME] [--recall FOLDER] [--times FOLDER] [--places FOLDER --towns FILE] [--draws N] [--seed N]\n',
  );
  process.exitCode = 2;
} else process.stdout.write(await measured());

async function measured(): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'pulse-accuracy-'));
  const store = new SqliteHistory(join(temporary, 'evidence.db'));
  try {
    const report = await measureAccuracy({
      folders,
      store,
      protection: loadProtection(publishedSources()),
      placesOf: (mirror) => imagePlaces(temporary, mirror.networkLists, mirror.at),
      draws: numbers.draws,
      seed: numbers.seed,
      progress,
      ...(at === undefined ? {} : { at }),
      ...(values.recall === undefined ? {} : { recall: values.recall }),
      ...(values.times === undefined ? {} : { times: values.times }),
      ...(values.places === undefined ? {} : { geofeeds: [values.places, values.towns!] as const }),
    });
    return accuracyText(report);
  } finally {
    await store.close();
    rmSync(temporary, { recursive: true });
  }
}
