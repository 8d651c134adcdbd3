import { type Command, Option } from 'commander';
import { SqlOverrideStore } from '../../adapters/overrides/sql-override-store.ts';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Override } from '../../core/risk/override.ts';
import { printable } from '../../core/texts/printable.ts';
import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import { addOverride, describeOverride, removeOverride } from '../../service/overrides/overrides.ts';
import { say } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { momentFrom } from '../options/option-values.ts';
import { type AsJson, print } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';

export function register(program: Command): void {
  const override = program.command('override').description('correct the verdicts about an address or prefix');
  override
    .command('add')
    .description('correct verdicts from now on, on every node within two seconds')
    .argument('<prefix>', 'an address, or a prefix such as 192.0.2.0/24')
    .addOption(new Option('--allow', 'its score is held at 1 while evidence is active').conflicts('deny'))
    .addOption(new Option('--deny <kind>', 'its addresses count as seen by own collection').choices(RISK_TYPES))
    .requiredOption('--reason <text>', 'for the audit log and the people who ask why')
    .addOption(new Option('--until <time>', 'the end, RFC 3339').argParser(momentFrom).makeOptionMandatory())
    .option('--json', 'print JSON')
    .action(async (prefix: string, { allow, deny, reason, until, json }: AddOptions, command: Command) => {
      if (allow !== true && deny === undefined) command.error(say('error: one of --allow and --deny is needed'));
      await withAccounts(async ({ db }) => {
        const by = byCli();
        show(json, await addOverride(new SqlOverrideStore(db), { prefix, deny, reason, until }, by), by.at);
      });
    });
  override
    .command('list')
    .description('overrides in force, newest first')
    .option('--all', 'ended ones too')
    .option('--json', 'print JSON')
    .action(({ all, json }: { all?: boolean; json?: boolean }) =>
      withAccounts(async ({ db }) => {
        const { at } = byCli();
        const list = (await new SqlOverrideStore(db).all()).filter(({ until }) => all === true || until > at);
        print(
          json,
          list.map((one) => jsonOf(one, at)),
          list.map((one) => lineOf(one, at)),
        );
      }),
    );
  override
    .command('remove')
    .description('end an override now; answers about earlier moments keep it')
    .argument('<id>', 'override id')
    .option('--json', 'print JSON')
    .action((id: string, { json }: AsJson) =>
      withAccounts(async ({ db }) => {
        const by = byCli();
        show(json, await removeOverride(new SqlOverrideStore(db), id, by), by.at);
      }),
    );
}

interface AddOptions extends AsJson {
  readonly allow?: boolean;
  readonly deny?: RiskType;
  readonly reason: string;
  readonly until: UnixMs;
}

const show = (json: boolean | undefined, override: Override, at: UnixMs): void =>
  print(json, jsonOf(override, at), [lineOf(override, at)]);

const jsonOf = (override: Override, at: UnixMs) => ({
  override_id: override.id,
  ...describeOverride(override),
  state: override.until > at ? 'in_force' : 'ended',
});

const lineOf = ({ id, prefix, from, until, deny, reason }: Override, at: UnixMs): string =>
  `${id}  ${prefix}  ${deny === undefined ? say('allow') : say('deny {kind}', { kind: slugName(deny) })}  ${say('{from} to {to}', { from: isoTime(from), to: isoTime(until) })}${until > at ? '' : say(' (ended)')}  ${printable(reason)}`;
