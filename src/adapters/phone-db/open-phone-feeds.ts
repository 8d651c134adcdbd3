import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { PHONE_LIBRARIES } from '../../contract/phone.ts';
import { dueAt } from '../../service/feeds/due-at.ts';
import type { RefreshOutcome } from '../../service/feeds/refresh-feed.ts';
import type { PhoneFeed, PhoneFeedReader, PhoneFeedState, PhoneFeedStates } from '../../service/phone/phone-feed.ts';
import { refreshPhoneFeed } from '../../service/phone/refresh-phone-feed.ts';
import type { Clock } from '../../service/ports.ts';
import type { DeploymentSecret } from '../data-folder/deployment-secret.ts';
import { FeedStateFiles } from '../feeds/feed-state-files.ts';
import { PHONE_FEEDS } from './feeds/phone-feeds.ts';
import { folderPhoneReader, publisherPhoneReader, webMirrorPhoneReader } from './feeds/phone-readers.ts';
import { openPhoneWriter } from './open-phone.ts';

type FeedsConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'phone' | 'feeds'>;

export interface PhoneFeeds {
  state(feed: PhoneFeed): PhoneFeedState;
  /** None is due until both libraries exist. */
  due(): Promise<readonly PhoneFeed[]>;
  refresh(feed: PhoneFeed): Promise<RefreshOutcome>;
  close(): Promise<void>;
}

export const openPhoneFeedStates = ({
  dataDir,
}: Pick<Config, 'dataDir'>): { readonly catalogue: readonly PhoneFeed[]; readonly states: PhoneFeedStates } => ({
  catalogue: PHONE_FEEDS,
  states: new FeedStateFiles(join(dataDir, 'phone', 'feeds')),
});

export function openPhoneFeeds(config: FeedsConfig, secret: DeploymentSecret, clock: Clock): PhoneFeeds | undefined {
  const reader = readerOf(config);
  if (!config.phone || reader === undefined) return undefined;
  const { catalogue, states } = openPhoneFeedStates(config);
  const writer = openPhoneWriter(config, secret);
  const chance = new Map(catalogue.map(({ id }) => [id, Math.random()]));
  const begun = clock.now();
  const isDue = (feed: PhoneFeed): boolean => {
    const state = states.get(feed.id);
    // A list that was never read is due relative to the start of this process, not to each check.
    const now = clock.now();
    return dueAt(feed, state, state.lastAttemptAt === undefined ? begun : now, chance.get(feed.id) ?? 0) <= now;
  };
  return {
    state: (feed) => states.get(feed.id),
    async due() {
      for (const library of PHONE_LIBRARIES) if ((await writer.held(library)) === undefined) return [];
      return catalogue.filter(isDue);
    },
    refresh: (feed) => refreshPhoneFeed(feed, reader, { writer, states, clock }),
    close: () => writer.close(),
  };
}

function readerOf({ feeds }: Pick<Config, 'feeds'>): PhoneFeedReader | undefined {
  if (feeds === 'off') return undefined;
  if (feeds === 'auto') return publisherPhoneReader;
  if (/^https?:\/\//.test(feeds.mirror)) return webMirrorPhoneReader(feeds.mirror);
  return folderPhoneReader(feeds.mirror);
}
