import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACTIONS, type PolicyDocument } from '../../core/policy/policy.ts';
import { keyOf, policyInForce, setPolicy } from '../../service/policy/set-policy.ts';
import { languageOf } from '../language/language-of.ts';
import { say } from '../language/say.ts';
import { addressesIn } from '../options/addresses-in.ts';
import { type AsJson, print } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';
import { lookUp } from './lookup.ts';

export function register(program: Command): void {
  const policy = program.command('policy').description('what GET /v1/decide answers to a key');
  policy
    .command('set')
    .description('change the policy of a key, on every node within two seconds')
    .argument('<key>', 'key id')
    .addOption(new Option('--file <file>', 'the whole policy as JSON; - is standard input'))
    .option('--deny <bound>', 'deny from this level or score on: low, medium, high, 1 to 100, never', bound)
    .option('--challenge <bound>', 'challenge from this level or score on', bound)
    .option(
      '--tier <tier=action>',
      'the strictest action on addresses that many share by their network, as T2=deny',
      pairs,
      {},
    )
    .addOption(new Option('--tor <action>', 'the action on Tor exits, whatever their score is').choices(ACTIONS))
    .option('--signal <signal=action>', 'the mildest action while a signal fires, as vpn=challenge', pairs, {})
    .option('--allow <prefixes>', 'addresses and prefixes that are always allowed, separated by commas', words)
    .addOption(new Option('--observe <on|off>', 'report the action and never take it').choices(['on', 'off']))
    .addOption(new Option('--fail <way>', 'the answer while no verdict can be given').choices(['open', 'closed']))
    .option('--json', 'print JSON')
    .action((id: string, flags: PolicyFlags, command: Command) => {
      const { json, file, ...more } = flags;
      const given = changesOf(more);
      if (file === undefined && Object.keys(given).length === 0)
        command.error(say('error: nothing to change; see --help'));
      return withAccounts(async ({ store }) => {
        const present = file === undefined ? policyInForce(await keyOf(store, id)) : readDocument(file, command);
        show(json, id, await setPolicy(store, id, united(present, given), byCli()));
      });
    });
  policy
    .command('show')
    .description('the policy of a key')
    .argument('<key>', 'key id')
    .option('--explain <address>', 'its order on an address, and why, from the local data')
    .option('--json', 'print JSON')
    .action((id: string, { explain, ...json }: AsJson & { explain?: string }) =>
      withAccounts(async ({ store }) => {
        const key = await keyOf(store, id);
        if (explain === undefined) show(json.json, id, policyInForce(key));
        else
          await lookUp(
            (await addressesIn([explain])).addresses,
            { ...json, key, lang: languageOf(process.argv) },
            true,
          );
      }),
    );
  policy
    .command('remove')
    .description('give a key the default policy again')
    .argument('<key>', 'key id')
    .option('--json', 'print JSON')
    .action((id: string, { json }: AsJson) =>
      withAccounts(async ({ store }) => show(json, id, await setPolicy(store, id, undefined, byCli()))),
    );
}

interface PolicyFlags extends AsJson {
  readonly file?: string;
  readonly deny?: string | number;
  readonly challenge?: string | number;
  readonly tier: Readonly<Record<string, string>>;
  readonly tor?: string;
  readonly signal: Readonly<Record<string, string>>;
  readonly allow?: readonly string[];
  readonly observe?: 'on' | 'off';
  readonly fail?: 'open' | 'closed';
}

const changesOf = ({ tier, signal, observe, ...rest }: Omit<PolicyFlags, 'file' | 'json'>): object => ({
  ...rest,
  ...(Object.keys(tier).length > 0 && { tiers: tier }),
  ...(Object.keys(signal).length > 0 && { signals: signal }),
  ...(observe !== undefined && { observe: observe === 'on' }),
});

function united(present: unknown, given: object): unknown {
  if (typeof present !== 'object' || present === null || Array.isArray(present)) return present;
  const { tiers = {}, signals = {} } = present as Partial<PolicyDocument>;
  const changed: Partial<PolicyDocument> = given;
  return {
    ...present,
    ...given,
    ...(changed.tiers !== undefined && { tiers: { ...tiers, ...changed.tiers } }),
    ...(changed.signals !== undefined && { signals: { ...signals, ...changed.signals } }),
  };
}

function readDocument(file: string, command: Command): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    return command.error(say('error: {file} cannot be read as JSON: {why}', { file, why: (error as Error).message }));
  }
}

function show(json: boolean | undefined, id: string, document: PolicyDocument): void {
  const lines = Object.entries(document).map(([name, value]) => `${name}  ${JSON.stringify(value)}`);
  print(json, { key_id: id, policy: document }, lines);
}

const bound = (text: string): string | number => (/^\d{1,3}$/.test(text) ? Number(text) : text);
const words = (text: string): readonly string[] => text.split(',').map((one) => one.trim());

function pairs(text: string, held: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all = words(text).map((one) => one.split('='));
  if (all.some((pair) => pair.length !== 2)) throw new InvalidArgumentError(say('expected NAME=ACTION'));
  return { ...held, ...Object.fromEntries(all) };
}
