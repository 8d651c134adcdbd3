import { type Command, Option } from 'commander';
import { senderNameFault } from '../../adapters/feeds/catalogue.ts';
import type { ApiKey } from '../../core/caller/caller.ts';
import { keyFault } from '../../core/caller/sent-key.ts';
import { evidenceRightFlags, SENSOR_KINDS } from '../../core/collection/source-limits.ts';
import { BOUNCER_DEFAULTS, BOUNCER_MAX } from '../../core/lists/bouncer-bounds.ts';
import type { UnixMs } from '../../core/units.ts';
import { createKey, evidenceRight, type KeyOptions, revokeKey, sendLimits } from '../../service/accounts/keys.ts';
import { say } from '../language/say.ts';
import { momentFrom, wholeNumber } from '../options/option-values.ts';
import { wholeFrom } from '../receiver-of.ts';
import { type AsJson, print, printNote } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';

export function register(program: Command): void {
  const key = program.command('key').description('API keys of an account');
  registerCreate(key);
  registerRevoke(key);
  registerList(key);
}

function registerCreate(key: Command): void {
  key
    .command('create')
    .description('make a key; its text is shown this once')
    .requiredOption('--account <id>', 'account the key belongs to')
    .option('--name <name>', 'what it is for')
    .option('--per-day <n>', 'lookups per day this key may make', wholeNumber)
    .option('--expires-at <time>', 'RFC 3339 date-time from which the key is refused', momentFrom)
    .option('--no-phone', 'the key may not use the phone capability')
    .option(
      '--send-only',
      'the key may send evidence of one source and do nothing else: for sensors; needs --source and an operator account',
    )
    .option('--source <name>', 'with --send-only: the source it speaks as, and no other')
    .option(
      '--kinds <types>',
      `with --send-only: what it may report, separated by commas (default: ${SENSOR_KINDS.join(',')})`,
    )
    .option(
      '--prefixes',
      'with --send-only: rows may be about prefixes, down to /24 and /48; else about single addresses',
    )
    .addOption(
      new Option(
        '--evidence',
        'the key may write evidence, as any source; needs an operator account. Without it a key looks up and no more',
      ).conflicts('sendOnly'),
    )
    .option('--bouncer', 'the key may fetch decisions as a bouncer of CrowdSec (docs/enforcement.md)')
    .option(
      '--min-score <n>',
      'with --bouncer: decisions are about scores from this on (default: 70)',
      wholeFrom(1, 100),
    )
    .option(
      '--max <n>',
      'with --bouncer: the most decisions at a time, the riskiest (default: 15000)',
      wholeFrom(1, BOUNCER_MAX),
    )
    .option('--single-addresses', 'with --bouncer: ranges as their addresses, for clients that keep the first one only')
    .option('--networks', 'with --evidence: about networks too, /24, /48 and wider')
    .option('--json', 'print JSON')
    .action((options: CreateOptions, command: Command) => {
      requireCompanions(options, command);
      return create(options);
    });
}

function registerRevoke(key: Command): void {
  key
    .command('revoke')
    .description('refuse a key from now on, everywhere within two seconds')
    .argument('<id>', 'key id')
    .option('--json', 'print JSON')
    .action((id: string, { json }: AsJson) =>
      withAccounts(async ({ store }) => {
        const revoked = await revokeKey(store, id, byCli());
        print(json, keyJson(revoked), [`${revoked.id}  ${revoked.prefix}…  ${say('revoked')}`]);
      }),
    );
}

function registerList(key: Command): void {
  key
    .command('list')
    .description('keys with their prefix, never their text')
    .option('--account <id>', 'of this account only')
    .option('--json', 'print JSON')
    .action(({ account, json }: { account?: string; json?: boolean }) =>
      withAccounts(async ({ store }) => {
        const all = await store.keys(account);
        const lines = all.map(
          (one) =>
            `${one.id}  ${one.accountId}  ${one.prefix}…  ${say(stateOf(one))}${rightsText(one)}${one.name === '' ? '' : `  ${one.name}`}`,
        );
        print(json, all.map(keyJson), lines);
      }),
    );
}

interface CreateOptions extends AsJson {
  readonly account: string;
  readonly name?: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly phone: boolean;
  readonly sendOnly?: boolean;
  readonly source?: string;
  readonly kinds?: string;
  readonly prefixes?: boolean;
  readonly evidence?: boolean;
  readonly networks?: boolean;
  readonly bouncer?: boolean;
  readonly minScore?: number;
  readonly max?: number;
  readonly singleAddresses?: boolean;
}

function requireCompanions(options: CreateOptions, command: Command): void {
  const { sendOnly, source, kinds, prefixes, evidence, networks, bouncer, minScore, max, singleAddresses } = options;
  const isAny = (...values: readonly unknown[]): boolean => values.some((value) => value !== undefined);
  if (sendOnly !== true && isAny(source, kinds, prefixes))
    command.error(say('error: --source, --kinds and --prefixes need --send-only'));
  if (bouncer !== true && isAny(minScore, max, singleAddresses))
    command.error(say('error: --min-score, --max and --single-addresses need --bouncer'));
  if (networks === true && evidence !== true) command.error(say('error: --networks needs --evidence'));
  if (sendOnly === true && source === undefined) command.error(say('error: --send-only needs --source'));
}

const create = (options: CreateOptions): Promise<void> =>
  withAccounts(async ({ store, hasher }) => {
    const { key, secret } = await createKey(store, hasher, newKey(options), byCli());
    if (key.expiresAt !== undefined && key.expiresAt <= key.createdAt)
      printNote(say('pulse: this key has expired already'));
    print(options.json, { key_id: key.id, key: secret, key_prefix: key.prefix }, [
      key.id,
      secret,
      say('Keep it now: it cannot be shown again.'),
    ]);
  });

function newKey({ account, name, perDay, expiresAt, phone, ...rights }: CreateOptions): KeyOptions {
  const { sendOnly, source, kinds, prefixes, evidence, networks, bouncer, minScore, max, singleAddresses } = rights;
  const named = kinds?.split(',').map((kind) => kind.trim());
  const right = evidenceRight(evidence, networks);
  return {
    accountId: account,
    phone,
    ...(name !== undefined && { name }),
    ...(perDay !== undefined && { perDay }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(sendOnly === true && { sends: sendLimits(source, senderNameFault, named, prefixes) }),
    ...(right !== undefined && { evidence: right }),
    ...(bouncer === true && {
      bouncer: {
        minScore: minScore ?? BOUNCER_DEFAULTS.minScore,
        max: max ?? BOUNCER_DEFAULTS.max,
        single: singleAddresses === true,
      },
    }),
  };
}

const stateOf = (key: ApiKey): 'active' | 'revoked' | 'expired' => keyFault(key, byCli().at) ?? 'active';
function rightsText({ sends, evidence, bouncer }: ApiKey): string {
  if (sends !== undefined) return `  ${say('send-only as {source}', { source: sends.source })}`;
  if (bouncer !== undefined) return `  ${say('bouncer, scores from {min}', { min: bouncer.minScore })}`;
  if (evidence === undefined) return '';
  return `  ${evidence === 'networks' ? say('writes evidence, about networks too') : say('writes evidence')}`;
}

const iso = (at: UnixMs): string => new Date(at).toISOString();

function keyJson(key: ApiKey): Record<string, unknown> {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    key_prefix: key.prefix,
    state: stateOf(key),
    phone: key.phone,
    send_only: key.sends !== undefined,
    ...key.sends,
    ...evidenceRightFlags(key),
    bouncer: key.bouncer && {
      min_score: key.bouncer.minScore,
      max: key.bouncer.max,
      single_addresses: key.bouncer.single,
    },
    per_day: key.perDay,
    expires_at: key.expiresAt && iso(key.expiresAt),
    revoked_at: key.revokedAt && iso(key.revokedAt),
    created_at: iso(key.createdAt),
    last_used_at: key.lastUsedAt && iso(key.lastUsedAt),
  };
}
