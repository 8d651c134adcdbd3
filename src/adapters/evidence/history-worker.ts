import { workerData } from 'node:worker_threads';
import type { RefuseRow } from '../../core/evidence/capture-reader.ts';
import { INTAKE_MS, REQUEST_MS, withDeadline } from '../../service/deadline.ts';
import type { AcceptOutcome } from '../../service/feeds/accept-quarantined.ts';
import {
  acceptCaptures,
  chargeRefused,
  type IntakeReply,
  type IntakeRequest,
  type OverBudget,
  type SentBody,
  senderOf,
  UNPACKED_MAX_BYTES,
} from '../../service/intake/accept-captures.ts';
import { DeliveryQueue } from '../../service/intake/delivery-queue.ts';
import { loadIntakeRefusals } from '../layers/load-intake-refusals.ts';
import { lowerPriority, systemClock } from '../system/own-process.ts';
import { unpackGzip } from '../system/read-body.ts';
import { answerCalls } from '../system/worker-calls.ts';
import { CollectionCountsWriter } from './collection-counts.ts';
import { GeoFacts } from './geo-facts.ts';
import type { HistoryCall, HistoryThreadUse } from './history-thread.ts';
import { type HistoryTarget, openHistory } from './open-history.ts';

lowerPriority();
const { forCallers, own, ...target } = workerData as HistoryTarget & Required<Omit<HistoryThreadUse, 'geo'>>;
const geo = new GeoFacts();
const store = await openHistory(target, { forCallers, facts: () => geo.facts() });
const deliveries = new DeliveryQueue(store);
const counts = new CollectionCountsWriter(target, systemClock, forCallers);
const overBudget = new Map<string, OverBudget>();
let refuse: RefuseRow | undefined;

async function accept({ bytes, gzip }: SentBody, request: IntakeRequest): Promise<IntakeReply> {
  const sender = senderOf(request);
  const usedUp = overBudget.get(sender);
  if (usedUp !== undefined && usedUp.until > systemClock.now()) return usedUp;
  overBudget.delete(sender);
  const reply = await read(gzip ? unpackGzip(bytes, UNPACKED_MAX_BYTES) : bytes, request);
  if (reply.status === 'over_budget' && reply.of === 'lines') overBudget.set(sender, reply);
  return reply;
}

async function read(body: ReturnType<typeof unpackGzip>, request: IntakeRequest): Promise<IntakeReply> {
  if (body === 'too_large' || body === 'damaged')
    return (
      (await chargeRefused(deliveries, systemClock, request)) ?? { status: body === 'damaged' ? 'damaged_gzip' : body }
    );
  refuse ??= loadIntakeRefusals(own);
  return acceptCaptures(deliveries, systemClock, body, request, { refuse, noteTaken: counts.note });
}

async function acceptReading(id: string, digest: string): Promise<AcceptOutcome> {
  const [{ openFeeds }, { acceptQuarantined }] = await Promise.all([
    import('../feeds/open-feeds.ts'),
    import('../../service/feeds/accept-quarantined.ts'),
  ]);
  const config = { dataDir: target.dataDir, feeds: 'off' } as const;
  const { catalogue, parts } = openFeeds({ config, store, clock: systemClock, own });
  const feed = catalogue.find((known) => known.id === id);
  return feed === undefined ? { status: 'none' } : await acceptQuarantined(feed, digest, parts);
}

async function close(): Promise<void> {
  await deliveries.settled();
  await counts.close();
  await store.close();
}

answerCalls<HistoryCall, unknown>((call) => {
  if ('geo' in call && call.geo !== undefined) geo.use(call.geo);
  switch (call.do) {
    case 'compact':
      return store.compact(...call.with);
    case 'accept':
      return withDeadline(INTAKE_MS, () => accept(...call.with));
    case 'reading':
      return acceptReading(...call.with);
    case 'heartbeat':
      return withDeadline(REQUEST_MS, () => counts.noteHeartbeat(...call.with));
    case 'close':
      return close();
  }
});
