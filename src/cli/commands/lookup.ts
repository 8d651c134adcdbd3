import type { Command } from 'commander';
import { localPools } from '../../adapters/data-folder/local-pools.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { derivedBy } from '../../adapters/feeds/catalogue.ts';
import { hasRelayRanges } from '../../adapters/layers/find-network-lists.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import type { Explanation, IPRisk } from '../../contract/documents.ts';
import type { ApiKey } from '../../core/caller/caller.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { sayOrder } from '../../core/report/say-order.ts';
import type { LookupAnswer } from '../../core/report/verdict-lines.ts';
import { type Language, said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { WAITS_FOR_RELAY } from '../../service/feeds/due-at.ts';
import { ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import { lookupIpDocument } from '../../service/lookup/lookup-ip.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import type { HistoryStore, LookupView } from '../../service/ports.ts';
import { Problem, problemText } from '../../service/problem.ts';
import { languageOption } from '../language/language-of.ts';
import { degradedText, say } from '../language/say.ts';
import { type LocalView, localView } from '../local-view.ts';
import { addressesIn, isFile } from '../options/addresses-in.ts';
import { pastMomentFrom } from '../options/option-values.ts';
import { placeConfig, placeOnlyOption, readerConfig } from '../reader-config.ts';
import { print, printJson, printNote } from '../terminal/print.ts';
import { printVerdicts, WORDS } from '../terminal/print-verdicts.ts';

export interface LookupOptions {
  readonly at?: string;
  readonly professional?: boolean;
  readonly explain?: boolean;
  readonly case?: boolean;
  readonly placeOnly?: boolean;
  readonly json?: boolean;
  readonly lang: Language;
  readonly key?: ApiKey;
}

export function register(program: Command): void {
  program
    .command('lookup')
    .description('verdicts from the local data; no server needed. A table on a terminal, else JSON')
    .argument('<ip...>', 'public IPv4 or IPv6 addresses in any spelling, a file of any text, or - for standard input')
    .option('--at <time>', 'as it stood at this moment (RFC 3339); implies --professional')
    .option('--professional', 'the professional document: evidence, sharing tier, pools')
    .option('--explain', 'how the score comes about and when it falls')
    .option('--case', 'each address written up on one sheet of text, for a ticket')
    .addOption(placeOnlyOption())
    .option('--json', 'print JSON, also on a terminal; of several addresses one document per line')
    .addOption(languageOption())
    .action(run);
}

async function run(words: readonly string[], options: LookupOptions, command: Command): Promise<void> {
  if (
    options.placeOnly === true &&
    (options.at ?? options.explain ?? options.case ?? options.professional) !== undefined
  )
    command.error(say('error: --place-only knows no evidence, past or explained'));
  const { addresses, unread } = await addressesIn(words);
  await lookUp(addresses, options, words.length === 1 && addresses.length === 1 && !isFile(words[0]!));
  for (const sentence of unread) printNote(sentence);
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
    const local = await localView(config, store, addresses, now);
    const lacking = isPlaceOnly ? undefined : degradedText(await store.leftOutAt(at ?? now));
    const documents: LookupAnswer[] = [];
    const explanations = new Map<LookupAnswer, Explanation>();
    const isTable = (process.stdout.isTTY === true || options.case === true) && options.json !== true && !isPlaceOnly;
    const waits = isTable || options.explain === true || lacking !== undefined ? vpnListsWait(config) : {};
    for (const address of addresses) {
      const { document, explanation } = await answerOf(
        { config, store, local, waits, address, now, at, options },
        isAlone,
        isTable || options.key !== undefined,
      );
      if (documents.length === 0 && lacking !== undefined) printNote(lacking);
      if (documents.length === 0 && lacking !== undefined && waits.vpn_lists !== undefined)
        printNote(say('lists of VPN addresses: {why}', { why: said(waits.vpn_lists) }));
      documents.push(document);
      if (explanation !== undefined) explanations.set(document, explanation);
      if (options.key !== undefined && explanation !== undefined)
        printOrder(document as IPRisk, explanation, options.key, options);
      else if (!isTable) printJson(document, isAlone ? 2 : 0);
    }
    const linkTo = ({ ip, computed_at: computedAt }: IPRisk): string | undefined =>
      config.baseUrl && `${config.baseUrl}${options.lang === 'en' ? '/en' : ''}/ip/${ip}?at=${computedAt}`;
    if (isTable && options.key === undefined)
      printVerdicts(documents, explanations, local.geo, { ...options, at, ...(options.case === true && { linkTo }) });
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
): Promise<{ readonly document: LookupAnswer; readonly explanation?: Working }> {
  const { address, now, at } = question;
  try {
    if (isReserved(address)) throw new Problem('reserved_ip');
    const view = await local.of(address);
    const document =
      options.professional === true || options.case === true || at !== undefined
        ? await professional({ ...question, view })
        : lookupIpDocument(view, address, now);
    if (document === undefined) throw new Problem('not_found');
    if (options.placeOnly === true) return { document: placeOf(document) as LookupAnswer };
    if (!isTable && options.explain !== true) return { document: document as LookupAnswer };
    const explain = await workingOf({ ...question, view });
    return isTable
      ? { document: document as LookupAnswer, explanation: explain }
      : { document: { ...(document as LookupAnswer), ...{ explain } } };
  } catch (error) {
    if (isAlone || !(error instanceof Problem)) throw error;
    const message = isTable ? problemText(error, options.lang) : error.message;
    const fault = { ip: formatAddress(address), error: { code: error.code, message } };
    return { document: fault };
  }
}

function printOrder(document: IPRisk, working: Working, key: ApiKey, { json, lang }: LookupOptions): void {
  const { ip } = document;
  const order = sayOrder(document, working, WORDS[lang], key.policy);
  print(json, { key_id: key.id, ip, ...order }, [
    say('{ip}  {order} (with the policy of key {name})', { ip, order: order.sentence, name: key.name || key.id }),
  ]);
}

function placeOf(document: object): object {
  const { ip, network, geo } = document as Pick<IPRisk, 'ip' | 'network' | 'geo'>;
  return { ip, ...(network !== undefined && { network }), ...(geo !== undefined && { geo }) };
}

async function workingOf({ store, view, waits, address, now, at }: Question): Promise<Working> {
  const lookup = new ExplainLookup(store, derivedBy);
  const { document } = await lookup.explain({ view, address, account: OPERATOR, now, moment: at });
  return { ...document, ...waits };
}

type Working = Explanation & Waiting;

interface Question {
  readonly config: Config;
  readonly store: HistoryStore;
  readonly view: LookupView;
  readonly waits: Waiting;
  readonly address: Address;
  readonly now: UnixMs;
  readonly at: UnixMs | undefined;
}

/** The operator at the machine sees exact times, and sources by name. */
const OPERATOR = { id: 'local', dpa: true, operator: true } as const;

async function professional({ config, store, view, address, now, at }: Question): Promise<object | undefined> {
  const pulse = new PulseLookup({
    history: config.history ? store : undefined,
    ...localPools(config),
  });
  const question = { view, address, now, account: OPERATOR };
  if (at !== undefined) await pulse.checkMoment({ ...question, moment: at });
  const text = await pulse.lookup({ ...question, moment: at });
  return text === undefined ? undefined : (JSON.parse(text.json) as object);
}

interface Waiting {
  /** The sentence says why there can be no evidence of VPN lists yet. */
  readonly vpn_lists?: typeof WAITS_FOR_RELAY;
}

/** Reads every list about networks, so it is asked once a command. */
const vpnListsWait = ({ dataDir }: Pick<Config, 'dataDir'>): Waiting =>
  hasRelayRanges(dataDir) ? {} : { vpn_lists: WAITS_FOR_RELAY };
