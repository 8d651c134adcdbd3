import { openHistory } from '../../adapters/evidence/open-history.ts';
import { shareRead } from '../../adapters/log-files/open-input.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import { splitRow } from '../../core/csv/split-row.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { isRecord, parseRecord } from '../../core/kit/json.ts';
import { Recent } from '../../core/kit/recent.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { ReadingProgress } from '../../core/logs/line-format.ts';
import { isTable, type LineLayout } from '../../core/logs/line-layout.ts';
import type { LineReader } from '../../core/logs/line-reader.ts';
import { makeLineReader } from '../../core/logs/make-line-reader.ts';
import { addressOrder } from '../../core/policy/order.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { reasonOf } from '../../core/report/say-order.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import type { TrialDocument, Unjudged } from '../../core/trial/trial-document.ts';
import { type TrialResult, TrialTally } from '../../core/trial/trial-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import { windowFrom } from '../../service/lookup/lookup-pulse.ts';
import type { HistoryPast, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { localImages, openImages } from './local-enricher.ts';
import { requireAddresses, withRecords } from './with-records.ts';

interface TrialOptions {
  readonly path: string;
  readonly loginsPath: string | undefined;
  readonly policy: Policy;
  readonly options: LayoutOptions;
  readonly allowPartial: boolean;
  readonly moment: UnixMs | 'line' | undefined;
  readonly top: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

export async function runTrial(config: Config, trial: TrialOptions): Promise<TrialDocument> {
  const now = systemClock.now();
  const store = await openHistory(config);
  try {
    const { view } = openImages(await localImages(config, store, now));
    const judge = new TrialJudge({ ...trial, config, store, view, now });
    const tally = new TrialTally();
    await eachRecord(trial.path, trial, async (reader) => {
      if (!reader.hasAddress) return tally.pass('without_address');
      const time = reader.time();
      const result = await judge.judge(reader.address, time);
      if (typeof result === 'string') tally.pass(result);
      else tally.note(reader.address, time, result);
    });
    if (trial.loginsPath !== undefined)
      await eachRecord(trial.loginsPath, { ...trial, options: {} }, async (reader, user) => {
        if (!reader.hasAddress) return tally.passLogin('without_address');
        const time = reader.time();
        const result = await judge.judge(reader.address, time);
        if (typeof result === 'string') tally.passLogin(result);
        else tally.noteLogin(reader.address, { user: user(), time }, result);
      });
    const at = trial.moment === 'line' ? 'line' : new Date(trial.moment ?? now).toISOString();
    return tally.document(at, trial.top);
  } finally {
    await store.close();
  }
}

const decoder = new TextDecoder();

async function eachRecord(
  path: string,
  trial: Pick<TrialOptions, 'options' | 'allowPartial' | 'signal' | 'onProgress'>,
  take: (reader: LineReader, user: () => string | undefined) => Promise<void>,
): Promise<void> {
  await withRecords(path, trial, async (input) => {
    const { lines } = input;
    if (lines === undefined) return;
    const reader = makeLineReader(lines.layout);
    const userOf = userReader(lines.layout);
    let [records, without] = [0, 0];
    let isHeader = lines.layout.header !== undefined;
    for await (const block of lines.blocks) {
      trial.signal.throwIfAborted();
      for (let from = 0; from < block.length; ) {
        const begun = from;
        from = reader.read(block, from);
        if (isHeader) {
          isHeader = false;
          continue;
        }
        records++;
        if (!reader.hasAddress) without++;
        await take(reader, () => userOf(decoder.decode(block.subarray(begun, reader.end))));
      }
      trial.onProgress({ records, share: shareRead(input) });
    }
    requireAddresses({ records, without, judged: records - without }, lines.layout, trial);
  });
}

interface TrialJudgeOptions {
  readonly config: Pick<Config, 'history'>;
  readonly store: HistoryPast;
  readonly view: LookupView;
  readonly policy: Policy;
  readonly now: UnixMs;
  readonly moment: UnixMs | 'line' | undefined;
}

const REMEMBERED_MAX = 500_000;

class TrialJudge {
  readonly #options: TrialJudgeOptions;
  readonly #known = new Recent<string, TrialResult>(REMEMBERED_MAX);
  #from: UnixMs | undefined;

  constructor(options: TrialJudgeOptions) {
    this.#options = options;
  }

  async judge(address: Address, time: UnixMs | undefined): Promise<TrialResult | Unjudged> {
    if (isReserved(address)) return 'reserved_address';
    const { moment, now, store } = this.#options;
    if (moment === undefined)
      return this.#remembered(address, undefined, () => this.#options.view.observations(address));
    const at = moment === 'line' ? time : moment;
    if (at === undefined) return 'without_time';
    if (at > now) return 'time_to_come';
    if (address.family === 6) return 'without_history';
    if (at < (await this.#windowFrom())) {
      if (moment === 'line') return 'before_history';
      throw new Problem('at_out_of_window', { extras: { window_from: new Date(this.#from!).toISOString() } });
    }
    return this.#remembered(address, at, () => store.observationsAt(address, at));
  }

  async #windowFrom(): Promise<UnixMs> {
    const { config, store, now } = this.#options;
    if (!config.history) throw new Problem('history_not_enabled');
    this.#from ??= windowFrom(now, undefined, await store.earliest());
    return this.#from;
  }

  async #remembered(
    address: Address,
    at: UnixMs | undefined,
    observations: () => ReturnType<HistoryPast['observationsAt']>,
  ): Promise<TrialResult> {
    const key = `${formatAddress(address)}@${at}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { view, policy, now } = this.#options;
    const shield = knownGoodCapOf(view.protection, address);
    const network = view.network(address);
    const found = verdict(await observations(), network, address.family, at ?? now, SCORE_PARAMETERS, shield);
    const order = addressOrder(policy, found, address);
    const result = { verdict: found, action: order.action, reason: reasonOf(order, found) };
    this.#known.set(key, result);
    return result;
  }
}

/** Files name the holder of a login so, in lower case, best first. */
const NAMES = [
  'user',
  'username',
  'user_name',
  'user.name',
  'login',
  'account',
  'user_id',
  'userid',
  'email',
  'account_id',
];
const LOGIN = / sshd(?:-session)?\[\d+\]: Accepted \S+ for (?<user>\S+) from /;
/** Matches the authenticated user of an access log (Common Log Format). */
const REMOTE_USER = /^\S+ \S+ (?<user>(?!-)\S+) \[/;

function userReader(layout: LineLayout): (record: string) => string | undefined {
  if (layout.format === 'ndjson')
    return (record) => {
      const found = new Map<string, string>();
      collect(parseRecord(record) ?? {}, '', found);
      return NAMES.map((name) => found.get(name)).find((value) => value !== undefined && value !== '');
    };
  if (isTable(layout)) {
    const columns = (layout.header ?? []).map((name) => name.trim().toLowerCase());
    const column = NAMES.map((name) => columns.indexOf(name)).find((at) => at >= 0);
    const separator = String.fromCharCode(layout.separator);
    return (record) => (column === undefined ? undefined : splitRow(record, separator)[column] || undefined);
  }
  return (record) => (LOGIN.exec(record) ?? REMOTE_USER.exec(record))?.groups?.['user'];
}

function collect(record: Readonly<Record<string, unknown>>, path: string, into: Map<string, string>): void {
  for (const [key, value] of Object.entries(record)) {
    const name = `${path}${key.toLowerCase()}`;
    if (typeof value === 'string' || typeof value === 'number') into.set(name, String(value));
    else if (isRecord(value) && path === '') collect(value, `${name}.`, into);
  }
}
