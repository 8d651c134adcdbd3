import { type Command, InvalidArgumentError, Option } from 'commander';
import { SqlCollectionStore } from '../../adapters/collection/sql-collection-store.ts';
import { loadIntakeRefusals, ownAddresses } from '../../adapters/layers/load-intake-refusals.ts';
import { openInput } from '../../adapters/log-files/open-input.ts';
import { requireFile } from '../../adapters/system/files.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { loadConfig } from '../../config.ts';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { type Heartbeat, isSilent } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import { type ImportOutcome, importCaptures, refusedRows } from '../../service/intake/import-captures.ts';
import { type RetractionOptions, retractCaptures } from '../../service/intake/retract-captures.ts';
import { setTrust, type TrustOptions } from '../../service/intake/set-trust.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { SourceTrust, Trust } from '../../service/ports.ts';
import { say, sayText } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { momentFrom } from '../options/option-values.ts';
import { derivedLines, trustDetail, trustLines } from '../options/trust-detail.ts';
import { sourceName } from '../receiver-of.ts';
import { type AsJson, print, printNote } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';
import { byCli, withAccounts } from '../with-accounts.ts';
import { withHistory } from '../with-history.ts';
import { registerFollow } from './evidence-follow.ts';

interface ImportFlags extends AsJson {
  readonly source: string;
  readonly riskType?: RiskType;
  readonly capturedAt?: UnixMs;
  readonly pool?: string;
  readonly since?: UnixMs;
  readonly allowKnownGood?: boolean;
  readonly allowPartial?: boolean;
  readonly ignoreTimes?: boolean;
}

export function register(program: Command): void {
  const evidence = program.command('evidence').description('captures from your own systems');
  evidence
    .command('import')
    .description(
      'take captures in: a list of addresses, CIDRs and ranges, CSV with a header, or one JSON object per line {ip, risk_type, captured_at, pool?}; packed with gzip or zstd or not',
    )
    .argument('<file>', 'file to read, - for standard input')
    .requiredOption('--source <name>', 'who says so; also the family in which osint captures count', sourceName)
    .option('--risk-type <type>', `type of rows that name none: ${RISK_TYPES.join(', ')}`, riskType)
    .option('--captured-at <time>', 'time of rows that carry none (RFC 3339); default: now', momentFrom)
    .option('--pool <name>', 'pool of rows that name none (proxy vendor, VPN brand); never published as it is')
    .option(
      '--since <time>',
      "the rows are the source's complete record from then on (RFC 3339): earlier moments cannot be asked with `at`",
      momentFrom,
    )
    .option(
      '--allow-known-good',
      'take rows about well-known services, too: resolvers, time servers, crawlers, front ends (docs/score.md)',
    )
    .option(
      '--ignore-times',
      'take rows whose times stand where they are not read: they are dated by --captured-at, or now',
    )
    .option('--allow-partial', 'end with status 0 although more than half of the rows were not taken')
    .option('--json', 'print JSON')
    .action(run);
  evidence
    .command('retract')
    .description(
      'take the captures of a source or of a key back, those of a list too: they count no more from now on, and answers about earlier moments stay',
    )
    .argument('[source]', 'whose captures; `pulse evidence sources` names them all')
    .option('--key <id>', 'only what came by this key; without a source, whatever it named as its source')
    .requiredOption('--reason <text>', 'why; kept in the audit log')
    .option('--from <time>', 'captures with times from then on (RFC 3339); default: from the first one on', momentFrom)
    .option('--to <time>', 'captures with times before then (RFC 3339), at most now; default: until now', momentFrom)
    .option('--json', 'print JSON')
    .action(retract);
  evidence
    .command('trust')
    .description('take the trust of a source away, with the captures it brought since a moment, or give it back')
    .argument('<source>', 'who brings the captures: a sender, or a list of the catalogue')
    .addOption(
      new Option('--none', 'refuse its batches from now on (403; senders keep them), and the runs of a list').conflicts(
        'full',
      ),
    )
    .addOption(new Option('--full', 'take its batches in again'))
    .option(
      '--since <time>',
      'RFC 3339. With --none: captures with times from then on count no more. With --full: those from then on count (default: now)',
      momentFrom,
    )
    .option('--reason <text>', 'why; kept with the source and in the audit log')
    .option('--json', 'print JSON')
    .action(trust);
  evidence
    .command('sources')
    .description('who brought captures, the time of the newest, whether it is trusted, and what was taken back')
    .option('--json', 'print JSON')
    .action(sources);
  registerFollow(evidence, true);
}

interface RetractFlags extends AsJson {
  readonly key?: string;
  readonly reason: string;
  readonly from?: UnixMs;
  readonly to?: UnixMs;
}

async function retract(
  source: string | undefined,
  { json, reason, key, ...stretch }: RetractFlags,
  command: Command,
): Promise<void> {
  const by = byCli();
  const of = wishOf(source, key) ?? command.error(say('error: name a source, or a key with --key'));
  const taken = await withHistory((store) => retractCaptures(store, { ...of, ...stretch }, by.at));
  const { captures, derivedRetracted, derivedKept } = taken;
  const [from, to] = [isoTime(taken.from), isoTime(taken.to)];
  const named = { ...(source === undefined ? {} : { source }), ...(key === undefined ? {} : { key }) };
  const subject = source ?? key!;
  await withAccounts(({ store }) =>
    store.note('evidence.retract', subject, { ...named, from, to, captures, reason }, by),
  );
  const derived = { derived_alone: derivedRetracted, derived_partly: derivedKept };
  print(json, { ...named, from, to, made_at: isoTime(by.at), captures, ...derived }, [
    say('{count:capture counts|captures count} no more: {source}', { count: captures, source: subject }),
    ...derivedLines(taken),
  ]);
}

function wishOf(source: string | undefined, sender: string | undefined): RetractionOptions | undefined {
  if (source === undefined) return sender === undefined ? undefined : { sender };
  return { source, ...(sender === undefined ? {} : { sender }) };
}

interface TrustFlags extends AsJson {
  readonly none?: boolean;
  readonly full?: boolean;
  readonly since?: UnixMs;
  readonly reason?: string;
}

async function trust(name: string, { none, full, since, reason, json }: TrustFlags, command: Command): Promise<void> {
  if (none !== true && full !== true) command.error(say('error: say --none or --full'));
  const by = byCli();
  const options: TrustOptions = { source: name, trust: none === true ? 'none' : 'full', since, reason };
  const outcome = await withHistory((store) => setTrust(store, options, by));
  await withAccounts(({ store }) => store.note('evidence.trust', name, trustDetail(options, outcome), by));
  print(
    json,
    { source: name, made_at: isoTime(by.at), ...trustDetail(options, outcome) },
    trustLines(options, outcome),
  );
}

async function sources({ json }: AsJson): Promise<void> {
  const [all, retractions, trusts] = await withHistory(
    async (store) => [await store.sources(), await store.retractions(), await store.trusts()] as const,
  );
  const heard = new Map((await heartbeats()).map((heartbeat) => [heartbeat.source, heartbeat]));
  const quiet = [...heard.keys()].filter((source) => !all.some(({ id }) => id === source));
  const now = systemClock.now();
  const rows = [...all, ...quiet.map((id) => ({ id, lastRunAt: undefined }))].map(({ id, lastRunAt }) => ({
    source: id,
    ...(lastRunAt === undefined ? {} : { newest_at: isoTime(lastRunAt) }),
    ...heartbeatOf(heard.get(id), now),
    ...trustOf(trusts.find(({ source }) => source === id)),
    retracted: retractions
      .filter(({ source }) => source === id)
      .map(({ sender, from, to, madeAt }) => ({
        ...(sender === undefined ? {} : { key: sender }),
        from: isoTime(from),
        to: isoTime(to),
        made_at: isoTime(madeAt),
      })),
  }));
  const lines = rows.flatMap(
    ({ source, newest_at, seen_at, silent, clock_offset_ms, retracted, trust, trust_since, trust_reason }) => [
      `${source}  ${newest_at ?? say('never')}`,
      ...(seen_at === undefined ? [] : [seenText(seen_at, silent === true, clockText(clock_offset_ms))]),
      ...(trust === 'none'
        ? [say('  not trusted since {since}: {reason}', { since: trust_since!, reason: sayText(trust_reason ?? '') })]
        : []),
      ...retracted.map(({ key, from, to, made_at }) =>
        key === undefined
          ? say('  taken back {at}: {from} to {to}', { at: made_at, from, to })
          : say('  taken back {at}: {from} to {to}, by the key {key}', { at: made_at, from, to, key }),
      ),
    ],
  );
  print(json, rows, lines);
}

async function heartbeats(): Promise<readonly Heartbeat[]> {
  return withAccounts(({ db }) => new SqlCollectionStore(db).heartbeats());
}

interface HeartbeatShown {
  readonly seen_at?: string;
  readonly silent?: boolean;
  readonly clock_offset_ms?: number;
}

const heartbeatOf = (heartbeat: Heartbeat | undefined, now: UnixMs): HeartbeatShown =>
  heartbeat === undefined
    ? {}
    : {
        seen_at: isoTime(heartbeat.seenAt),
        silent: isSilent(heartbeat.seenAt, now),
        clock_offset_ms: heartbeat.clockOffsetMs,
      };

const seenText = (at: string, silent: boolean, clock: string): string =>
  silent ? say('  SILENT since {at}, {clock}', { at, clock }) : say('  heard {at}, {clock}', { at, clock });

/** The way of a request is part of the difference, so less than a second says nothing. */
function clockText(offsetMs = 0): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  if (seconds === 0) return say('its clock is right');
  return offsetMs > 0
    ? say('its clock is {seconds} s behind', { seconds })
    : say('its clock is {seconds} s ahead', { seconds });
}

interface TrustShown {
  readonly trust?: Trust;
  readonly trust_since?: string;
  readonly trust_reason?: string;
}

const trustOf = (said: SourceTrust | undefined): TrustShown =>
  said === undefined
    ? {}
    : {
        trust: said.trust,
        trust_since: isoTime(said.madeAt),
        ...(said.reason === '' ? {} : { trust_reason: said.reason }),
      };

async function run(file: string, flags: ImportFlags): Promise<void> {
  if (file !== '-') requireFile(file);
  const progress = terminalProgress();
  const { chunks } = await openInput(file, stopRequested());
  const outcome = await withHistory(
    (store) =>
      importCaptures(store, systemClock, chunks, {
        ...(file === '-' ? {} : { file }),
        ignoreTimes: flags.ignoreTimes,
        source: {
          id: flags.source,
          family: flags.source,
          mode: 'events',
          ...(flags.riskType === undefined ? {} : { riskType: flags.riskType }),
          ...(flags.pool === undefined ? {} : { pool: flags.pool }),
        },
        capturedAt: flags.capturedAt,
        since: flags.since,
        refuse: loadIntakeRefusals(ownAddresses(loadConfig()), flags.allowKnownGood),
        ...(process.stderr.isTTY && {
          progress: (lines: number) =>
            progress(say('importing {lines:line|lines}', { lines: lines.toLocaleString('en') })),
        }),
      }),
    { derives: true },
  );
  progress('');
  print(flags.json, outcome, linesOf(outcome));
  const { known_good: knownGood, own_address: own } = outcome.refused;
  if (own !== undefined)
    printNote(say("pulse: refused {count:row|rows} about this service's own addresses", { count: own.count }));
  if (knownGood !== undefined)
    printNote(
      say('pulse: refused {count:row|rows} about well-known services; --allow-known-good takes these as well', {
        count: knownGood.count,
      }),
    );
  if (outcome.refused['unread_time'] !== undefined)
    printNote(
      say(
        'pulse: rows have times that are not read, and would be dated now: name their column or member captured_at, or take them with --ignore-times',
      ),
    );
  if (outcome.unread_columns !== undefined)
    printNote(say('pulse: columns that are not read: {names}', { names: outcome.unread_columns.join(', ') }));
  endPartial(outcome, flags.allowPartial === true);
}

/** A file of which nothing was taken is an error, and so is one that lost more than half. */
function endPartial(outcome: ImportOutcome, isAllowed: boolean): void {
  const lost = refusedRows(outcome);
  const nothing = outcome.accepted === 0 && lost > 0;
  if (!nothing && (isAllowed || lost <= outcome.accepted)) return;
  if (!nothing)
    printNote(
      say('pulse: more than half of the rows were not taken ({lost} of {all}); --allow-partial ends with status 0', {
        lost,
        all: lost + outcome.accepted,
      }),
    );
  process.exitCode = 1;
}

function linesOf({ lines, accepted, added, refused }: ImportOutcome): readonly string[] {
  const reasons = Object.entries(refused).map(
    ([reason, { count, first_lines }]) =>
      say('  refused {count}: {reason}', { count, reason: slugName(reason) }) +
      (first_lines === undefined
        ? ''
        : say(' (line {lines})', { lines: `${first_lines.join(', ')}${count > first_lines.length ? ', …' : ''}` })),
  );
  return [
    say('{lines:line|lines}, {accepted:capture|captures} accepted, {added} of them new', { lines, accepted, added }),
    ...reasons,
  ];
}

function riskType(text: string): RiskType {
  if ((RISK_TYPES as readonly string[]).includes(text)) return text as RiskType;
  throw new InvalidArgumentError(say('expected one of {values}', { values: RISK_TYPES.join(', ') }));
}
