import { type Command, Option } from 'commander';
import { SqlListStore } from '../../adapters/lists/sql-list-store.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { isoTime } from '../../service/iso-time.ts';
import { describeList } from '../../service/lists/describe-list.ts';
import type { StoredList } from '../../service/lists/list-store.ts';
import { removeList, saveList } from '../../service/lists/save-list.ts';
import { say } from '../language/say.ts';
import { type FilterFlags, filterOptions } from '../options/filters.ts';
import { wholeFrom } from '../receiver-of.ts';
import { type AsJson, print } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';

export function register(program: Command): void {
  const list = program.command('list').description('lists of addresses that firewalls fetch by URL');
  const owner = () => new Option('--account <id>', 'a list of this account; without it, one that every key may fetch');
  const save = list
    .command('save')
    .description('save which verdicts a list holds; clients fetch it at /lists/NAME.txt, .nft, .csv and .json')
    .argument('<name>', 'lower-case letters, digits and underscores')
    .addOption(owner());
  filterOptions(save, {
    minScore: 'scores from this on (default: 70, or 0 with --levels)',
    states: 'states of the evidence (default: active)',
  })
    .option('--max <n>', 'the most prefixes at a time, the riskiest', wholeFrom(1, 10_000_000))
    .option('--json', 'print JSON')
    .action((name: string, flags: SaveFlags) =>
      withAccounts(async ({ db }) => {
        const { account: accountId, json } = flags;
        const saved = await saveList(new SqlListStore(db), { accountId, name, settings: settingsOf(flags) }, byCli());
        print(json, jsonOf(saved), [lineOf(saved)]);
      }),
    );
  list
    .command('show')
    .description('saved lists, with their last fetch')
    .option('--json', 'print JSON')
    .action(({ json }: AsJson) =>
      withAccounts(async ({ db }) => {
        const all = await new SqlListStore(db).all();
        print(json, all.map(jsonOf), all.map(lineOf));
      }),
    );
  list
    .command('remove')
    .description('end a list: fetches of it are refused from now on')
    .argument('<name>', 'lower-case letters, digits and underscores')
    .addOption(owner())
    .action((name: string, { account }: { account?: string }) =>
      withAccounts(({ db }) => removeList(new SqlListStore(db), account, name, byCli())),
    );
}

interface SaveFlags extends FilterFlags, AsJson {
  readonly account?: string;
  readonly max?: number;
}

const settingsOf = (flags: SaveFlags): Record<string, unknown> => ({
  min_score: flags.minScore,
  levels: flags.levels,
  states: flags.states,
  signals: flags.signals,
  max_tier: flags.maxTier,
  include_shared: flags.includeShared,
  family: flags.family,
  exclude: flags.exclude?.map(formatPrefix),
  max: flags.max,
});

const jsonOf = (list: StoredList) => ({
  list_id: list.id,
  account_id: list.accountId,
  ...describeList(list, true),
});

const lineOf = ({ name, accountId, settings, fetched }: StoredList): string =>
  [
    `/lists/${name}.txt`,
    accountId ?? say('for every key'),
    JSON.stringify(settings),
    fetched === undefined
      ? say('never fetched')
      : say('{prefixes:prefix|prefixes} fetched {at} with {key}', {
          prefixes: fetched.prefixes.toLocaleString('en-US'),
          at: isoTime(fetched.at),
          key: fetched.key,
        }),
  ].join('  ');
