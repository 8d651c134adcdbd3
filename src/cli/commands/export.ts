import { type Command, InvalidArgumentError, Option } from 'commander';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { loadConfig } from '../../config.ts';
import { isGeoSchema, listedActions, MMDB_SCHEMAS, type MmdbSchema } from '../../core/export/export-record.ts';
import { setNameFault } from '../../core/export/text-formats.ts';
import { EXPORT_FORMATS, type ExportFormat, exportDetailOf } from '../../main/bulk/export-formats.ts';
import { ExportImages } from '../../main/bulk/export-images.ts';
import { GeoFile } from '../../main/bulk/geo-file.ts';
import { type ExportOutcome, VerdictFile } from '../../main/bulk/verdict-file.ts';
import { type WatchedFile, watchExport } from '../../main/bulk/watch-export.ts';
import { NETWORK_SIGNALS } from '../../service/lookup/export-entries.ts';
import { say } from '../language/say.ts';
import { FILE_STATES, type FilterFlags, filterOptions } from '../options/filters.ts';
import { readerConfig } from '../reader-config.ts';
import { wholeFrom } from '../receiver-of.ts';
import { print, printNote } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

interface ExportFlags extends FilterFlags {
  readonly format: ExportFormat;
  readonly schema?: MmdbSchema;
  readonly databaseType?: string;
  readonly comments?: boolean;
  readonly out: string;
  readonly includeFetchOnly?: boolean;
  readonly name: string;
  readonly watch?: boolean;
  readonly interval: number;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('export')
    .description('the verdicts of this moment as a file that other software reads (docs/export.md)')
    .addOption(new Option('--format <format>', 'what reads the file').choices(EXPORT_FORMATS).makeOptionMandatory())
    .requiredOption(
      '--out <file>',
      'the file to make or replace, packed when it ends in .gz or .zst; - is standard output',
    )
    .addOption(
      new Option(
        '--schema <schema>',
        'with mmdb: fields of the file, pulse unless said; the others are MaxMind’s',
      ).choices(MMDB_SCHEMAS),
    )
    .option(
      '--database-type <name>',
      'with mmdb: the name in the file that a reader asks for, such as GeoIP2-Anonymous-IP',
    )
    .option('--comments', 'with csv: moment and licences as comments before the header, too');
  filterOptions(command, {
    minScore: 'scores from this on; default: 70 in nft, ipset and txt without --levels',
    states: 'states of the evidence; default: active, in mmdb, csv and ndjson stale as well',
  })
    .option(
      '--include-fetch-only',
      'count sources that may not be passed on, and say which networks are meant; for files that stay here',
    )
    .option('--name <name>', 'name of the sets or the table that the file makes', setName, 'pulse')
    .option('--watch', 'keep the file current until stopped')
    .option('--interval <seconds>', 'with --watch: pause between two looks', wholeFrom(1, 86_400), 60)
    .option('--json', 'print what was written as JSON')
    .action(run);
}

async function run(flags: ExportFlags, command: Command): Promise<void> {
  const { format, schema = 'pulse', databaseType, levels, signals, maxTier, includeFetchOnly = false, name } = flags;
  const misused = misuseOf(flags, command);
  if (misused !== undefined) command.error(misused);
  const hidden = includeFetchOnly ? [] : (signals ?? []).filter((signal) => NETWORK_SIGNALS.includes(signal));
  if (hidden.length > 0)
    command.error(
      say('error: {signals} come from network data, which is only in a file with --include-fetch-only', {
        signals: hidden.join(', '),
      }),
    );
  if (flags.watch === true && flags.out === '-')
    command.error(say('error: --watch keeps a file current; give it one with --out'));
  const stopping = stopRequested(say('stopped; the file is as it was'));
  const families = flags.family === 'both' ? ([4, 6] as const) : ([flags.family === '4' ? 4 : 6] as const);
  if (isGeoSchema(schema)) {
    const file = new GeoFile(loadConfig(), { schema, databaseType, path: flags.out, families, hasAsNames: true });
    return await writeAndWatch(file, flags, stopping);
  }
  const config = readerConfig({ hasPlaceOnly: false });
  const actions = holdsAll(format, schema) ? undefined : listedActions(flags.includeShared);
  const { minScore = exportDetailOf(format, schema) === 'prefix' && levels === undefined ? 70 : 0 } = flags;
  const states = flags.states ?? (exportDetailOf(format, schema) === 'record' ? FILE_STATES : (['active'] as const));
  const store = await openHistory(config);
  try {
    const order = {
      format,
      schema,
      databaseType,
      path: flags.out,
      families,
      filter: { minScore, levels, states, signals, maxTier, actions },
      exclude: flags.exclude ?? [],
      includeFetchOnly,
      name,
      hasComments: flags.comments,
    };
    await writeAndWatch(new VerdictFile({ images: new ExportImages(config, store), store }, order), flags, stopping);
  } finally {
    await store.close();
  }
}

/** Formats that hold every verdict unless asked otherwise; the others are lists to block by. */
const holdsAll = (format: ExportFormat, schema: MmdbSchema): boolean =>
  ['record', 'anonymity'].includes(exportDetailOf(format, schema));

const FILTERS = ['minScore', 'levels', 'states', 'signals', 'maxTier', 'includeShared', 'exclude', 'includeFetchOnly'];

function misuseOf({ format, schema, databaseType, comments }: ExportFlags, command: Command): string | undefined {
  if ((schema ?? databaseType) !== undefined && format !== 'mmdb')
    return say('error: --schema and --database-type are for --format mmdb');
  if (comments === true && format !== 'csv') return say('error: --comments is for --format csv');
  const isFiltered = FILTERS.some((name) => command.getOptionValueSource(name) === 'cli');
  return schema !== undefined && isGeoSchema(schema) && isFiltered
    ? say('error: --schema {schema} holds no verdicts that could be filtered', { schema })
    : undefined;
}

async function writeAndWatch(file: WatchedFile, flags: ExportFlags, stopping: AbortSignal): Promise<void> {
  const progress = process.stderr.isTTY ? terminalProgress() : () => {};
  const outcome = await file
    .write(stopping, (prefixes) =>
      progress(say('{count:prefix|prefixes}', { count: prefixes.toLocaleString('en-US') })),
    )
    .finally(() => progress(''));
  report(flags, outcome);
  if (flags.watch === true) await keepCurrent(file, flags, stopping);
}

async function keepCurrent(file: WatchedFile, flags: ExportFlags, signal: AbortSignal): Promise<void> {
  const log = createLogger(loadConfig().logLevel);
  await watchExport(file, {
    pauseMs: flags.interval * 1000,
    signal,
    onLooked: (outcome) =>
      outcome.written === undefined
        ? log.debug('the file would say the same and was left as it is')
        : report(flags, outcome),
    onFailed: (error) =>
      log.error(
        { err: error },
        'the file could not be brought up to date; it is as it was, and the next look tries again',
      ),
  });
}

function report({ format, schema, out, json }: ExportFlags, { notice, prefixes, written }: ExportOutcome): void {
  const { moment, dataVersion, parametersVersion, degraded = false, leftOut = [] } = notice;
  const bytes = written?.bytes ?? 0;
  const summary = {
    format,
    schema,
    out,
    prefixes,
    bytes,
    computed_at: new Date(moment).toISOString(),
    data_version: dataVersion,
    parameters_version: parametersVersion,
    ...(degraded && { degraded }),
    left_out: leftOut.map(({ id }) => id),
  };
  const lines = [
    say('{out}: {prefixes:prefix|prefixes}, {bytes} bytes, verdicts of {at}', {
      out,
      prefixes: prefixes.toLocaleString('en-US'),
      bytes: bytes.toLocaleString('en-US'),
      at: summary.computed_at,
    }),
    ...(leftOut.length === 0
      ? []
      : [say('left out, because they may not be passed on: {ids}', { ids: summary.left_out.join(', ') })]),
    ...(degraded ? [say('degraded: sources of evidence were late or missing; `pulse feeds list` shows them')] : []),
  ];
  if (out !== '-') print(json, summary, lines);
  else for (const line of json === true ? [JSON.stringify(summary)] : lines) printNote(line);
}

function setName(text: string): string {
  const fault = setNameFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(say(fault));
}
