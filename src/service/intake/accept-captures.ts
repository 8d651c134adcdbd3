import { createHash } from 'node:crypto';
import type { ApiKey } from '../../core/caller/caller.ts';
import { isNetwork, sendLimitsFilter } from '../../core/collection/source-limits.ts';
import { type CaptureFormat, CaptureReader, type RefuseRow } from '../../core/evidence/capture-reader.ts';
import { ADDRESS_BUDGETS, LINE_BUDGETS } from '../../core/limits/limits.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Budget, Clock, Delivery, DeliveryOutcome, DeliveryWriter, RunOutcome, SourceCaptures } from '../ports.ts';
import { type ImportOutcome, importOutcome, refusedForSpace, refusedRows, SOURCES_MAX } from './import-captures.ts';

export const INTAKE_LINES_MAX = 100_000;
export const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;
/** A body counts at least one line per this many bytes, because reading it costs by its bytes. */
const BYTES_A_LINE = UNPACKED_MAX_BYTES / INTAKE_LINES_MAX;

/**
 * - `at`: rows without a time get this one.
 * - `key`: absent if the service or a local sensor sends.
 */
export interface IntakeRequest {
  readonly source: string;
  readonly format: Exclude<CaptureFormat, 'plain'>;
  readonly at: UnixMs;
  readonly account: string;
  readonly id?: string | undefined;
  readonly key?: Pick<ApiKey, 'id' | 'sends' | 'evidence'>;
}

export interface SentBody {
  readonly bytes: Uint8Array;
  readonly gzip: boolean;
}

/**
 * Only `taken` records anything. `differs`: the sender used the id for other content before. `untrusted`: an
 * operator withdrew the trust of the source. `networks_forbidden`: a row is about a network, which the key may
 * not report.
 */
export type AcceptedCaptures =
  | { readonly status: 'taken'; readonly outcome: ImportOutcome & { readonly replayed?: true } }
  | OverBudget
  | { readonly status: 'differs' | 'untrusted' | 'too_many_lines' }
  | { readonly status: 'networks_forbidden' };

export type OverBudget = Extract<DeliveryOutcome, { readonly status: 'over_budget' }>;

/**
 * `too_large`: the body unpacks to more than the maximum. `busy`: too many bodies wait, and nothing was done.
 */
export type IntakeReply = AcceptedCaptures | { readonly status: 'too_large' | 'damaged_gzip' | 'busy' };

export type NoteTaken = (captures: SourceCaptures, refused: number) => void;

export interface AcceptCapturesOptions {
  readonly refuse?: RefuseRow | undefined;
  readonly noteTaken?: NoteTaken;
}

export async function acceptCaptures(
  store: DeliveryWriter,
  clock: Clock,
  body: Uint8Array,
  request: IntakeRequest,
  { refuse, noteTaken }: AcceptCapturesOptions = {},
): Promise<AcceptedCaptures> {
  const beyond = request.key?.sends && sendLimitsFilter(request.key.sends);
  const mayNetworks =
    request.key === undefined || request.key.sends !== undefined || request.key.evidence === 'networks';
  let hasNetworks = false;
  const reader = new CaptureReader({
    format: request.format,
    linesMax: INTAKE_LINES_MAX,
    refuse: (prefix, type) => {
      hasNetworks ||= isNetwork(prefix);
      return beyond?.(prefix, type) ?? refuse?.(prefix, type);
    },
  });
  reader.write(body);
  reader.end();
  if (reader.overflowed) return (await chargeRefused(store, clock, request)) ?? { status: 'too_many_lines' };
  const lines = Math.max(reader.lines, Math.ceil(body.length / BYTES_A_LINE));
  if (hasNetworks && !mayNetworks)
    return (await chargeRefused(store, clock, request, lines)) ?? { status: 'networks_forbidden' };
  const captures: SourceCaptures = {
    source: {
      id: request.source,
      family: request.source,
      mode: 'events',
      ...(request.key === undefined ? {} : { sender: request.key.id }),
    },
    defaultAt: request.at,
    batch: reader.take(),
  };
  const describe = ([own]: readonly RunOutcome[]): ImportOutcome => importOutcome(reader, [own!]);
  const delivery = deliveryOf(body, request, (outcomes) => JSON.stringify(describe(outcomes)));
  const terms = { delivery, lines, budgets: budgetsOf(request), sourcesMax: SOURCES_MAX };
  const taken = await store.recordDelivery([captures], clock.now(), terms);
  if (taken.status === 'no_room')
    return { status: 'taken', outcome: importOutcome(reader, [refusedForSpace(captures.batch.length)]) };
  if (taken.status !== 'taken' && taken.status !== 'replayed') return taken;
  if (taken.status === 'taken') {
    const outcome = describe(taken.outcomes);
    noteTaken?.(captures, refusedRows(outcome));
    return { status: 'taken', outcome };
  }
  return { status: 'taken', outcome: { ...(JSON.parse(taken.answer) as ImportOutcome), replayed: true } };
}

/**
 * Charges the sender for a body that is not recorded. By default it costs as much as the largest one, for
 * bodies that were too large or damaged. @returns the exceeded budget, if any
 */
export async function chargeRefused(
  store: DeliveryWriter,
  clock: Clock,
  request: IntakeRequest,
  lines = INTAKE_LINES_MAX,
): Promise<OverBudget | undefined> {
  const taken = await store.recordDelivery([], clock.now(), { budgets: budgetsOf(request), lines });
  return taken.status === 'over_budget' ? taken : undefined;
}

/** Budgets count against a key, or against the source if the service itself or a local sensor sends. */
export const senderOf = ({ key, source }: Pick<IntakeRequest, 'key' | 'source'>): string =>
  key === undefined ? `source ${source}` : key.id;

function budgetsOf(request: IntakeRequest): readonly Budget[] {
  const name = senderOf(request);
  const addresses = request.key?.sends === undefined ? ADDRESS_BUDGETS.other : ADDRESS_BUDGETS.sendOnly;
  return [
    ...LINE_BUDGETS.map((limit) => ({ ...limit, name, of: 'lines' as const })),
    { ...addresses, name: `addresses ${name}`, of: 'addresses' },
  ];
}

function deliveryOf(body: Uint8Array, request: IntakeRequest, answer: Delivery['answer']): Delivery | undefined {
  const { account, id } = request;
  return id === undefined ? undefined : { account, id, digest: digestOf(body, request), answer };
}

const digestOf = (body: Uint8Array, { source, format }: Pick<IntakeRequest, 'source' | 'format'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([source, format]))
    .update(body)
    .digest();
