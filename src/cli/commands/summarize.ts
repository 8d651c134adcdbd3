import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LogBytes, openLogBytes } from '../../adapters/log-files/open-log-bytes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomHashSeed } from '../../adapters/system/random-hash-seed.ts';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import { type Config, loadConfig } from '../../config.ts';
import type { IPRisk, PulseIPRisk } from '../../contract/risk.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { detectLayout, SAMPLE_BYTES } from '../../core/logs/detect-layout.ts';
import { LineBlocks } from '../../core/logs/line-blocks.ts';
import { LINE_FORMATS, type LineFormat } from '../../core/logs/line-format.ts';
import { makeLineReader } from '../../core/logs/make-line-reader.ts';
import { htmlReport } from '../../core/report/html-report.ts';
import { textReport } from '../../core/report/text-report.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { wordsZh } from '../../core/report/words-zh.ts';
import type { WorldOutlines } from '../../core/report/world-map.ts';
import { TrafficTally } from '../../core/summary/traffic-tally.ts';
import { verdictFacts } from '../../core/summary/verdict-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { loadSecret } from '../../main/data-folder/deployment-secret.ts';
import { openHistory } from '../../main/evidence/open-history.ts';
import { PulseLookup, type PulseText } from '../../service/lookup-pulse.ts';
import type { HistoryStore, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { SharedFacts } from '../../service/shared-facts.ts';
import { type Judgement, type SummarizeParts, summarizeBlock } from '../../service/summarize-block.ts';
import { localDataView } from '../local-data-view.ts';
import { printJson, printLines } from '../print.ts';

interface SummarizeFlags {
  readonly format: 'auto' | LineFormat;
  readonly field?: string;
  readonly at?: UnixMs;
  readonly html?: string;
  readonly lang: keyof typeof WORDS;
  readonly top: number;
  readonly json?: boolean;
}

const WORDS = { en: wordsEn, zh: wordsZh };
const WORLD = resolve(import.meta.dirname, '../../../data/world-outlines.json');
const TOP_MAX = 1000;
/** Between two lines of progress. */
const PROGRESS_MS = 250;

/** `pulse summarize` (decisions 10.2, docs/bulk.md): who is behind the lines of a log, from local data. */
export function register(program: Command): void {
  program
    .command('summarize')
    .description('who is behind the lines of a log: shares by state, level, signal, network and country, from the local data; no server needed (docs/bulk.md)')
    .argument('[file]', 'the log, also compressed with gzip or zstd; - or none: standard input', '-')
    .addOption(new Option('--format <format>', 'how lines are laid out').choices(['auto', ...LINE_FORMATS]).default('auto'))
    .option('--field <name>', 'column, word (from 1) or member with the address; default: found by itself')
    .option('--at <time>', 'verdicts as they stood at this moment (RFC 3339)', moment)
    .option('--html <file>', 'write a report as one HTML file, which opens from disk and loads nothing')
    .addOption(new Option('--lang <language>', 'language of the report and the text').choices(Object.keys(WORDS)).default('en'))
    .option('--top <n>', 'rows of the most frequent addresses and prefixes', rows, 20)
    .option('--json', 'print the summary as JSON')
    .action(run);
}

async function run(file: string, flags: SummarizeFlags): Promise<void> {
  const config = loadConfig(process.env, availableParallelism());
  const now = systemClock.now();
  if (flags.at !== undefined && flags.at > now) throw new Problem('invalid_time');
  const log = await openLogBytes(file);
  const store = await openHistory(config);
  try {
    const { view, geo } = await localDataView(config, store, now, flags.at ?? now);
    const tally = new TrafficTally({ seed: randomHashSeed() });
    await readLog(log, flags, { tally, judge: await judgeOf({ config, store, view, geo, now, moment: flags.at }) });
    const { dataVersion, degraded } = view;
    const summary = tally.document({ computedAt: flags.at ?? now, dataVersion, degraded, top: flags.top });
    const source = file === '-' ? 'stdin' : basename(file);
    const words = WORDS[flags.lang];
    if (flags.html !== undefined) {
      const world = JSON.parse(readFileSync(WORLD, 'utf8')) as WorldOutlines;
      await writeDurably(resolve(flags.html), Buffer.from(htmlReport(summary, { source, words, world })));
    }
    if (flags.json === true) printJson(summary);
    else printLines(textReport(summary, source, words));
  } finally {
    await store.close();
  }
}

/** Reads all of a log into a tally. @throws Error where it is not clear how the log is laid out */
async function readLog(log: LogBytes, { format, field }: SummarizeFlags, parts: Omit<SummarizeParts, 'reader'>): Promise<void> {
  const wishes = { format: format === 'auto' ? undefined : format, field };
  const progress = new ReadProgress(log);
  let reading: { readonly blocks: LineBlocks; readonly parts: SummarizeParts; header: boolean } | undefined;
  const take = async (block: Uint8Array | undefined): Promise<void> => {
    if (block === undefined || reading === undefined) return;
    const { reader } = reading.parts;
    const from = reading.header ? reader.read(block, 0) : 0;
    reading.header = false;
    progress.add(await summarizeBlock(block, from, reading.parts));
  };
  const begin = async (sample: Uint8Array): Promise<void> => {
    const layout = detectLayout(wholeLines(sample), wishes);
    if (typeof layout === 'string') throw new Error(layout);
    reading = { blocks: new LineBlocks(layout), parts: { ...parts, reader: makeLineReader(layout) }, header: layout.header !== undefined };
    await take(reading.blocks.push(sample));
  };
  let sample: Uint8Array = new Uint8Array(0);
  for await (const chunk of log.chunks) {
    if (reading !== undefined) await take(reading.blocks.push(chunk));
    else {
      sample = sample.length === 0 ? chunk : Buffer.concat([sample, chunk]);
      if (sample.length >= SAMPLE_BYTES) await begin(sample);
    }
  }
  if (reading === undefined && sample.length > 0) await begin(sample);
  await take(reading?.blocks.end());
  progress.end();
}

/** The sample without a line that its end cuts; a sample of one line is left whole. */
function wholeLines(sample: Uint8Array): Uint8Array {
  if (sample.length < SAMPLE_BYTES) return sample;
  const end = sample.lastIndexOf(10) + 1;
  return end === 0 ? sample : sample.subarray(0, end);
}

interface JudgeOptions {
  readonly config: Config;
  readonly store: HistoryStore;
  readonly view: LookupView;
  readonly geo: GeoImage;
  readonly now: UnixMs;
  readonly moment: UnixMs | undefined;
}

/** What the single professional look-up says of an address. @throws Problem for a moment that history does not reach */
async function judgeOf({ config, store, view, geo, now, moment }: JudgeOptions): Promise<SummarizeParts['judge']> {
  const pulse = new PulseLookup({ history: config.history ? store : undefined, secret: loadSecret(config).subkey('pool-handle') });
  const question = { view, now, account: { id: 'local', dpa: true }, moment };
  if (moment === undefined) {
    // Without a moment of the past the answer is there at once.
    const shared = new SharedFacts({ view, geo, judge: (address) => judgementOf(pulse.lookup({ ...question, address }) as PulseText | undefined) });
    return (address) => shared.of(address);
  }
  await pulse.checkMoment({ ...question, moment, address: ANY_IPV4 });
  return async (address) => (address.family === 6 ? 'without_history' : judgementOf(await pulse.lookup({ ...question, address })));
}

/** The rules of a moment are the same for every IPv4 address. */
const ANY_IPV4: Address = parseAnyAddress('8.8.8.8')!;

const judgementOf = (answer: PulseText | undefined): Judgement =>
  answer === undefined ? 'not_found' : verdictFacts(JSON.parse(answer.json) as IPRisk | PulseIPRisk);

/** How far the reading is, on a terminal: lines, rate, and for a file its share and the time left. */
class ReadProgress {
  readonly #log: LogBytes;
  readonly #show = terminalProgress();
  readonly #startedAt = performance.now();
  #shownAt = 0;
  #lines = 0;

  constructor(log: LogBytes) {
    this.#log = log;
  }

  add(lines: number): void {
    this.#lines += lines;
    const at = performance.now();
    if (!process.stderr.isTTY || at - this.#shownAt < PROGRESS_MS) return;
    this.#shownAt = at;
    const seconds = (at - this.#startedAt) / 1000;
    const { size } = this.#log;
    const share = size === undefined || size === 0 ? undefined : this.#log.read() / size;
    const left = share === undefined ? '' : `, ${Math.round(100 * share)}%, ${Math.ceil(seconds / share - seconds)} s left`;
    this.#show(`${this.#lines.toLocaleString('en')} lines, ${Math.round(this.#lines / seconds).toLocaleString('en')} a second${left}`);
  }

  end(): void {
    this.#show('');
  }
}

function moment(text: string): UnixMs {
  const at = parseRfc3339(text);
  if (at === undefined) throw new InvalidArgumentError('expected a moment such as 2026-11-22T08:00:00Z');
  return at;
}

function rows(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > TOP_MAX) throw new InvalidArgumentError(`expected a whole number from 1 to ${TOP_MAX}`);
  return count;
}
