import { type Command, Option } from 'commander';
import { SqlBeaconStore } from '../../adapters/beacons/sql-beacon-store.ts';
import { BEACON_RISK_TYPES, type BeaconRiskType } from '../../contract/risk.ts';
import { beaconFault, beaconSource } from '../../core/collection/beacon.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { BeaconActivity, BeaconDay } from '../../service/beacons/beacon-store.ts';
import { createBeacon, retractBeacon, revokeBeacon } from '../../service/beacons/beacons.ts';
import type { TrustOptions } from '../../service/intake/set-trust.ts';
import { isoTime } from '../../service/iso-time.ts';
import { say } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { momentFrom } from '../options/option-values.ts';
import { trustDetail, trustLines } from '../options/trust-detail.ts';
import { type AsJson, print, printNote } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';
import { withHistory } from '../with-history.ts';

const DAYS_SHOWN = 7;

export function register(program: Command): void {
  const beacon = program
    .command('beacon')
    .description('exits of proxies, VPNs and pools that you pay for become evidence (docs/beacons.md)');
  beacon
    .command('create')
    .description('make a beacon; its token is shown this once')
    .addOption(new Option('--risk-type <type>', 'what its exits are').choices(BEACON_RISK_TYPES).makeOptionMandatory())
    .option('--pool <name>', 'the group its exits belong to (proxy vendor, VPN brand); published only as a pool handle')
    .option('--expires <time>', 'RFC 3339 date-time from which the token is refused', momentFrom)
    .option('--json', 'print JSON')
    .action(({ riskType, pool, expires, json }: CreateOptions) =>
      withAccounts(async ({ db, hasher }) => {
        const by = byCli();
        const { beacon: made, token } = await createBeacon(
          new SqlBeaconStore(db),
          hasher,
          { riskType, pool, expiresAt: expires },
          by,
        );
        if (made.expiresAt !== undefined && made.expiresAt <= made.createdAt)
          printNote(say('pulse: this beacon has expired already'));
        print(json, { beacon_id: made.id, token, token_prefix: made.prefix, source: beaconSource(made) }, [
          made.id,
          token,
          say('Keep the token now: it cannot be shown again.'),
        ]);
      }),
    );
  beacon
    .command('list')
    .description('beacons with the prefix of their token, when they were last seen, and their exits')
    .option('--json', 'print JSON')
    .action(({ json }: AsJson) =>
      withAccounts(async ({ db }) => {
        const { at } = byCli();
        const firstDay = utcDay(at) - DAYS_SHOWN + 1;
        const all = await new SqlBeaconStore(db).list(firstDay);
        const rows = all.map((one) => ({ one, days: everyDay(one.days, firstDay) }));
        print(
          json,
          rows.map(({ one, days }) => beaconJson(one, days, at)),
          rows.map(({ one, days }) => lineOf(one, days, at)),
        );
      }),
    );
  beacon
    .command('revoke')
    .description('refuse the token of a beacon from now on; its captures stay unless they are taken back')
    .argument('<id>', 'beacon id')
    .option('--retract', 'its captures count no more either: the token was used by someone else')
    .addOption(
      new Option('--since <time>', 'with --retract: only captures with times from then on (RFC 3339)').argParser(
        momentFrom,
      ),
    )
    .option('--json', 'print JSON')
    .action(revoke);
}

interface RevokeOptions extends AsJson {
  readonly retract?: boolean;
  readonly since?: UnixMs;
}

async function revoke(id: string, { retract, since, json }: RevokeOptions, command: Command): Promise<void> {
  if (since !== undefined && retract !== true) command.error(say('error: --since says what --retract takes back'));
  const by = byCli();
  const revoked = await withAccounts(({ db }) => revokeBeacon(new SqlBeaconStore(db), id, by));
  const options: TrustOptions = {
    source: beaconSource(revoked),
    trust: 'none',
    since: since ?? revoked.createdAt,
    reason: 'the beacon was revoked',
  };
  const outcome = retract === true ? await withHistory((store) => retractBeacon(store, options, by)) : undefined;
  if (outcome !== undefined)
    await withAccounts(({ store }) => store.note('evidence.trust', options.source, trustDetail(options, outcome), by));
  const taken = outcome === undefined ? {} : { retracted: trustDetail(options, outcome) };
  print(
    json,
    {
      beacon_id: revoked.id,
      token_prefix: revoked.prefix,
      state: 'revoked',
      revoked_at: isoTime(revoked.revokedAt!),
      ...taken,
    },
    [
      `${revoked.id}  ${revoked.prefix}…  ${say('revoked')}`,
      ...(outcome === undefined ? [] : trustLines(options, outcome)),
    ],
  );
}

interface CreateOptions extends AsJson {
  readonly riskType: BeaconRiskType;
  readonly pool?: string;
  readonly expires?: UnixMs;
}

function everyDay(days: readonly BeaconDay[], firstDay: number): readonly BeaconDay[] {
  const known = new Map(days.map((one) => [one.day, one]));
  return Array.from(
    { length: DAYS_SHOWN },
    (_, back) => known.get(firstDay + back) ?? { day: firstDay + back, captures: 0, exits: 0, newExits: 0 },
  );
}

const stateOf = (beacon: BeaconActivity, at: UnixMs): 'active' | 'revoked' | 'expired' =>
  beaconFault(beacon, at) ?? 'active';
const dateOf = (day: number): string => isoTime(unixMs(day * DAY_MS)).slice(0, 10);

function beaconJson(beacon: BeaconActivity, days: readonly BeaconDay[], at: UnixMs): Record<string, unknown> {
  return {
    beacon_id: beacon.id,
    token_prefix: beacon.prefix,
    state: stateOf(beacon, at),
    risk_type: beacon.riskType,
    pool: beacon.pool,
    source: beaconSource(beacon),
    created_at: isoTime(beacon.createdAt),
    expires_at: beacon.expiresAt && isoTime(beacon.expiresAt),
    revoked_at: beacon.revokedAt && isoTime(beacon.revokedAt),
    last_seen_at: beacon.lastSeenAt && isoTime(beacon.lastSeenAt),
    distinct_exits: beacon.exits,
    days: days.map(({ day, captures, exits, newExits }) => ({
      date: dateOf(day),
      captures,
      exits,
      new_exits: newExits,
    })),
  };
}

function lineOf(beacon: BeaconActivity, days: readonly BeaconDay[], at: UnixMs): string {
  const seen =
    beacon.lastSeenAt === undefined ? say('never seen') : say('last seen {at}', { at: isoTime(beacon.lastSeenAt) });
  const expires = beacon.expiresAt === undefined ? '' : `  ${say('expires {at}', { at: isoTime(beacon.expiresAt) })}`;
  const made = say('created {at}', { at: isoTime(beacon.createdAt) });
  const exits = say('{count:exit|exits}, a day: {days}', {
    count: beacon.exits,
    days: days.map((day) => day.exits).join(' '),
  });
  return `${beacon.id}  ${beacon.prefix}…  ${say(stateOf(beacon, at))}  ${slugName(beacon.riskType)}${beacon.pool === undefined ? '' : `  ${beacon.pool}`}  ${made}${expires}  ${seen}  ${exits}`;
}
