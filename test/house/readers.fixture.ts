/** A test file and the title of a test in it, or a reason. */
export type Proof = readonly [file: string, title: string] | string;

export interface Reader {
  readonly files: readonly string[];
  /** An unread time is never now. */
  readonly times: Proof;
  /** Never the wrong address in silence. */
  readonly addresses: Proof;
  /** Nothing is lost without a number. */
  readonly losses: Proof;
  /** A command that reads makes no data. */
  readonly data: Proof;
}

const FEEDS = 'test/feeds/unreadable-lists.test.ts';
const LISTS = 'src/core/evidence/lists.test.ts';
const LAYERS = 'src/adapters/layers/layers.test.ts';
const LOGS = 'src/core/logs/logs.test.ts';
const LOG_LINES = 'src/core/logs/log-lines.test.ts';
const READING_COMMANDS = 'test/command-line/no-evidence.test.ts';
const PHONES = 'src/core/phone/phone-list.test.ts';
const WRITES = 'it writes evidence: that is its purpose';
const NO_TIMES = 'verdicts are of one moment; times of its lines date nothing';

// biome-ignore format: one reader a row
export const READERS: Readonly<Record<string, Reader>> = {
  feeds: {
    files: ['src/adapters/feeds/read-feed.ts', 'src/adapters/feeds/open-feeds.ts', 'src/adapters/feeds/commit-time.ts', 'src/adapters/feeds/fetch-feed.ts', 'src/adapters/system/read-body.ts'],
    times: [FEEDS, 'a time in the header that cannot be read refuses the list'],
    addresses: 'the catalogue names the column or the path of each list',
    losses: [FEEDS, 'a list that is mostly unreadable is refused'],
    data: WRITES,
  },
  mirrors: {
    files: ['src/adapters/feeds/published-times.ts', 'src/adapters/feeds/scan-mirror.ts'],
    times: [FEEDS, 'a manifest that cannot be understood is a fault of the files that it would date'],
    addresses: 'the catalogue names the column or the path of each list',
    losses: [FEEDS, 'a history or a dated file that cannot be read is named'],
    data: WRITES,
  },
  'evidence import, POST /v1/evidence': {
    files: ['src/cli/commands/evidence.ts', 'src/service/intake/import-captures.ts', 'src/service/intake/accept-captures.ts'],
    times: [LISTS, 'a row with a time that is not read, or not understood, is refused and never dated now'],
    addresses: [LISTS, 'a header that is not understood, a document or a page is not a list'],
    losses: [LISTS, 'every address of a line is taken, ranges too, and what is not is counted'],
    data: WRITES,
  },
  'evidence follow': {
    files: ['src/main/sensor/run-follow.ts', 'src/adapters/log-files/tail-file.ts'],
    times: ['src/core/collection/logs/logs.test.ts', 'a time without a year is the newest that is not more than a day ahead'],
    addresses: ['src/core/collection/logs/logs.test.ts', 'a user name cannot put another address into the line'],
    losses: ['src/service/intake/follow-log.test.ts', 'a log of another format is known as one'],
    data: WRITES,
  },
  layers: {
    files: ['src/adapters/layers/read-layer.ts', 'src/adapters/layers/read-family.ts', 'src/adapters/layers/summarize-layer.ts', 'src/adapters/layers/read-csv.ts', 'src/main/place-data/update-layers.ts'],
    times: 'rows of layers have no times',
    addresses: 'a row is about the range that it begins with',
    losses: [LAYERS, 'one bad row in a thousand is left out and counted'],
    data: 'data build makes the data: that is its purpose',
  },
  'lookup FILE, lists of exceptions': {
    files: ['src/cli/options/addresses-in.ts', 'src/cli/options/filters.ts'],
    times: NO_TIMES,
    addresses: ['src/core/ip/find-addresses.test.ts', 'versions, times, hardware addresses, names and operators are not taken for one'],
    losses: ['test/bulk/binary-files.test.ts', 'a list of exceptions in which nothing is found is refused'],
    data: [READING_COMMANDS, 'names the folder and the next step with status 1, and makes nothing'],
  },
  'enrich, summarize': {
    files: ['src/main/bulk/with-records.ts', 'src/adapters/log-files/open-input.ts'],
    times: [LOGS, 'a line without an address or time has none, and the lines around it are read'],
    addresses: [LOG_LINES, 'two that are equally good are refused, and either can be chosen'],
    losses: ['test/bulk/enrich.test.ts', 'no address is lost without a word'],
    data: [READING_COMMANDS, 'names the folder and the next step with status 1, and makes nothing'],
  },
  'phone lists': {
    files: ['src/main/bulk/look-up-phones.ts', 'src/adapters/phone-db/formats/read-phone-file.ts', 'src/adapters/phone-db/feeds/phone-readers.ts'],
    times: ['test/phone/phone-feeds.test.ts', 'where the publisher gives no time, the first reading of this content speaks'],
    addresses: [PHONES, 'a text that the API reads as a number with a mark, or in one group, is the same number in a list'],
    losses: ['src/adapters/phone-db/formats/read-phone-file.test.ts', 'CSV without a number column'],
    data: 'lookups of numbers make no evidence',
  },
  pages: {
    files: ['console/src/bulk/log-blocks.ts', 'console/src/bulk/open-blob.ts'],
    times: NO_TIMES,
    addresses: [LOG_LINES, 'what was read and what else was there is reported with an example'],
    losses: [LOGS, 'lists of several on a line lose none'],
    data: 'a browser has no data folder',
  },
};
