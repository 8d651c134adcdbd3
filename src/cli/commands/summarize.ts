import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import { loadConfig } from '../../config.ts';
import { SHARE_TIERS } from '../../contract/risk.ts';
import type { SummaryAddress } from '../../contract/traffic-summary.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import { LINE_FORMATS, type LineFormat, type Which } from '../../core/logs/line-format.ts';
import { BLOCK_LISTS, type BlockList, blockList } from '../../core/report/block-list.ts';
import { textReport } from '../../core/report/text-report.ts';
import { isRisky } from '../../core/summary/verdict-facts.ts';
import type { Language } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { runSummarize } from '../../main/bulk/run-summarize.ts';
import { readAsNames } from '../../main/place-data/read-as-names.ts';
import { languageOption } from '../language-of.ts';
import { type LeaveOutFlags, leaveOutOptions, maxTierOf } from '../leave-out-options.ts';
import { momentFrom, notPast } from '../moment-from.ts';
import { printJson, printLines, printNote } from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { wholeFrom } from '../receiver-of.ts';
import { say } from '../say.ts';
import { stopRequested } from '../stop-requested.ts';
import { noteUnread, PARTIAL, whichOption } from '../which-option.ts';
import { REPORT_WORDS, withScanners, writeReport } from '../write-report.ts';

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
  readonly json?: boolean;
}

/** `pulse summarize` (decisions 10.2, docs/bulk.md): who is behind the lines of a log, from local data. */
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
      'write the riskiest addresses of at least medium risk: .csv with the reasons, .nft for nftables, .conf for nginx',
      blockListFile,
    );
  leaveOutOptions(command, 'T2; of the file that --riskiest writes')
    .option('--against <file>', 'another log: which risky addresses are new since, and which are gone')
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
  const config = loadConfig();
  if (at !== undefined && at > Date.now()) throw notPast();
  const progress = progressLine('summarize');
  const wishes = { format: flags.format === 'auto' ? undefined : flags.format, field, which };
  const order = {
    path: file,
    against: flags.against,
    wishes,
    moment: at,
    top,
    signal: stopRequested(),
    onProgress: progress.update,
    allowPartial: flags.allowPartial === true,
    onUnread: noteUnread,
  };
  const summary = withScanners(await runSummarize(config, order).finally(progress.end));
  const source = file === '-' ? 'stdin' : basename(file);
  if (flags.riskiest !== undefined) await writeBlockList(flags.riskiest, summary.top.riskiest, flags);
  const words = REPORT_WORDS[lang];
  if (html !== undefined) await writeReport(html, summary, { source, lang, config });
  if (html === '-') return;
  if (json === true) printJson(summary);
  else printLines(textReport(summary, source, words, await readAsNames(config.dataDir)));
}

async function writeBlockList(path: string, rows: readonly SummaryAddress[], flags: SummarizeFlags): Promise<void> {
  const { exclude = [], top } = flags;
  const tiers = SHARE_TIERS.slice(0, SHARE_TIERS.indexOf(maxTierOf(flags)) + 1);
  const isExcluded = ({ ip }: SummaryAddress): boolean =>
    exclude.some((prefix) => contains(prefix, parseAnyAddress(ip)!));
  const chosen = rows.filter((row) => isRisky(row) && row.scanner === undefined && !isExcluded(row));
  const kept = chosen.filter(({ share_tier: tier }) => tier === undefined || tiers.includes(tier));
  await writeOutput(path, Buffer.from(blockList(formOf(path)!, kept)));
  if (kept.length < chosen.length)
    printNote(
      say('{count} addresses that many share were left out; --include-shared takes them', {
        count: chosen.length - kept.length,
      }),
    );
  const last = rows.at(top - 1);
  if (last !== undefined && isRisky(last))
    printNote(say('only the {top} riskiest were looked at; --top takes more', { top }));
}

const formOf = (file: string): BlockList | undefined => BLOCK_LISTS.find((form) => file.endsWith(`.${form}`));

function blockListFile(file: string): string {
  if (formOf(file) !== undefined) return file;
  throw new InvalidArgumentError(
    say('the name ends in one of {ends}', { ends: BLOCK_LISTS.map((form) => `.${form}`).join(', ') }),
  );
}
