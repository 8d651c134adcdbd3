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
import { folderPhoneReader, publisherPhoneReader, webMirrorPhoneReader } from './feeds/phone-readers.ts';
import { openPhoneWriter } from './open-phone.ts';

const MB = 1024 * 1024;
const MIT = { licence: 'MIT', redistribution: 'allowed', tag: 104 } as const;

export const PHONE_FEEDS: readonly PhoneFeed[] = [
  {
    ...MIT,
    id: 'phone-castle',
    title: 'Castle: the thousand disposable numbers most used in sign-ups, daily',
    url: 'https://raw.githubusercontent.com/castle/disposable-phone-numbers/HEAD/disposable-phone-numbers.txt',
    commits: 'https://github.com/castle/disposable-phone-numbers/commits/HEAD/disposable-phone-numbers.txt.atom',
    attribution: 'castle/disposable-phone-numbers',
    cadenceMin: 1440,
    maxAgeHours: 96,
    bounds: { minRows: 500, maxRows: 5000, maxBytes: MB },
    form: 'numbers',
    files: ['castle-disposable-phone-numbers.txt', 'disposable-phone-numbers.txt', 'phone-castle.txt'],
  },
  {
    ...MIT,
    id: 'phone-ip1sms',
    title: 'iP1SMS: numbers of public receive-SMS sites with the day each was last seen',
    url: 'https://raw.githubusercontent.com/iP1SMS/disposable-phone-numbers/HEAD/number-list.json',
    attribution: 'iP1SMS/disposable-phone-numbers',
    cadenceMin: 1440,
    maxAgeHours: 336,
    bounds: { minRows: 50_000, maxRows: 1_000_000, maxBytes: 32 * MB },
    form: 'dates',
    files: ['ip1sms-number-list.json', 'number-list.json', 'phone-ip1sms.json'],
  },
];

type FeedsConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'phone' | 'feeds'>;

interface PhoneFeeds {
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
