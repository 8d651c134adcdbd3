import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../../config.ts';
import { OUTPUT_FORMS, type OutputForm } from '../../core/enrich/conversion.ts';
import { DEFAULT_FIELDS, FIELD_PATHS, type FieldPath, parseFields } from '../../core/fields/field-path.ts';
import { LINE_FORMATS, type LineFormat, type Which } from '../../core/logs/line-format.ts';
import type { Language } from '../../core/texts/said.ts';
import type { EnrichReport } from '../../main/bulk/enrich-options.ts';
import { runEnrich } from '../../main/bulk/run-enrich.ts';
import { languageOption } from '../language/language-of.ts';
import { say } from '../language/say.ts';
import { noteDoubt, PARTIAL, pastMomentFrom, whichOption } from '../options/option-values.ts';
import { placeConfig, placeOnlyOption, readerConfig } from '../reader-config.ts';
import { readKey, serviceUrl, wholeFrom } from '../receiver-of.ts';
import { printNote, progressLine } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';
import { writeReport } from '../terminal/write-report.ts';

interface EnrichFlags {
  readonly format: LineFormat | 'auto';
  readonly field?: string;
  readonly which?: Which;
  readonly allowPartial?: boolean;
  readonly fields: readonly FieldPath[];
  readonly at?: string;
  readonly out?: string;
  readonly output: OutputForm;
  readonly jobs?: number;
  readonly report?: string;
  readonly lang: Language;
  readonly server?: string;
  readonly keyFile?: string;
  readonly placeOnly?: boolean;
  readonly json?: boolean;
}

const PLACE_FIELD = /^(?:ip$|network\.|geo\.|meta\.data_version\.geo$|error\.code$)/;

export function register(program: Command): void {
  program
    .command('enrich')
    .description('add fields of the verdict to each line of a log or table (docs/bulk.md); no server needed')
    .argument('[file]', 'the file, packed with gzip or zstd or not; - is standard input', '-')
    .addOption(new Option('--format <format>', 'what the lines are').choices(['auto', ...LINE_FORMATS]).default('auto'))
    .option(
      '--field <name|n>',
      'column, member or word with the address, by name or number from 1; default: where addresses are',
    )
    .addOption(whichOption())
    .option('--allow-partial', PARTIAL)
    .option('--fields <list>', `fields to add: ${FIELD_PATHS.join(', ')}`, fieldsFrom, DEFAULT_FIELDS)
    .option('--at <time>', 'verdicts as they stood at this moment (RFC 3339); line: each at the time of its own line')
    .option(
      '--out <file>',
      'file to write, replaced when it is whole; packed when it ends in .gz or .zst; - or none: standard output',
    )
    .addOption(new Option('--output <form>', 'form of the output').choices(OUTPUT_FORMS).default('same'))
    .option('--jobs <n>', 'threads; default: one per core, and one alone for a small file', wholeFrom(1, 256))
    .option('--report <file>', 'write the report of pulse summarize as well, from the same pass, as one HTML file')
    .addOption(languageOption())
    .addOption(placeOnlyOption())
    .option('--server <url>', 'ask the service at this address instead of the local data', serviceUrl)
    .option('--key-file <file>', 'file with an API key for --server')
    .option('--json', 'end with a summary as JSON on standard error')
    .action(run);
}

async function run(path: string, flags: EnrichFlags, command: Command): Promise<void> {
  if (flags.keyFile !== undefined && flags.server === undefined) command.error(say('error: --key-file needs --server'));
  if (flags.server !== undefined && flags.fields.includes('network.as_name'))
    command.error(say('error: network.as_name is in the local data alone, not with --server'));
  if (flags.server !== undefined && flags.report !== undefined)
    command.error(say('error: --report counts by the local data, not with --server'));
  if (flags.at === 'line' && (flags.server !== undefined || flags.report !== undefined))
    command.error(say('error: --at line is neither for --server nor for --report'));
  if (flags.report === '-') command.error(say('error: --report needs the name of a file'));
  const isPlaceOnly = flags.placeOnly === true;
  if (isPlaceOnly && (flags.server !== undefined || command.getOptionValueSource('fields') !== 'default')) {
    const judged = flags.fields.filter((field) => !PLACE_FIELD.test(field));
    if (flags.server !== undefined || judged.length > 0)
      command.error(
        say('error: --place-only knows place and network alone, without --server; leave out {fields}', {
          fields: judged.join(', '),
        }),
      );
  }
  const fields = isPlaceOnly ? flags.fields.filter((field) => PLACE_FIELD.test(field)) : flags.fields;
  const config = flags.server !== undefined ? loadConfig() : isPlaceOnly ? await placeConfig() : readerConfig();
  const show = progressLine('enrich');
  const report = await runEnrich(config, {
    path,
    out: flags.out,
    options: { format: flags.format === 'auto' ? undefined : flags.format, field: flags.field, which: flags.which },
    allowPartial: flags.allowPartial === true,
    fields,
    form: flags.output,
    summarizes: flags.report !== undefined,
    moment: flags.at === 'line' ? 'line' : pastMomentFrom(flags.at),
    server:
      flags.server === undefined
        ? undefined
        : { url: flags.server, key: flags.keyFile === undefined ? undefined : readKey(flags.keyFile) },
    jobs: flags.jobs,
    signal:
      flags.out === undefined ? stopRequested() : stopRequested(say('stopped; {out} is as it was', { out: flags.out })),
    onProgress: show.update,
    onWait: (wait) => printNote(say(wait)),
  }).finally(show.end);
  if (flags.report !== undefined && report.summary === undefined)
    printNote(say('the file is empty: no report was written'));
  else if (flags.report !== undefined && report.summary !== undefined) {
    const source = path === '-' ? 'stdin' : basename(path);
    await writeReport(flags.report, report.summary, { source, lang: flags.lang, config });
  }
  printReport(report, { ...flags, fields });
}

function printReport(
  { records, enriched, refused, withoutAddress, format, doubt, moment, degraded }: EnrichReport,
  { fields, json }: EnrichFlags,
): void {
  const at = moment === 'line' ? moment : new Date(moment).toISOString();
  if (json === true) {
    const summary = {
      records,
      enriched,
      without_verdict: refused,
      without_address: withoutAddress,
      format: format ?? null,
      doubt: doubt.length === 0 ? null : doubt,
      fields,
      at,
      degraded,
    };
    printNote(JSON.stringify(summary));
    return;
  }
  printNote(
    say(
      '{records:line|lines}: {enriched} enriched, {refused} of addresses without a verdict, {withoutAddress} without an address',
      { records, enriched, refused, withoutAddress },
    ),
  );
  for (const one of doubt) noteDoubt(one);
  if (degraded) printNote(say('degraded: sources of evidence were late or missing; `pulse feeds list` shows them'));
}

function fieldsFrom(text: string): readonly FieldPath[] {
  const read = parseFields(text);
  if (typeof read === 'string')
    throw new InvalidArgumentError(say('{name} is not a field, or stands twice', { name: JSON.stringify(read) }));
  return read;
}
