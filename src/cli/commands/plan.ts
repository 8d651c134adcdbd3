import { type Command, Option } from 'commander';
import type { Plan } from '../../core/caller/caller.ts';
import { say } from '../language/say.ts';
import { limitsText, wholeNumber } from '../options/option-values.ts';
import { type AsJson, print } from '../terminal/print.ts';
import { byCli, withAccounts } from '../with-accounts.ts';

export function register(program: Command): void {
  const plan = program.command('plan').description('plans and their limits');
  plan
    .command('list')
    .description('all plans')
    .option('--json', 'print JSON')
    .action(({ json }: AsJson) =>
      withAccounts(async ({ store }) => {
        const all = await store.plans();
        const lines = all.map(
          (one) =>
            `${one.name}  ${limitsText(one)}  +${one.overagePct}%  ${say(one.dataTier)}${one.phoneEligible ? `  ${say('phone')}` : ''}`,
        );
        print(json, all.map(planJson), lines);
      }),
    );
  plan
    .command('set')
    .description('change a plan, or add one; accounts on it have the new limits within two seconds')
    .argument('<name>', 'plan name')
    .option('--per-min <n>', 'lookups per minute', wholeNumber)
    .option('--per-day <n>', 'lookups per day', wholeNumber)
    .option('--overage-pct <n>', 'percent past the daily limit', wholeNumber)
    .addOption(new Option('--data-tier <tier>', 'what its callers may see').choices(['basic', 'professional']))
    .addOption(
      new Option('--phone-eligible <on|off>', 'whether its accounts can hold the phone capability').choices([
        'on',
        'off',
      ]),
    )
    .option('--phone-per-min <n>', 'phone numbers per minute', wholeNumber)
    .option('--phone-per-day <n>', 'phone numbers per day', wholeNumber)
    .option('--json', 'print JSON')
    .action((name: string, { json, phoneEligible, ...limits }: PlanOptions, command: Command) => {
      if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name))
        command.error(say('error: a plan name is a lower-case word of at most 32 characters'));
      return withAccounts(async ({ store }) => {
        const present = (await store.plans()).find((one) => one.name === name);
        const eligible = phoneEligible === undefined ? {} : { phoneEligible: phoneEligible === 'on' };
        const changed = await store.putPlan({ ...NOTHING, ...present, ...limits, ...eligible, name }, byCli());
        print(json, planJson(changed), [`${changed.name}  ${limitsText(changed)}`]);
      });
    });
}

type PlanOptions = Partial<Omit<Plan, 'name' | 'phoneEligible'>> & {
  readonly phoneEligible?: 'on' | 'off';
  readonly json?: boolean;
};

/** A plan that was just added allows nothing until its limits are set. */
const NOTHING: Omit<Plan, 'name'> = {
  perMin: 0,
  perDay: 0,
  overagePct: 0,
  dataTier: 'basic',
  phoneEligible: false,
  phonePerMin: 0,
  phonePerDay: 0,
};

function planJson(plan: Plan): Record<string, unknown> {
  return {
    name: plan.name,
    per_min: plan.perMin,
    per_day: plan.perDay,
    overage_pct: plan.overagePct,
    data_tier: plan.dataTier,
    phone_eligible: plan.phoneEligible,
    phone_per_min: plan.phonePerMin,
    phone_per_day: plan.phonePerDay,
  };
}
