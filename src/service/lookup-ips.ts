import { setImmediate } from 'node:timers/promises';
import type { ErrorCode } from '../contract/errors.ts';
import type { Address } from '../core/ip/address.ts';
import type { ParsedAddress } from '../core/ip/parse-address.ts';
import type { UnixMs } from '../core/units.ts';
import { lookupIp } from './lookup-ip.ts';
import type { PulseLookup, PulseQuestion, PulseText } from './lookup-pulse.ts';
import type { LookupView } from './ports.ts';
import { Problem } from './problem.ts';
import type { IpBatch } from './read-ip-batch.ts';

/** What a batch came to. */
export interface IpBatchAnswer {
  /** One JSON text an input, in order: the body of the single look-up, or the input with an error. */
  readonly items: readonly string[];
  /** Items with a verdict. */
  readonly billable: number;
  readonly degraded: boolean;
}

/** Look-ups made before other requests have their turn. */
const TURN_ITEMS = 250;
/** Look-ups of the past that wait for the store together. */
const PAST_TURN_ITEMS = 32;

/** Answers a batch like GET /v1/ip/{ip} does each address, all at one instant. */
export async function lookupIps(batch: IpBatch, view: LookupView, at: UnixMs): Promise<IpBatchAnswer> {
  const items: string[] = [];
  let billable = 0;
  for (let i = 0; i < batch.inputs.length; i++) {
    if (i > 0 && i % TURN_ITEMS === 0) await setImmediate();
    const parsed = batch.parsed[i]!;
    const text = parsed.status === 'ok' ? lookupIp(view, parsed.address, at) : undefined;
    if (text !== undefined) billable++;
    items.push(text ?? refusalText(batch.inputs[i]!, problemOf(parsed)));
  }
  return { items, billable, degraded: billable > 0 && view.degraded };
}

/** Who asks, and what about every address. */
export type PulseBatchQuestion = Omit<PulseQuestion, 'address' | 'moment'>;

/**
 * Answers a batch like GET /pulse/v1/ip/{ip} does each address, all at one instant. What history refuses about an address is that item's error.
 * @throws Problem history_unavailable
 */
export async function lookupPulses(batch: IpBatch, pulse: Pick<PulseLookup, 'checkMoment' | 'lookup'>, question: PulseBatchQuestion): Promise<IpBatchAnswer> {
  const refusals = await historyRefusals(batch, pulse, question);
  const turn = batch.moment === undefined ? TURN_ITEMS : PAST_TURN_ITEMS;
  const answers: (PulseText | Problem)[] = [];
  for (let from = 0; from < batch.inputs.length; from += turn) {
    if (from > 0) await setImmediate();
    answers.push(...(await Promise.all(batch.parsed.slice(from, from + turn).map((parsed) => answerOf(parsed, batch, pulse, question, refusals)))));
  }
  const items = answers.map((answer, i) => (answer instanceof Problem ? refusalText(batch.inputs[i]!, answer) : answer.json));
  const verdicts = answers.filter((answer): answer is PulseText => !(answer instanceof Problem));
  return { items, billable: verdicts.length, degraded: verdicts.some(({ degraded }) => degraded) };
}

/** What history refuses, by family: it depends on nothing else of an address. */
type HistoryRefusals = Partial<Record<Address['family'], Problem>>;

async function historyRefusals({ parsed, moment }: IpBatch, pulse: Pick<PulseLookup, 'checkMoment'>, question: PulseBatchQuestion): Promise<HistoryRefusals> {
  const refusals: HistoryRefusals = {};
  if (moment === undefined) return refusals;
  for (const family of [4, 6] as const) {
    const found = parsed.find((one) => one.status === 'ok' && one.address.family === family);
    if (found?.status !== 'ok') continue;
    const refusal = await pulse.checkMoment({ ...question, address: found.address, moment }).then(() => undefined, itemRefusal);
    if (refusal !== undefined) refusals[family] = refusal;
  }
  return refusals;
}

/** Refusals that are the item's; any other fault is the batch's. */
const OF_AN_ITEM: ReadonlySet<ErrorCode> = new Set(['history_not_enabled', 'history_no_ipv6', 'at_out_of_window']);

function itemRefusal(error: unknown): Problem {
  if (error instanceof Problem && OF_AN_ITEM.has(error.code)) return error;
  throw error;
}

async function answerOf(
  parsed: ParsedAddress,
  { moment }: IpBatch,
  pulse: Pick<PulseLookup, 'lookup'>,
  question: PulseBatchQuestion,
  refusals: HistoryRefusals,
): Promise<PulseText | Problem> {
  if (parsed.status !== 'ok') return problemOf(parsed);
  const { address } = parsed;
  return refusals[address.family] ?? (await pulse.lookup({ ...question, address, moment })) ?? problemOf(parsed);
}

/** Why an address got no verdict: it cannot be looked up, or nothing is known of it. */
const problemOf = ({ status }: ParsedAddress): Problem =>
  status === 'ok' ? new Problem('not_found', { message: 'No record for this address.' }) : new Problem(status === 'reserved' ? 'reserved_ip' : 'invalid_ip');

const refusalText = (input: string, problem: Problem): string => `{"ip":${JSON.stringify(input)},${JSON.stringify(problem.body()).slice(1)}`;

/** The answer as one document (contract: IPBatch, PulseIPBatch), in bytes. */
export const batchDocument = ({ items, billable }: IpBatchAnswer): Buffer =>
  Buffer.from(`{"count":${items.length},"billable":${billable},"results":[${joined(items, ',')}]}`);

/** The answer as one line an item, in bytes. */
export const batchLines = ({ items }: IpBatchAnswer): Buffer => Buffer.from(`${joined(items, '\n')}\n`);

/** What `join` gives, as pieces that are put together once, when they become bytes. */
function joined(items: readonly string[], separator: string): string {
  let text = items[0]!;
  for (let i = 1; i < items.length; i++) text += separator + items[i]!;
  return text;
}
