/**
 * How right derived kinds are in a simulated world whose truth is known: what sensors capture goes through the intake into a store, and what is derived is compared
 * with who was there. Prints precision and recall of each kind by the shipped rules, and how they change with each threshold. No speed, no real data:
 * docs/accuracy.md says what a simulation cannot show.
 *
 *   node bench/collection.ts [--scale 0.3] [--seed 7] [--sweep]
 */
import { parseArgs } from 'node:util';
import { DERIVATION_RULES, type DerivationRules } from '../src/core/collection/derivation-rules.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/core/units.ts';
import { type Judgement, judgeDialled, judgeHijacked, judgeRanges, listedHomes } from './collection/judge-derived.ts';
import { type DerivedRow, playWorld } from './collection/play-world.ts';
import { makeWorld, type SimulatedCapture, type World } from './collection/world.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '0.3' }, seed: { type: 'string', default: '7' }, sweep: { type: 'boolean', default: false } },
});
const world = makeWorld(Number(values.seed), Number(values.scale));

const percent = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`);
const cells = ({ derived, right, parties, found, wrong }: Judgement): readonly string[] => [
  String(derived),
  percent(right, derived),
  `${found} of ${parties}`,
  Object.entries(wrong)
    .map(([party, count]) => `${party} ${count}`)
    .join(', '),
];
const HEAD = ['derived', 'right', 'parties found', 'wrong, by who was there'];

/** What of the world a kind depends on: the rest would only take time. */
const KINDS = {
  ipv6_range: { needs: ({ address }: SimulatedCapture) => address.family === 6, judge: judgeRanges },
  hijacked_proxy: { needs: ({ party }: SimulatedCapture) => party.endsWith('home') || party === 'open proxy on a server', judge: judgeHijacked },
  dialup_pool: { needs: ({ actor }: SimulatedCapture) => actor !== '' && !actor.startsWith('guest'), judge: judgeDialled },
} as const;
type Kind = keyof typeof KINDS;

const captures = [...Map.groupBy(world.captures, ({ party }) => party)].map(([party, rows]) => `${party} ${rows.length}`);
process.stdout.write(
  `${world.captures.length} captures in three days: ${captures.join(', ')}; ${listedHomes(world).size} hijacked homes are listed at some time\n\n`,
);
const rows = await playWorld(world, DERIVATION_RULES);
table(
  ['kind', ...HEAD],
  (Object.keys(KINDS) as Kind[]).map((kind) => [kind, ...cells(KINDS[kind].judge(world, rows))]),
);
if (values.sweep) await sweep();

/** Plays what a kind depends on under changed rules, one after another. */
async function sweepOf(kind: Kind, variants: readonly (readonly [name: string, rules: DerivationRules])[]): Promise<void> {
  const part: World = { ...world, captures: world.captures.filter(KINDS[kind].needs) };
  const lines: string[][] = [];
  for (const [name, rules] of variants) {
    const derived: readonly DerivedRow[] = await playWorld(part, rules);
    lines.push([name, ...cells(KINDS[kind].judge(part, derived))]);
  }
  process.stdout.write(`\n${kind}\n`);
  table(['rule', ...HEAD], lines);
}

async function sweep(): Promise<void> {
  const { ipv6Range, hijackedProxy, dialupPool } = DERIVATION_RULES;
  const [l64, l56, l48] = ipv6Range.lengths as readonly [
    (typeof ipv6Range.lengths)[number],
    (typeof ipv6Range.lengths)[number],
    (typeof ipv6Range.lengths)[number],
  ];
  const ranges = (lengths: typeof ipv6Range.lengths): DerivationRules => ({ ...DERIVATION_RULES, ipv6Range: { ...ipv6Range, lengths } });
  await sweepOf('ipv6_range', [
    ...[8, 16, 32, 64, 128].map((addresses) => [`/64 alone, ${addresses} addresses`, ranges([{ ...l64, addresses }])] as const),
    ...[32, 64, 128].map((addresses) => [`/56 alone, ${addresses} addresses`, ranges([{ ...l56, addresses }])] as const),
    ['/56 alone, on access networks too', ranges([{ ...l56, notOnAccess: false }])],
    ['/56 alone, in one part or more', ranges([{ ...l56, parts: { ...l56.parts, count: 1 } }])],
    ...[48, 96, 192].map((addresses) => [`/48 alone, ${addresses} addresses`, ranges([{ ...l48, addresses }])] as const),
    ['/48 alone, on access networks too', ranges([{ ...l48, notOnAccess: false }])],
    ['/48 alone, in one part or more', ranges([{ ...l48, parts: { ...l48.parts, count: 1 } }])],
  ]);
  const hijack = (listedWithinMs: number): DerivationRules => ({ ...DERIVATION_RULES, hijackedProxy: { ...hijackedProxy, listedWithinMs } });
  await sweepOf(
    'hijacked_proxy',
    [1, 3, 6, 12, 24, 72].map((hours) => [`listed within ${hours} h`, hijack(hours * HOUR_MS)] as const),
  );
  const redial = (more: Partial<DerivationRules['dialupPool']>): DerivationRules => ({ ...DERIVATION_RULES, dialupPool: { ...dialupPool, ...more } });
  await sweepOf('dialup_pool', [
    ...[1, 2, 3, 4, 5].map((changes) => [`${changes} changes`, redial({ changes })] as const),
    ...[1, 2, 5, 10, 30].map((minutes) => [`within ${minutes} min`, redial({ gapMs: minutes * MINUTE_MS })] as const),
    ...[1, 2, 3].map((capturesOfStay) => [`${capturesOfStay} captures of a stay`, redial({ capturesOfStay })] as const),
    ...[24, 20, 16, 12].map((bits) => [`one /${bits}`, redial({ prefixBits: { 4: bits, 6: 32 } })] as const),
    ['one hour of captures', redial({ withinMs: DAY_MS / 24 })],
  ]);
}
