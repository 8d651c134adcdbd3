import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { loadSourceFeedback } from '../../adapters/feedback/load-source-feedback.ts';
import { followedFeeds, type OpenFeeds, openFeedStates, openFeeds } from '../../adapters/feeds/open-feeds.ts';
import { ownAddresses } from '../../adapters/layers/load-intake-refusals.ts';
import { openPhoneFeedStates } from '../../adapters/phone-db/open-phone-feeds.ts';
import { unpackedName } from '../../adapters/system/map-file.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { loadConfig } from '../../config.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { readTime } from '../../core/feeds/read-time.ts';
import { codeSlug } from '../../core/phone/dictionary.ts';
import { padded, widthOf } from '../../core/report/verdict-lines.ts';
import { printable } from '../../core/texts/printable.ts';
import { type Said, worded } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { SourceFeedback } from '../../service/feedback/feedback-store.ts';
import { acceptQuarantined, quarantinedDocument } from '../../service/feeds/accept-quarantined.ts';
import {
  type FeedStatus,
  type FollowedFeeds,
  faultOf,
  feedStatus,
  isOnSchedule,
  missingSources,
} from '../../service/feeds/feed-health.ts';
import type { FeedState, QuarantinedReading } from '../../service/feeds/feed-ports.ts';
import { type ImportEvent, importMirror, type RefusedVersions } from '../../service/feeds/import-mirror.ts';
import type { RefreshOutcome } from '../../service/feeds/refresh-feed.ts';
import { refreshFeeds } from '../../service/feeds/refresh-feeds.ts';
import type { PhoneFeed } from '../../service/phone/phone-feed.ts';
import { missingText, say, sourceText } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { print, printJson, printLines, printNote } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';
import { withHistory } from '../with-history.ts';

export function register(program: Command): void {
  const feeds = program
    .command('feeds')
    .description('public sources: what there is, read them now, take them from a folder');
  feeds
    .command('list')
    .description('the catalogue with last success, rows and licence')
    .option('--json', 'print JSON')
    .action(list);
  feeds
    .command('show')
    .description('one source, and the reading of it that waits in quarantine with reason and figures')
    .argument('<name>', 'source id as in `pulse feeds list`')
    .option('--json', 'print JSON')
    .action(show);
  feeds
    .command('refresh')
    .description('read sources from their publishers now; without names, every scheduled one')
    .argument('[name...]', 'source ids as in `pulse feeds list`')
    .option('--json', 'print JSON')
    .action(refresh);
  feeds
    .command('import')
    .description(
      'take the same sources from files in a folder, histories (*.feedlog.jsonl, <source>/<date>.txt) included',
    )
    .argument('<dir>', 'folder; every folder below it is read too')
    .option(
      '--captured-at <time>',
      'what the files speak for (RFC 3339); default: what they or the manifest state, else the time of the newest file',
      time,
    )
    .option('--no-history', 'current files only')
    .option('--json', 'print JSON')
    .action(importFolder);
  const meanings = {
    off: 'stop reading a source and do not expect it: verdicts are not degraded without it; what it said before stays and ages',
    on: 'read a source again that was switched off',
  };
  for (const to of ['off', 'on'] as const)
    feeds
      .command(to)
      .description(meanings[to])
      .argument('<name>', 'source id as in `pulse feeds list`')
      .option('--json', 'print JSON')
      .action((name: string, options: AsJson, command: Command) => switchFeed(name, to, options, command));
  feeds
    .command('accept')
    .description(
      'take in the reading of a source that waits in quarantine, although it is outside the bounds; later readings are compared with it',
    )
    .argument('<name>', 'source id as in `pulse feeds list`')
    .option(
      '--digest <digest>',
      'the reading that is meant, by the first characters (8 or more) of its digest as in `pulse feeds show`',
    )
    .option('--json', 'print JSON')
    .action(accept);
}

function feedNamed(name: string, command: Command): Feed {
  const feed = openFeedStates(loadConfig()).catalogue.find(({ id }) => id === name);
  return (
    feed ?? command.error(say('error: no source {name} of addresses or networks; see `pulse feeds list`', { name }))
  );
}

async function switchFeed(name: string, to: 'off' | 'on', { json }: AsJson, command: Command): Promise<void> {
  const { id } = feedNamed(name, command);
  openFeedStates(loadConfig()).switches.set(id, to);
  await withAccounts(({ store }) => store.note(`feed.${to}`, id, {}, byCli()));
  print(json, { source: name, off: to === 'off' }, [say(to === 'off' ? '{name} is off' : '{name} is on', { name })]);
}

const withFeeds = <T>(work: (feeds: OpenFeeds) => Promise<T>): Promise<T> =>
  withHistory((store, config) => work(openFeeds({ config, store, clock: systemClock, own: ownAddresses(config) })), {
    derives: true,
  });

interface AsJson {
  readonly json?: boolean;
}

interface AcceptOptions extends AsJson {
  readonly digest?: string;
}

async function accept(name: string, { digest, json }: AcceptOptions, command: Command): Promise<void> {
  const feed = feedNamed(name, command);
  const outcome = await withFeeds(({ parts }) => acceptQuarantined(feed, digest, parts));
  if (outcome.status === 'none') throw new Error(say('no reading of {name} is in quarantine', { name }));
  if (outcome.status === 'replaced') throw new Error(replacedText(name, digest, outcome.kept));
  const { content, rows, runAt, changed } = outcome;
  await withAccounts(({ store }) =>
    store.note('feed.accept', name, { digest: content, rows, run_at: iso(runAt) }, byCli()),
  );
  const done = { source: name, status: 'accepted', digest: content, rows, run_at: iso(runAt), changed };
  print(json, done, [say('{name}: accepted {rows:row|rows} as of {at}', { name, rows, at: iso(runAt)! })]);
}

const replacedText = (
  name: string,
  digest: string | undefined,
  { content, replaced, lastReadAt }: QuarantinedReading,
): string =>
  digest === undefined
    ? say(
        '{count:reading|readings} of {name} were refused, one after the other; the newest, of {at}, is kept. Look at it with `pulse feeds show {name}` and name it: --digest {content}',
        { count: replaced + 1, name, at: iso(lastReadAt)!, content },
      )
    : say(
        'the reading of {name} in quarantine is not {digest}; it is {content}, of {at}: look at it with `pulse feeds show {name}`',
        { name, digest, content, at: iso(lastReadAt)! },
      );

function show(name: string, { json }: AsJson, command: Command): void {
  const feed = feedNamed(name, command);
  const config = loadConfig();
  const files = openFeedStates(config);
  const known = followedFeeds(config, files);
  const standing = feedStatus(files.catalogue, known, Date.now() as UnixMs).get(feed.id)!;
  const row = listed(feed, known, standing, files.quarantine.get(feed.id));
  if (json) printJson(inJson(row), 2);
  else
    printLines(
      columns(
        linesOf(inWords(row)).map(([name, value]) => [name!.split('.').map(slugName).join('.'), slugName(value!)]),
      ),
    );
}

const inJson = (row: Listed) => withTexts(row, worded);

function inWords(row: Listed) {
  const { title, licence, effect, left_out_because: because } = row;
  return {
    ...withTexts(row, say),
    title: sourceText(title),
    licence: sourceText(licence),
    effect: effect.replace(/for reference|\w+/g, slugName).replace(': ', say(': ')),
    left_out_because: because && sourceText(because),
  };
}

const linesOf = (row: object, within = ''): readonly (readonly string[])[] =>
  Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      typeof value === 'object' ? linesOf(value, `${within}${name}.`) : [[within + name, String(value)]],
    );

interface ImportOptions extends AsJson {
  readonly capturedAt?: UnixMs;
  readonly history: boolean;
}

function time(text: string): UnixMs {
  const at = readTime(text);
  if (at === undefined) throw new InvalidArgumentError(say('expected an RFC 3339 time such as 2026-08-22T16:00:00Z'));
  return at;
}

const iso = (at: UnixMs | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());

const effectText = ({ effect }: Feed): string =>
  effect.kind === 'risk'
    ? effect.riskType
    : `network: ${
        Object.entries(effect.network)
          .map(([key, value]) => (value === true ? key : value))
          .join(' ') || 'for reference'
      }`;

const commonOf = (feed: Feed | PhoneFeed, state: FeedState, fault: Said | undefined) => ({
  id: feed.id,
  title: feed.title,
  cadence_min: feed.cadenceMin,
  licence: feed.licence,
  attribution: feed.attribution,
  redistribution: feed.redistribution,
  url: feed.url,
  rows: state.rows,
  last_success: iso(state.lastSuccessAt),
  last_run: iso(state.lastRunAt),
  failures: fault === undefined ? 0 : state.failures,
  error: fault,
  refused: state.refused,
});

const standingOf = (status: FeedStatus) => ({
  state: status.state,
  since: 'since' in status ? iso(status.since) : undefined,
  left_out_because: 'because' in status ? status.because : undefined,
});

const listed = (feed: Feed, known: FollowedFeeds, status: FeedStatus, waiting: QuarantinedReading | undefined) => ({
  ...commonOf(feed, known.states.get(feed.id), faultOf(feed, known)),
  ...standingOf(status),
  clock: feed.clock,
  family: feed.family,
  effect: effectText(feed),
  mode: feed.mode,
  ...(waiting === undefined ? {} : { quarantine: { ...quarantinedDocument(waiting), reason: waiting.reason } }),
});

const listedPhone = (feed: PhoneFeed, known: FollowedFeeds, status: FeedStatus) => ({
  ...commonOf(feed, known.states.get(feed.id), faultOf(feed, known)),
  ...standingOf(status),
  family: feed.attribution,
  effect: `phone: ${codeSlug(feed.tag).slug}`,
  mode: 'appearance',
});

const withTexts = (row: Listed, textOf: (sentence: Said) => string) => ({
  ...row,
  error: row.error && textOf(row.error),
  ...('quarantine' in row && { quarantine: { ...row.quarantine, reason: textOf(row.quarantine.reason) } }),
});

type Listed = (ReturnType<typeof listed> | ReturnType<typeof listedPhone>) & {
  readonly false_positives?: SourceFeedback;
};

async function list({ json }: AsJson): Promise<void> {
  const config = loadConfig();
  const reports = await loadSourceFeedback(config);
  const files = openFeedStates(config);
  const { catalogue, quarantine } = files;
  const known = followedFeeds(config, files);
  const now = Date.now() as UnixMs;
  const phone = openPhoneFeedStates(config);
  // Lists of phone numbers are read one by one, also from a folder.
  const from = known.from === 'off' ? 'off' : 'schedule';
  const phoneKnown: FollowedFeeds = { states: phone.states, off: new Set(), held: new Set(), from };
  const standings = feedStatus(catalogue, known, now);
  const phoneStandings = feedStatus(phone.catalogue, phoneKnown, now);
  const rows = [
    ...catalogue.map((feed) => listed(feed, known, standings.get(feed.id)!, quarantine.get(feed.id))),
    ...phone.catalogue.map((feed) => listedPhone(feed, phoneKnown, phoneStandings.get(feed.id)!)),
  ].map((row): Listed => {
    const counts = reports.get(row.id);
    return counts === undefined ? row : { ...row, false_positives: counts };
  });
  if (json) return printJson(rows.map(inJson), 2);
  const table = rows
    .map(inWords)
    .map((row) => [
      row.id,
      row.effect,
      row.last_success?.slice(0, 16).replace('T', ' ') ?? say('never'),
      row.last_success === undefined ? '-' : String(row.rows),
      row.licence.split(' (')[0]!,
      stateText(row),
    ]);
  printLines(columns([['SOURCE', 'SAYS', 'LAST SUCCESS', 'ROWS', 'LICENCE', 'STATE'].map(slugName), ...table]));
  const note = missingSources(catalogue, known, now);
  if (note.expected > 0) printNote(missingText(note));
}

function stateText(row: ReturnType<typeof inWords>): string {
  const { id, state, since, failures, error, left_out_because: because } = row;
  const word = {
    current: '',
    never_read: say('never read'),
    late: say('late since {at}', { at: since?.slice(0, 16).replace('T', ' ') ?? '' }),
    retired: say('retired since {day}', { day: since?.slice(0, 10) ?? '' }),
    off: say('off'),
    left_out: say('left out: {because}', { because: because ?? '' }),
  }[state];
  const waiting = 'quarantine' in row ? say('in quarantine, see `pulse feeds show {id}`', { id }) : '';
  const { confirmed = 0, decided = 0 } = row.false_positives ?? {};
  const wrong =
    decided === 0 ? '' : say('false positives: {confirmed} of {decided:report|reports}', { confirmed, decided });
  return [wrong, waiting, word, failures > 0 && state !== 'off' ? say('failing: {why}', { why: error ?? '' }) : '']
    .filter((part) => part !== '')
    .join('; ');
}

function columns(cells: readonly (readonly string[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(printable));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

const outcomeText = (outcome: RefreshOutcome): string =>
  outcome.status === 'accepted'
    ? say('{rows:row|rows} as of {at}', { rows: outcome.rows, at: iso(outcome.runAt)! }) +
      (outcome.changed ? '' : say(', nothing new')) +
      (outcome.folded === undefined ? '' : say(', {count:host|hosts} named by their /64', { count: outcome.folded })) +
      unusedText(outcome.refused)
    : say(outcome.status === 'refused' ? 'refused: {why}' : 'failed: {why}', { why: outcome.reason });

const unusedText = (refused: Readonly<Record<string, number>> = {}): string =>
  Object.entries(refused)
    .map(([reason, count]) => say(', {count} not used: {reason}', { count, reason: slugName(reason) }))
    .join('');

const outcomeJson = (feed: Feed, outcome: RefreshOutcome) => ({
  source: feed.id,
  status: outcome.status,
  ...(outcome.status === 'accepted'
    ? {
        rows: outcome.rows,
        run_at: iso(outcome.runAt),
        changed: outcome.changed,
        folded: outcome.folded,
        refused: outcome.refused,
      }
    : { reason: worded(outcome.reason) }),
});

async function refresh(names: readonly string[], { json }: AsJson, command: Command): Promise<void> {
  const settings = loadConfig();
  const { catalogue, switches } = openFeedStates(settings);
  const phone = names.filter((name) => openPhoneFeedStates(settings).catalogue.some((feed) => feed.id === name));
  if (phone.length > 0)
    command.error(
      say('error: {names}: the server reads lists of phone numbers, on their schedule', { names: phone.join(', ') }),
    );
  const unknown = names.filter((name) => !catalogue.some((feed) => feed.id === name));
  if (unknown.length > 0)
    command.error(say('error: no source {names}; see `pulse feeds list`', { names: unknown.join(', ') }));
  const fileOnly = names.filter((name) => catalogue.some((feed) => feed.id === name && feed.url === ''));
  if (fileOnly.length > 0)
    command.error(
      say("error: {fileOnly} has no publisher's address; use `pulse feeds import`", { fileOnly: fileOnly.join(', ') }),
    );
  if (settings.feeds === 'off' && names.length === 0)
    command.error(say('error: PULSE_FEEDS is off; name the sources to read anyway'));
  const off = switches.off();
  const chosen = catalogue.filter((feed) =>
    names.length > 0 ? names.includes(feed.id) : isOnSchedule(feed) && !off.has(feed.id),
  );
  await withFeeds(async (feeds) => {
    let done = 0;
    progress(`0/${chosen.length} …`);
    for await (const { feed, outcome } of refreshFeeds(chosen, feeds.web, feeds.parts)) {
      report(feed, outcome, `${++done}/${chosen.length}`, json);
      if (done < chosen.length) progress(`${done}/${chosen.length} …`);
    }
  });
}

async function importFolder(dir: string, { history, capturedAt, json }: ImportOptions): Promise<void> {
  await withFeeds(async (feeds) => {
    const scan = await feeds.scan(dir);
    for (const { path, reason } of scan.broken) reportBroken(path, reason, json);
    const phone = openPhoneFeedStates(loadConfig()).catalogue.flatMap(({ files }) => files);
    const [numbers = [], unknown = []] = [true, false].map((is) =>
      scan.unknown.filter((path) => phone.includes(unpackedName(basename(path))) === is),
    );
    const instead = say('{names}: lists of phone numbers; `pulse phone import FILE` takes each', {
      names: numbers.join(', '),
    });
    if (scan.snapshots.length + scan.series.length + scan.broken.length === 0)
      throw new Error(
        numbers.length > 0
          ? instead
          : say('{dir} holds no file of a known source; see docs/feeds.md for the names', { dir }),
      );
    if (numbers.length > 0) printNote(instead);
    const settings = { series: history, ...(capturedAt !== undefined && { runAt: capturedAt }) };
    for await (const event of importMirror(scan, feeds.parts, settings)) reportImport(event, json);
    if (!json && unknown.length > 0)
      printNote(
        say('{count:file belongs|files belong} to no source: {names}', {
          count: unknown.length,
          names: `${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ', …' : ''}`,
        }),
      );
  });
}

function reportBroken(path: string, reason: Said, json?: boolean): void {
  print(json, { path, status: 'failed', reason: worded(reason) }, [
    `${path}: ${say('failed: {why}', { why: reason })}`,
  ]);
  process.exitCode = 1;
}

function reportImport({ feed, outcome, runs, refused, done, total }: ImportEvent, json?: boolean): void {
  if (!json && runs > 1)
    printLines([
      `${done}/${total} ${feed.id}: ${say('{count:version|versions}', { count: runs })}${refused === undefined ? '' : leftOutText(refused)}`,
    ]);
  else report(feed, outcome, `${done}/${total}`, json);
}

const leftOutText = ({ count, reason }: RefusedVersions): string =>
  say(', {count} outside the bounds left out ({reason})', { count, reason });

function report(feed: Feed, outcome: RefreshOutcome, place: string, json?: boolean): void {
  progress('');
  print(json, outcomeJson(feed, outcome), [`${place} ${feed.id}: ${outcomeText(outcome)}`]);
  if (outcome.status !== 'accepted') process.exitCode = 1;
}

const progress = process.stderr.isTTY ? terminalProgress() : () => {};
