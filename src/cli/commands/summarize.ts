import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import type { SummaryAddress } from '../../contract/traffic-summary.ts';
import { listedActions, passesFilter } from '../../core/export/export-record.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import { LINE_FORMATS, type LineFormat, type Which } from '../../core/logs/line-format.ts';
import { orderOf } from '../../core/policy/order.ts';
import { DEFAULT_POLICY } from '../../core/policy/policy.ts';
import { BLOCK_LISTS, type BlockList, blockList } from '../../core/report/block-list.ts';
import { textReport } from '../../core/report/text-report.ts';
import { crowdOf } from '../../core/risk/share-tier.ts';
import type { Language } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { runSummarize } from '../../main/bulk/run-summarize.ts';
import { readAsNames } from '../../main/place-data/read-current-geo.ts';
import { languageOption } from '../language/language-of.ts';
import { say } from '../language/say.ts';
import { type LeaveOutFlags, leaveOutOptions } from '../options/filters.ts';
import { momentFrom, noteDoubt, notPast, PARTIAL, whichOption } from '../options/option-values.ts';
import { placeConfig, placeOnlyOption, readerConfig } from '../reader-config.ts';
import { wholeFrom } from '../receiver-of.ts';
import { printJson, printLines, printNote, progressLine } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';
import { REPORT_WORDS, withScannerNames, worded, writeReport } from '../terminal/write-report.ts';

interface SummarizeFlags extends LeaveOutFlags {
  readonly format: 'auto' | LineFormat;
  readonly field?: string;
  readonly which?: Which;
  readonly allowPartial?: boolean;
  readonly at?: UnixMs;
  readonly html?: string;
  readonly riskiest?: string;
  readonly against?: string;
  readonly lang: Language;
  readonly top: number;
  readonly placeOnly?: boolean;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('summarize')
    .description(
      'who is behind the lines of a log: shares by state, level, signal, network and country, from the local data; no server needed (docs/bulk.md)',
    )
    .argument('[file]', 'the log, also compressed with gzip or zstd; - or none: standard input', '-')
    .addOption(
      new Option('--format <format>', 'how lines are laid out').choices(['auto', ...LINE_FORMATS]).default('auto'),
    )
    .option('--field <name>', 'column, word (from 1) or member with the address; default: found by itself')
    .addOption(whichOption())
    .option('--allow-partial', PARTIAL)
    .option('--at <time>', 'verdicts as they stood at this moment (RFC 3339)', momentFrom)
    .option(
      '--html <file>',
      'write a report as one HTML file, which opens from disk and loads nothing; - writes it to standard output, in place of the text',
    )
    .option(
      '--riskiest <file>',
      'write the addresses to deny, the riskiest first: .csv with the reasons, .nft for nftables, .conf for nginx',
      blockListFile,
    );
  leaveOutOptions(command)
    .option('--against <file>', 'another log: which risky addresses are new since, and which are gone')
    .addOption(placeOnlyOption())
    .addOption(languageOption())
    .option(
      '--top <n>',
      'rows of the riskiest and of the most frequent addresses, and of prefixes',
      wholeFrom(1, 1000),
      20,
    )
    .option('--json', 'print the summary as JSON')
    .action(run);
}

async function run(file: string, flags: SummarizeFlags): Promise<void> {
  const { at, top, lang, html, json, field, which } = flags;
  const config = flags.placeOnly === true ? await placeConfig() : readerConfig();
  if (at !== undefined && at > Date.now()) throw notPast();
  const progress = progressLine('summarize');
  const options = { format: flags.format === 'auto' ? undefined : flags.format, field, which };
  const order = {
    path: file,
    against: flags.against,
    options,
    moment: at,
    top,
    signal: stopRequested(),
    onProgress: progress.update,
    allowPartial: flags.allowPartial === true,
  };
  if (flags.placeOnly === true) printNote(say('without evidence: score, level and state say nothing here'));
  const { summary, risky } = await runSummarize(config, order).finally(progress.end);
  const source = file === '-' ? 'stdin' : basename(file);
  if (flags.riskiest !== undefined)
    await writeBlockList(flags.riskiest, withScannerNames([...risky()], summary.computed_at), flags);
  const words = REPORT_WORDS[lang];
  if (html !== undefined) await writeReport(html, summary, { source, lang, config });
  for (const one of summary.doubt ?? []) noteDoubt(one);
  if (summary.time === undefined && summary.lines.judged > 0)
    printNote(say('no times were read: the summary has no hours, and no first and last line of an address'));
  if (html === '-') return;
  if (json === true) printJson(summary);
  else printLines(textReport(worded(summary, lang), source, words, await readAsNames(config.dataDir)));
}

async function writeBlockList(path: string, rows: readonly SummaryAddress[], flags: SummarizeFlags): Promise<void> {
  const { exclude = [] } = flags;
  const filter = { minScore: 0, maxTier: flags.maxTier };
  const actions = listedActions(flags.includeShared);
  const isExcluded = ({ ip }: SummaryAddress): boolean =>
    exclude.some((prefix) => contains(prefix, parseAnyAddress(ip)!));
  const isSpared = ({
    signals = [],
    evidence_state: state,
    usage_type: usageType,
    shared_by: sharedBy,
    ...row
  }: SummaryAddress) => {
    const crowd = crowdOf({ usageType, relay: sharedBy === 'relay' }, row.ip.includes(':') ? 6 : 4);
    const facts = { ...row, signals, state, sharedBy, crowd };
    return !passesFilter(facts, filter) || !actions.includes(orderOf(DEFAULT_POLICY, facts).action);
  };
  const by = Map.groupBy(rows, (row) =>
    row.scanner !== undefined ? 'scanner' : isExcluded(row) ? 'excluded' : isSpared(row) ? 'spared' : 'kept',
  );
  const kept = by.get('kept') ?? [];
  await writeOutput(path, Buffer.from(blockList(formOf(path)!, kept)));
  const count = (reason: 'scanner' | 'excluded' | 'spared'): number => by.get(reason)?.length ?? 0;
  printNote(
    say('{count} of {all:address|addresses} of at least medium risk written', { count: kept.length, all: rows.length }),
  );
  if (count('spared') > 0)
    printNote(
      say('left out, not denied or by --max-tier: {count}; --include-shared takes what is challenged', {
        count: count('spared'),
      }),
    );
  if (count('scanner') > 0) printNote(say('left out, known research scanners: {count}', { count: count('scanner') }));
  if (count('excluded') > 0) printNote(say('left out by --exclude: {count}', { count: count('excluded') }));
}

const formOf = (file: string): BlockList | undefined => BLOCK_LISTS.find((form) => file.endsWith(`.${form}`));

function blockListFile(file: string): string {
  if (formOf(file) !== undefined) return file;
  throw new InvalidArgumentError(
    say('the name ends in one of {ends}', { ends: BLOCK_LISTS.map((form) => `.${form}`).join(', ') }),
  );
}
