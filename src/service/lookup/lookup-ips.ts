import { setImmediate } from 'node:timers/promises';
import type { ErrorCode } from '../../contract/errors.ts';
import { IP_BATCH_MAX } from '../../contract/ip-batch.ts';
import type { Address } from '../../core/ip/address.ts';
import { type AddressColumns, TEXT_KIND } from '../../core/ip/address-columns.ts';
import type { ByteWriter } from '../../core/kit/byte-writer.ts';
import type { UnixMs } from '../../core/units.ts';
import { locatedColumns } from '../../engine/bulk-lookup.ts';
import { isoTime } from '../iso-time.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import { type EmptyVerdicts, keepHeads, UnseenWriter } from './empty-verdicts.ts';
import { basicTail, hasOverride, lookupIp, metaOf, unseenBasicHead } from './lookup-ip.ts';
import { type PulseLookup, type PulseQuery, type PulseText, unseenPulseHead } from './lookup-pulse.ts';
import type { IpBatch } from './read-ip-batch.ts';

type IpBatchForm = 'document' | 'lines';

const HEAD_BYTES_MAX = 64;
const COMMA = 44;
const LINE_FEED = 10;

class IpBatchWriter {
  readonly writer: ByteWriter;
  readonly #form: IpBatchForm;

  constructor(writer: ByteWriter, form: IpBatchForm) {
    this.writer = writer;
    this.#form = form;
    writer.moveTo(0);
    writer.room(HEAD_BYTES_MAX);
    writer.moveTo(HEAD_BYTES_MAX);
  }

  get separator(): number {
    return this.#form === 'lines' ? LINE_FEED : COMMA;
  }

  text(json: string): void {
    this.writer.text(json);
    this.writer.room(1);
    this.writer.byte(this.separator);
  }

  end(count: number, billable: number): Uint8Array<ArrayBuffer> {
    const { writer } = this;
    if (this.#form === 'lines') return writer.since(HEAD_BYTES_MAX);
    writer.moveTo(writer.at - 1);
    writer.text(']}');
    const end = writer.at;
    const head = `{"count":${count},"billable":${billable},"results":[`;
    writer.moveTo(HEAD_BYTES_MAX - head.length);
    writer.text(head);
    writer.moveTo(end);
    return writer.since(HEAD_BYTES_MAX - head.length);
  }
}

export interface IpBatchAnswer {
  /** Valid until the writer's next write. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly billable: number;
  readonly degraded: boolean;
}

export interface IpBatchOutput {
  readonly form: IpBatchForm;
  readonly writer: ByteWriter;
}

/** Addresses located together: memory read for them stays in the processor's cache until it is written. */
const STRETCH = 250;
/** Items weighed or refused before other requests get their turn. Documents without evidence cost a tenth. */
const TURN_ITEMS = 250;
const UNSEEN_SHARE = 0.1;
const PAST_TURN_ITEMS = 32;

/** Shared by all batches of this thread: nothing may await while it is in use. */
const located = locatedColumns(IP_BATCH_MAX);

const basicHeads = keepHeads(unseenBasicHead, 64);
const pulseHeads = keepHeads((network, family) => unseenPulseHead(network, family, false), 128);
const pulseHeadsWithDpa = keepHeads((network, family) => unseenPulseHead(network, family, true), 128);

interface DocumentKind {
  readonly heads: (networks: NonNullable<LookupView['bulk']>['networks']) => EmptyVerdicts;
  readonly tail: string;
  readonly text: (address: Address) => string | undefined;
}

/** Answers a batch as GET /v1/ip/{ip} answers each address, all at one instant. */
export async function lookupIps(
  batch: IpBatch,
  view: LookupView,
  at: UnixMs,
  output: IpBatchOutput,
): Promise<IpBatchAnswer> {
  return await answerNow(batch, view, at, output, {
    heads: basicHeads,
    tail: basicTail(view),
    text: (address) => lookupIp(view, address, at),
  });
}

type PulseBatchQuery = Omit<PulseQuery, 'address' | 'moment'>;
type PulseService = Pick<PulseLookup, 'checkMoment' | 'lookup' | 'lookupNow'>;

/** Answers a batch as single lookups of one instant. A refusal of history becomes that item's error. */
export async function lookupPulseBatch(
  batch: IpBatch,
  pulse: PulseService,
  query: PulseBatchQuery,
  output: IpBatchOutput,
): Promise<IpBatchAnswer> {
  if (batch.moment !== undefined) return await answerPast(batch, batch.moment, pulse, query, output);
  const { view, account, now } = query;
  return await answerNow(batch, view, now, output, {
    heads: account.dpa ? pulseHeadsWithDpa : pulseHeads,
    tail: metaOf(view),
    text: (address) => pulse.lookupNow({ ...query, address })?.json,
  });
}

async function answerNow(
  batch: IpBatch,
  view: LookupView,
  at: UnixMs,
  { form, writer }: IpBatchOutput,
  kind: DocumentKind,
): Promise<IpBatchAnswer> {
  const { count } = batch.addresses;
  const items = new LiveItems(batch, view, at, new IpBatchWriter(writer, form), kind);
  for (let from = 0; from < count; from += STRETCH) {
    if (items.work >= TURN_ITEMS) {
      await setImmediate();
      items.work = 0;
    }
    items.write(from, Math.min(from + STRETCH, count));
  }
  const { billable } = items;
  return { bytes: items.end(), billable, degraded: billable > 0 && view.degraded };
}

class LiveItems {
  billable = 0;
  work = 0;
  readonly #batch: IpBatch;
  readonly #bulk: LookupView['bulk'];
  readonly #items: IpBatchWriter;
  readonly #kind: DocumentKind;
  readonly #unseen: UnseenWriter | undefined;
  readonly #hasOverride: ((address: Address | undefined) => boolean) | undefined;

  constructor(batch: IpBatch, view: LookupView, at: UnixMs, items: IpBatchWriter, kind: DocumentKind) {
    const { bulk } = view;
    this.#batch = batch;
    this.#hasOverride =
      view.protection?.override && ((address) => address !== undefined && hasOverride(view, address, at));
    this.#bulk = bulk;
    this.#items = items;
    this.#kind = kind;
    const tail = kind.tail + String.fromCharCode(items.separator);
    this.#unseen =
      bulk && new UnseenWriter(items.writer, bulk, { heads: kind.heads(bulk.networks), time: isoTime(at), tail });
  }

  write(from: number, to: number): void {
    this.#bulk?.locate(this.#batch.addresses, from, to, located);
    for (let i = from; i < to; i++) {
      if (this.#writeUnseen(i, i - from)) {
        this.billable++;
        this.work += UNSEEN_SHARE;
      } else this.#writeText(i);
    }
  }

  end(): Uint8Array<ArrayBuffer> {
    return this.#items.end(this.#batch.addresses.count, this.billable);
  }

  #writeUnseen(i: number, at: number): boolean {
    const { addresses } = this.#batch;
    if (this.#unseen === undefined || located.captured[at] === 1 || !addresses.isReadable(i)) return false;
    if (this.#hasOverride?.(addresses.at(i)) === true) return false;
    return this.#unseen.write(addresses, i, located, at);
  }

  #writeText(i: number): void {
    this.work++;
    const { addresses, inputAt } = this.#batch;
    const address = addresses.at(i);
    const text = address === undefined ? undefined : this.#kind.text(address);
    const item = text ?? refusalText(inputAt(i), problemAt(addresses, i));
    if (text !== undefined) this.billable++;
    this.#items.text(item);
  }
}

async function answerPast(
  batch: IpBatch,
  moment: UnixMs,
  pulse: PulseService,
  query: PulseBatchQuery,
  { form, writer }: IpBatchOutput,
): Promise<IpBatchAnswer> {
  const { addresses } = batch;
  const { count } = addresses;
  const refusals = await historyRefusals(addresses, (address) => pulse.checkMoment({ ...query, address, moment }));
  const answerOf = async (i: number): Promise<PulseText | Problem> => {
    const address = addresses.at(i);
    const refusal = address === undefined ? problemAt(addresses, i) : refusals[address.family];
    return refusal ?? (await pulse.lookup({ ...query, address: address!, moment })) ?? problemAt(addresses, i);
  };
  const answers: (PulseText | Problem)[] = [];
  for (let from = 0; from < count; from += PAST_TURN_ITEMS) {
    if (from > 0) await setImmediate();
    const turn = Array.from({ length: Math.min(PAST_TURN_ITEMS, count - from) }, (_, i) => from + i);
    answers.push(...(await Promise.all(turn.map(answerOf))));
  }
  const items = new IpBatchWriter(writer, form);
  for (const [i, answer] of answers.entries())
    items.text(answer instanceof Problem ? refusalText(batch.inputAt(i), answer) : answer.json);
  const verdicts = answers.filter((answer): answer is PulseText => !(answer instanceof Problem));
  return {
    bytes: items.end(count, verdicts.length),
    billable: verdicts.length,
    degraded: verdicts.some(({ degraded }) => degraded),
  };
}

type HistoryRefusals = Partial<Record<Address['family'], Problem>>;

async function historyRefusals(
  addresses: AddressColumns,
  check: (address: Address) => Promise<void>,
): Promise<HistoryRefusals> {
  const refusals: HistoryRefusals = {};
  for (const family of [4, 6] as const) {
    const address = addresses.at(addresses.kinds.indexOf(family));
    if (address === undefined) continue;
    const refusal = await check(address).then(() => undefined, itemRefusal);
    if (refusal !== undefined) refusals[family] = refusal;
  }
  return refusals;
}

const ITEM_ERRORS: ReadonlySet<ErrorCode> = new Set(['history_not_enabled', 'history_no_ipv6', 'at_out_of_window']);

function itemRefusal(error: unknown): Problem {
  if (error instanceof Problem && ITEM_ERRORS.has(error.code)) return error;
  throw error;
}

function problemAt({ kinds }: AddressColumns, i: number): Problem {
  if (kinds[i] === TEXT_KIND.invalid) return new Problem('invalid_ip');
  return kinds[i] === TEXT_KIND.reserved
    ? new Problem('reserved_ip')
    : new Problem('not_found', { message: 'No record for this address.' });
}

/** An address has 45 characters at most, and a body of a MiB must not come back whole. */
const ECHO_MAX = 64;

const echoOf = (input: string): string => (input.length > ECHO_MAX ? `${input.slice(0, ECHO_MAX)}…` : input);

const refusalText = (input: string, problem: Problem): string =>
  `{"ip":${JSON.stringify(echoOf(input))},${JSON.stringify(problem.body()).slice(1)}`;
