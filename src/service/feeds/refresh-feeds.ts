import { setTimeout as sleep } from 'node:timers/promises';
import type { Feed } from '../../core/feeds/feed.ts';
import { isSlow, type RunningReading, readingsToStart, relayFirst, SLOW_AFTER_MS, waitsForRelay } from './due-at.ts';
import type { FeedReader } from './feed-ports.ts';
import { type RefreshOutcome, type RefreshParts, refreshFeed } from './refresh-feed.ts';

export interface RefreshEvent {
  readonly feed: Feed;
  readonly outcome: RefreshOutcome;
}

export async function* refreshFeeds(
  feeds: readonly Feed[],
  reader: FeedReader,
  parts: RefreshParts,
): AsyncGenerator<RefreshEvent> {
  const waiting = new Set(feeds.filter((feed) => waitsForRelay(feed, parts.networks)));
  yield* readEach(
    relayFirst(
      feeds.filter((feed) => !waiting.has(feed)),
      (feed) => feed,
    ),
    reader,
    parts,
  );
  yield* readEach([...waiting], reader, parts);
}

async function* readEach(
  feeds: readonly Feed[],
  reader: FeedReader,
  parts: RefreshParts,
): AsyncGenerator<RefreshEvent> {
  const waiting = new Map(
    feeds.map((feed) => [feed.id, { feed, id: feed.id, slow: isSlow(parts.states.get(feed.id)) }]),
  );
  const running = new Map<string, RunningReading & { readonly done: Promise<RefreshEvent> }>();
  while (waiting.size + running.size > 0) {
    for (const id of readingsToStart([...waiting.values()], [...running.values()], parts.clock.now())) {
      const { feed, slow } = waiting.get(id)!;
      waiting.delete(id);
      running.set(id, {
        startedAt: parts.clock.now(),
        slow,
        done: refreshFeed(feed, reader, parts).then((outcome) => ({ feed, outcome })),
      });
    }
    const event = await nextOf(
      [...running.values()].map(({ done }) => done),
      waiting.size > 0,
    );
    if (event === undefined) continue;
    running.delete(event.feed.id);
    yield event;
  }
}

async function nextOf(readings: readonly Promise<RefreshEvent>[], others: boolean): Promise<RefreshEvent | undefined> {
  const look = new AbortController();
  const tick = sleep(SLOW_AFTER_MS / 5, undefined, { signal: look.signal }).catch(() => undefined);
  try {
    return await Promise.race(others ? [...readings, tick] : readings);
  } finally {
    look.abort();
  }
}
