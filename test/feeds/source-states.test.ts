/** `pulse feeds list` and the public status about sources is what the rule, the catalogue and docs/feeds.md say. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { readDocsPage } from '../../src/adapters/feeds/feeds-page.ts';
import { openFeedStates, readFeedNotes } from '../../src/adapters/feeds/open-feeds.ts';
import { loadConfig } from '../../src/config.ts';
import type { ConsoleFeed } from '../../src/contract/console.ts';
import { said } from '../../src/core/texts/said.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import { describeSources } from '../../src/main/app/describe-feeds.ts';
import { openFeedAdmin } from '../../src/main/app/open-feed-admin.ts';
import { isOnSchedule } from '../../src/service/feeds/feed-health.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('source-states');
const env = { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'auto' };
const now = unixMs(Date.now());
const { states, switches } = openFeedStates({ dataDir });
const evidence = CATALOGUE.filter((feed) => isOnSchedule(feed) && feed.effect.kind === 'risk');
/** Read a minute ago. @param age of its content */
const readAs = (id: string, age: number, more: object = {}): void => {
  const at = unixMs(now - 60_000);
  states.put(id, {
    failures: 0,
    rows: 7,
    refused: {},
    lastAttemptAt: at,
    lastSuccessAt: at,
    lastRunAt: unixMs(now - age),
    ...more,
  });
};
for (const { id } of evidence) readAs(id, 0);
const [late, retired, failing, off, never, lateAndFailing] = [
  'iplocate-proxies',
  'x4bnet-vpn-4',
  'windscribe',
  'greensnow',
  'protonvpn',
  'threatfox',
] as const;
readAs(late, 3 * DAY_MS);
readAs(retired, 324 * DAY_MS);
readAs(failing, 0, { failures: 2, error: said('status {status}', { status: 500 }), lastErrorAt: now });
readAs(lateAndFailing, 20 * DAY_MS, { failures: 9, error: said('status {status}', { status: 404 }), lastErrorAt: now });
switches.set(off, 'off');
states.put(never, { failures: 0, rows: 0, refused: {} });
const hoursOf = (id: string): number => CATALOGUE.find((feed) => feed.id === id)!.maxAgeHours;

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly since?: string;
  readonly left_out_because?: string;
}

const listed = () => JSON.parse(pulseCommand(['feeds', 'list', '--json'], { env }).stdout) as Listed[];

test('`pulse feeds list` says of each source its role in verdicts, since when and why, and how many are missing', () => {
  const { stdout, stderr } = pulseCommand(['feeds', 'list'], { env });
  // The state comes last: a space behind it makes each end alike.
  const lineOf = (id: string): string => `${stdout.split('\n').find((line) => line.startsWith(`${id} `))}  `;
  const day = (age: number, length: number) => new Date(now - age).toISOString().slice(0, length).replace('T', ' ');
  assert.match(lineOf(late), new RegExp(`  late since ${day(3 * DAY_MS - hoursOf(late) * HOUR_MS, 16)}  `));
  assert.match(
    lineOf(retired),
    new RegExp(`  retired since ${day(324 * DAY_MS - Math.max(30 * DAY_MS, 10 * hoursOf(retired) * HOUR_MS), 10)}  `),
  );
  assert.match(lineOf(failing), / {2}failing: status 500 {2}/);
  assert.match(lineOf(lateAndFailing), / {2}late since [-: \d]+; failing: status 404 {2}/);
  assert.match(lineOf(off), / {2}off {2}/);
  assert.match(lineOf(never), / never +- .* never read /);
  assert.match(lineOf('openproxydb'), / {2}left out: no version since May 2026 is known/);
  assert.match(stderr, new RegExp(`^3 of ${evidence.length - 2} sources of evidence late or missing, the longest since ${day(20 * DAY_MS - hoursOf(lateAndFailing) * HOUR_MS, 16)}; 1 retired$`, 'm')); // biome-ignore format: one sentence
  const rows = new Map(listed().map((row) => [row.id, row]));
  assert.deepEqual(
    [late, retired, failing, off, never].map((id) => rows.get(id)!.state),
    ['late', 'retired', 'current', 'off', 'never_read'],
  );
  assert.match(pulseCommand(['feeds', 'show', retired], { env }).stdout, /^state +retired$/m);
});

test('list, operator page and docs/feeds.md leave out the same sources for the same reasons, and agree when one is late and retired', async () => {
  const page = readDocsPage(resolve(import.meta.dirname, '../../docs/feeds.md')).split('## Sources')[1]!;
  const table = page.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim())); // biome-ignore format: one pipe
  const head = table[0]!;
  const cell = (row: readonly string[], name: string): string => row[head.indexOf(name)] ?? '';
  const refuse = async () => ({ status: 'none' }) as const;
  const config = loadConfig({ PULSE_DATA_DIR: dataDir }, 1);
  const deskAt = (at: UnixMs) =>
    openFeedAdmin({ config, clock: { now: () => at }, refreshFeed: () => {}, acceptReading: refuse });
  const shown = new Map<string, ConsoleFeed>((await deskAt(now).list()).map((feed) => [feed.id, feed]));
  const rows = new Map(listed().map((row) => [row.id, row]));
  for (const row of table.slice(2)) {
    const id = cell(row, 'id').replaceAll('`', '');
    const reason = /^left out: (.*)$/.exec(cell(row, 'read every'))?.[1];
    assert.deepEqual([rows.get(id)!.left_out_because, shown.get(id)!.left_out_because], [reason, reason], id);
    assert.deepEqual([rows.get(id)!.state, rows.get(id)!.since], [shown.get(id)!.state, shown.get(id)!.since], id);
    assert.equal(rows.get(id)!.state === 'left_out', reason !== undefined, id);
  }
  // The page's column, and its rule that a source is retired at 30 days or ten times the bound, are when the status changes.
  const span = (text: string): number => Number(/^[\d.]+/.exec(text)![0]) * (text.endsWith(' h') ? HOUR_MS : DAY_MS);
  const notes = readFeedNotes({ dataDir });
  for (const { id } of evidence) {
    if ([off, never].some((other) => other === id)) continue;
    const row = table.find((cells) => cell(cells, 'id') === `\`${id}\``)!;
    const lateAfter = span(cell(row, 'late after'));
    const retiredAfter = Math.max(30 * DAY_MS, 10 * lateAfter);
    const stateAt = (age: number): string => {
      const at = unixMs(now + age);
      const read = new Map(notes.states);
      for (const other of evidence)
        read.set(other.id, { ...read.get(other.id)!, lastSuccessAt: at, lastRunAt: other.id === id ? now : at });
      return describeSources(config, { ...notes, states: read }, at).find((source) => source.id === id)!.state;
    };
    assert.deepEqual(
      [stateAt(lateAfter), stateAt(lateAfter + 1), stateAt(retiredAfter - 1), stateAt(retiredAfter)],
      ['current', 'late', 'late', 'retired'],
      id,
    );
  }
});
