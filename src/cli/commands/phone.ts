import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { openDataFolder } from '../../adapters/data-folder/open-data-folder.ts';
import {
  fileTime,
  PHONE_FORMATS,
  type PhoneFormat,
  readPhoneFile,
} from '../../adapters/phone-db/formats/read-phone-file.ts';
import { openPhoneWriter } from '../../adapters/phone-db/open-phone.ts';
import { prepareLibraries } from '../../adapters/phone-db/prepare-libraries.ts';
import { syntheticPhones } from '../../adapters/phone-db/synthetic-phones.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { loadConfig } from '../../config.ts';
import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../../core/units.ts';
import {
  importPhones,
  type PhoneImportOutcome,
  type RawPhoneRow,
  type RowRefusal,
} from '../../service/phone/import-phones.ts';
import { addPhoneLookup } from '../add-phone-lookup.ts';
import { say } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { print } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

interface ImportOptions {
  readonly library: PhoneLibraryName;
  readonly full?: true;
  readonly dataVersion?: string;
  readonly format: PhoneFormat;
  readonly column?: ReadonlyMap<string, string>;
  readonly callingCode?: string;
  readonly delete?: true;
  readonly capturedAt?: string;
  readonly json?: true;
}

interface GenerateOptions {
  readonly library: PhoneLibraryName;
  readonly records: number;
  readonly seed: number;
  readonly dataVersion?: string;
  readonly json?: true;
}

export function register(program: Command): void {
  const phone = program
    .command('phone')
    .description('numbers: lookups from the local libraries, import of a drop or a public list, a synthetic library');
  addPhoneLookup(phone);
  const library = () =>
    new Option('--library <name>', 'library to write').choices(PHONE_LIBRARIES).makeOptionMandatory();
  phone
    .command('import')
    .description('load records from a file (gzip and zstd are unpacked); a running server sees them at once')
    .argument('<file>', 'NDJSON, CSV with a header, the ip1sms date list, or plain numbers one per line')
    .addOption(library())
    .option('--full', 'the library is exactly this file afterwards; without it the file is an increment')
    .option(
      '--data-version <version>',
      'version shown in meta.data_version (default: the date, for increments with the minute)',
      version,
    )
    .addOption(new Option('--format <format>', 'form of the file').choices(PHONE_FORMATS).default('auto'))
    .option(
      '--column <ours=theirs>',
      'CSV: which column is number, risk, tags, first_seen, last_active … (repeatable)',
      column,
    )
    .option('--calling-code <code>', 'numbers without + belong to this calling code, as 86', callingCode)
    .option('--delete', 'plain numbers: take them out of the library')
    .option('--captured-at <time>', 'plain numbers: when they were seen (default: time of the file)', time)
    .option('--json', 'print JSON')
    .action(runImport);
  phone
    .command('generate')
    .description('replace a library by a seeded synthetic one, for tests and measurements')
    .addOption(library())
    .requiredOption('--records <n>', 'number of records', whole)
    .option('--seed <n>', 'the same seed gives the same library', whole, 1)
    .option('--data-version <version>', 'version shown in meta.data_version', version)
    .option('--json', 'print JSON')
    .action(runGenerate);
}

async function runImport(file: string, options: ImportOptions): Promise<void> {
  const now = systemClock.now();
  const rows = readPhoneFile(file, {
    format: options.delete === true ? 'list' : options.format,
    columns: options.column ?? new Map(),
    deletions: options.delete === true,
    signal: stopRequested(),
    seenAt: options.capturedAt ?? new Date(Math.min(now, await fileTime(file))).toISOString(),
  });
  await load(rows, {
    library: options.library,
    full: options.full === true,
    dataVersion: options.dataVersion,
    json: options.json,
    now,
    callingCode: options.callingCode,
  });
}

async function runGenerate({ library, records, seed, dataVersion, json }: GenerateOptions): Promise<void> {
  const now = systemClock.now();
  await load(syntheticPhones({ records, seed, at: now, library }), {
    library,
    full: true,
    dataVersion,
    json,
    now,
    callingCode: undefined,
  });
}

interface Load {
  readonly library: PhoneLibraryName;
  readonly full: boolean;
  readonly dataVersion: string | undefined;
  readonly json: true | undefined;
  readonly now: UnixMs;
  readonly callingCode: string | undefined;
}

async function load(
  rows: AsyncIterable<readonly (RawPhoneRow | undefined)[]>,
  { library, full, dataVersion, json, now, callingCode: code }: Load,
): Promise<void> {
  const config = loadConfig();
  const folder = await openDataFolder(config);
  const writer = openPhoneWriter(config, loadSecret(config));
  try {
    await folder.settle();
    // An increment may be the first thing an installation is given: it goes on top of the content of a first start.
    if (!full && !(await writer.held(library))) await prepareLibraries(writer, now);
    const stamp = { dataVersion: dataVersion ?? versionAt(now, full), at: now };
    const progress = process.stderr.isTTY ? terminalProgress() : () => {};
    let shown = 0;
    const outcome = await importPhones(writer, rows, {
      library,
      full,
      stamp,
      progress: (count) => {
        if (count - shown < STEP) return;
        shown = count;
        progress(say('{count:row|rows}', { count: count.toLocaleString('en') }));
      },
      ...(code === undefined ? {} : { callingCode: code }),
    }).finally(() => progress(''));
    const { firstRefused, ...counts } = outcome;
    print(
      json,
      { library, data_version: stamp.dataVersion, full, ...counts, first_refused: firstRefused },
      summary(library, stamp.dataVersion, outcome),
    );
  } finally {
    await writer.close();
  }
}

/** yyyymmdd, with hours and minutes for an increment; UTC. */
function versionAt(now: UnixMs, full: boolean): string {
  const digits = new Date(now).toISOString().replaceAll(/\D/g, '');
  return digits.slice(0, full ? 8 : 12);
}

const STEP = 100_000;

function summary(
  library: PhoneLibraryName,
  dataVersion: string,
  { upserts, deletions, records, refused, firstRefused }: PhoneImportOutcome,
): readonly string[] {
  const lines = [
    say('library {library}, version {dataVersion}: {upserts} written, {deletions} deleted', {
      library,
      dataVersion,
      upserts,
      deletions,
    }) + (records === undefined ? '' : say(', {records:record|records}', { records })),
  ];
  for (const [reason, row] of Object.entries(firstRefused)) {
    const count = refused[reason as RowRefusal]!;
    lines.push(say('  refused, {reason}: {count}, the first in row {row}', { reason: slugName(reason), count, row }));
  }
  return lines;
}

function whole(value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new InvalidArgumentError(say('expected a whole number'));
  return Number(value);
}

function callingCode(value: string): string {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new InvalidArgumentError(say('expected a calling code, as 86'));
  return value;
}

function version(value: string): string {
  if (!/^[\w.:-]{1,40}$/.test(value))
    throw new InvalidArgumentError(say('expected up to 40 letters, digits, dots, colons or dashes'));
  return value;
}

function time(value: string): string {
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || Number.isNaN(Date.parse(value)))
    throw new InvalidArgumentError(say('expected an RFC 3339 date-time'));
  return new Date(value).toISOString();
}

function column(value: string, held: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const mark = value.indexOf('=');
  if (mark < 1) throw new InvalidArgumentError(say('expected ours=theirs, as in number=phone'));
  return new Map([...held, [value.slice(0, mark), value.slice(mark + 1)]]);
}
