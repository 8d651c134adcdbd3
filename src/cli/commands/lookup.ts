import type { Command } from 'commander';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { feedById } from '../../adapters/feeds/catalogue.ts';
import { hasRelayRanges } from '../../adapters/layers/find-network-lists.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import type { IPRisk } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import { DERIVATION_RULES } from '../../core/collection/derive/derivation-rules.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress, formatPrefix } from '../../core/ip/format-address.ts';
import { prefixOf } from '../../core/ip/prefix.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { AddressIdentity, LookupAnswer } from '../../core/report/verdict-lines.ts';
import { explain } from '../../core/risk/explain.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type Language, said } from '../../core/texts/said.ts';
import { DAY_MS, HOUR_MS, type UnixMs } from '../../core/units.ts';
import { WAITS_FOR_RELAY } from '../../service/feeds/relay-first.ts';
import { lookupIpDocument } from '../../service/lookup/lookup-ip.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import { describeOverride } from '../../service/overrides/describe-override.ts';
import type { DerivationNote, HistoryStore, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { problemText } from '../../service/problem-text.ts';
import { languageOption } from '../language/language-of.ts';
import { degradedText } from '../language/missing-text.ts';
import { say } from '../language/say.ts';
import { type LocalView, localView } from '../local-view.ts';
import { addressesIn, isFile } from '../options/addresses-in.ts';
import { pastMomentFrom } from '../options/moment-from.ts';
import { placeConfig, placeOnlyOption, readerConfig } from '../reader-config.ts';
import { printJson, printNote } from '../terminal/print.ts';
import { printVerdicts } from '../terminal/print-verdicts.ts';

export interface LookupOptions {
  readonly at?: string;
  readonly professional?: boolean;
  readonly explain?: boolean;
  readonly placeOnly?: boolean;
  readonly json?: boolean;
  readonly lang: Language;
}

/** `pulse lookup` (decisions 8 and 10.13): verdicts from local data, no server. */
export function register(program: Command): void {
  program
    .command('lookup')
    .description('verdicts from the local data; no server needed. A table on a terminal, else JSON')
    .argument('<ip...>', 'public IPv4 or IPv6 addresses in any spelling, a file of any text, or - for standard input')
    .option('--at <time>', 'as it stood at this moment (RFC 3339); implies --professional')
    .option('--professional', 'the professional document: evidence, sharing tier, pools')
    .option('--explain', 'how the score comes about and when it falls')
    .addOption(placeOnlyOption())
    .option('--json', 'print JSON, also on a terminal; of several addresses one document a line')
    .addOption(languageOption())
    .action(run);
}

async function run(words: readonly string[], options: LookupOptions, command: Command): Promise<void> {
  if (options.placeOnly === true && (options.at ?? options.explain ?? options.professional) !== undefined)
    command.error(say('error: --place-only knows no evidence, past or explained'));
  const { addresses, unread } = await addressesIn(words);
  await lookUp(addresses, options, words.length === 1 && addresses.length === 1 && !isFile(words[0]!));
  for (const word of unread) printNote(say('not an address: {word}', { word }));
  if (unread.length > 0) process.exitCode = 1;
}

/** Prints the verdict of each address. @param isAlone whether it is the one address that was asked for: its document is indented, and its fault ends the command */
export async function lookUp(addresses: readonly Address[], options: LookupOptions, isAlone = false): Promise<void> {
  const isPlaceOnly = options.placeOnly === true;
  const config = isPlaceOnly ? await placeConfig() : readerConfig();
  const now = systemClock.now();
  const at = pastMomentFrom(options.at);
  const store = await openHistory(config);
  try {
    const local = await localView(config, store, now);
    const lacking = isPlaceOnly ? undefined : degradedText(await store.leftOutAt(at ?? now));
    const documents: LookupAnswer[] = [];
    const identities = new Map<LookupAnswer, AddressIdentity>();
    const isTable = process.stdout.isTTY === true && options.json !== true && options.explain !== true && !isPlaceOnly;
    for (const address of addresses) {
      const { document, identity } = await answerOf(
        { config, store, local, address, now, at, options },
        isAlone,
        isTable,
      );
      if (documents.length === 0 && lacking !== undefined) printNote(lacking);
      if (documents.length === 0 && lacking !== undefined && !hasRelayRanges(config.dataDir))
        printNote(say('lists of VPN addresses: {why}', { why: said(WAITS_FOR_RELAY) }));
      documents.push(document);
      if (identity !== undefined) identities.set(document, identity);
      if (!isTable) printJson(document, isAlone ? 2 : 0);
    }
    if (isTable) printVerdicts(documents, identities, local.geo, options.lang);
    if (documents.every((document) => 'error' in document)) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

/** The document of an address, for a table with what the address is known as, with the working where that is wanted. @throws Problem for one without a verdict that was asked for alone; of several it has `error` in its place */
async function answerOf(
  {
    local,
    options,
    ...question
  }: Omit<Question, 'view'> & { readonly local: LocalView; readonly options: LookupOptions },
  isAlone: boolean,
  isTable: boolean,
): Promise<{ readonly document: LookupAnswer; readonly identity?: AddressIdentity }> {
  const { config, store, address, now, at } = question;
  try {
    if (isReserved(address)) throw new Problem('reserved_ip');
    const view = await local.of(address);
    const document =
      options.professional === true || at !== undefined
        ? await professional({ ...question, view })
        : lookupIpDocument(view, address, now);
    if (document === undefined) throw new Problem('not_found');
    if (options.placeOnly === true) return { document: placeOf(document) as LookupAnswer };
    if (isTable) {
      const observations = at === undefined ? view.observations(address) : await store.observationsAt(address, at);
      const { sharedBy, knownGood } = explanationOf(observations, view, address, at ?? now);
      return { document: document as LookupAnswer, identity: { sharedBy, knownGood } };
    }
    const working = options.explain === true && {
      explain: await workingOf({ config, store, view, address, at: at ?? now }),
    };
    return { document: { ...(document as LookupAnswer), ...working } };
  } catch (error) {
    if (isAlone || !(error instanceof Problem)) throw error;
    const message = isTable ? problemText(error, options.lang) : error.message;
    const fault = { ip: formatAddress(address), error: { code: error.code, message } };
    return { document: fault };
  }
}

/** The part of a verdict that describes place and network. */
function placeOf(document: object): object {
  const { ip, network, geo } = document as Pick<IPRisk, 'ip' | 'network' | 'geo'>;
  return { ip, ...(network !== undefined && { network }), ...(geo !== undefined && { geo }) };
}

type Moment = Pick<Question, 'config' | 'store' | 'view' | 'address'> & { readonly at: UnixMs };

async function workingOf({ config, store, view, address, at }: Moment): Promise<object> {
  const observations = await store.observationsAt(address, at);
  const notes = [...(await store.derivationsAt(address, at)), ...listedNotes(observations, address)];
  return { ...explained(observations, view, address, at), ...derived(notes), ...waiting(config) };
}

/** Why a published list's capture is of a kind that the list does not name. */
const listedNotes = (observations: readonly Observation[], address: Address): readonly DerivationNote[] =>
  observations
    .filter(({ source, riskType }) => derivedBy(source) === riskType)
    .map(({ source, riskType, capturedAt, prefixBits }) => ({
      prefix: prefixOf(address, prefixBits),
      riskType,
      at: capturedAt,
      sources: [source],
      reason: `${source} lists proxy bots, and network data said DYN or MOB of the address when this was accepted (rules ${DERIVATION_RULES.version})`,
    }));

function derivedBy(source: string): RiskType | undefined {
  const effect = feedById(source)?.effect;
  return effect?.kind === 'risk' ? effect.derives : undefined;
}

interface Question {
  readonly config: Config;
  readonly store: HistoryStore;
  readonly view: LookupView;
  readonly address: Address;
  readonly now: UnixMs;
  readonly at: UnixMs | undefined;
}

/** The operator at the machine sees exact times. */
async function professional({ config, store, view, address, now, at }: Question): Promise<object | undefined> {
  const pulse = new PulseLookup({
    history: config.history ? store : undefined,
    secret: loadSecret(config).subkey('pool-handle'),
  });
  const question = { view, address, now, account: { id: 'local', dpa: true } };
  if (at !== undefined) await pulse.checkMoment({ ...question, moment: at });
  const text = await pulse.lookup({ ...question, moment: at });
  return text === undefined ? undefined : (JSON.parse(text.json) as object);
}

/** Whether there can be no evidence of VPN lists yet, and why. */
const waiting = ({ dataDir }: Pick<Config, 'dataDir'>): { readonly vpn_lists?: string } =>
  hasRelayRanges(dataDir) ? {} : { vpn_lists: WAITS_FOR_RELAY };

/** Why there are captures that no source reported. */
const derived = (notes: readonly DerivationNote[]): { readonly derived?: readonly object[] } =>
  notes.length === 0
    ? {}
    : {
        derived: notes.map(({ prefix, riskType, at, sources, reason }) => ({
          risk_type: riskType,
          prefix: formatPrefix(prefix),
          at: iso(at),
          reason,
          sources,
        })),
      };

const iso = (at: UnixMs | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;

const explanationOf = (observations: readonly Observation[], view: LookupView, address: Address, at: UnixMs) =>
  explain(
    observations,
    view.network(address),
    address.family,
    at,
    SCORE_PARAMETERS,
    knownGoodCapOf(view.protection, address),
  );

function explained(observations: readonly Observation[], view: LookupView, address: Address, at: UnixMs) {
  const explanation = explanationOf(observations, view, address, at);
  const { rows, knownGood, sharedBy, below70At, below30At, zeroAt } = explanation;
  const { override } = explanation.verdict;
  return {
    parameters: SCORE_PARAMETERS.version,
    ...(override !== undefined && { override: { id: override.id, ...describeOverride(override) } }),
    known_good: knownGood !== undefined && knownGood.scanner !== true,
    ...(knownGood !== undefined && {
      [knownGood.scanner === true ? 'known_scanner_list' : 'known_good_list']: knownGood,
    }),
    ...(sharedBy !== undefined && { shared_by: sharedBy }),
    rows: rows.map((row) => ({
      risk_type: row.riskType,
      family: row.family,
      captured_at: iso(row.capturedAt),
      age_h: rounded(row.ageMs / HOUR_MS),
      observed_days: row.observedDays,
      base: row.base,
      prefix_bits: row.prefixBits,
      weight: row.weight,
      strength_max: row.strengthMax,
      window_d: rounded(row.windowMs / DAY_MS),
      delta: row.delta,
      strength: rounded(row.strength),
      half_at: iso(row.halfAt),
      expires_at: iso(row.expiresAt),
    })),
    below_70_at: iso(below70At),
    below_30_at: iso(below30At),
    zero_at: iso(zeroAt),
  };
}
