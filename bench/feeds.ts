/** Parse rate of list formats, lines a second on one core. `node bench/feeds.ts` prints a markdown table; the peer is the split-and-match idiom. */
import { performance } from 'node:perf_hooks';
import type { FeedFormat } from '../src/core/feeds/feed.ts';
import { parseFeed } from '../src/core/feeds/parse-feed.ts';
import { median } from './peers/measure.ts';

const LINES = 1_000_000;
const ROUNDS = 5;

/** Deterministic distinct public-looking IPv4 addresses. */
const address = (i: number): string => {
  const mixed = Math.imul(i, 0x9e3779b1) >>> 0;
  return `${20 + ((mixed >>> 24) % 60)}.${(mixed >>> 16) & 255}.${(mixed >>> 8) & 255}.${mixed & 255}`;
};
const text = (line: (i: number) => string): Uint8Array =>
  new TextEncoder().encode(Array.from({ length: LINES }, (_, i) => line(i)).join('\n'));

/** The usual way: strings, split, a pattern, objects in a Set. */
function splitAndMatch(bytes: Uint8Array): number {
  const seen = new Set<string>();
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})/.exec(line.trim());
    if (match?.slice(1).every((octet) => Number(octet) < 256)) seen.add(match[0]);
  }
  return seen.size;
}

const cases: readonly (readonly [string, Uint8Array, FeedFormat])[] = [
  ['plain addresses', text(address), { kind: 'lines' }],
  ['prefixes with comments', text((i) => `${address(i)}/32 # seen`), { kind: 'lines' }],
  ['scheme://ip:port', text((i) => `http://${address(i)}:8080`), { kind: 'lines', ports: true }],
  [
    'CSV with times',
    text((i) => `${address(i)},x,2026-08-22T10:00:00Z`),
    { kind: 'csv', header: false, ip: 0, time: 2 },
  ],
];

const results = new Map<string, number[]>();
const time = (name: string, work: () => number): void => {
  const start = performance.now();
  if (work() < LINES * 0.9) throw new Error(`${name} lost rows`);
  results.set(name, [...(results.get(name) ?? []), performance.now() - start]);
};
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, bytes, format] of cases)
    time(name, () => parseFeed(bytes, format, { riskType: 'proxy' }).batch.length);
  time('split and match, plain addresses', () => splitAndMatch(cases[0]![1]));
}
const peer = median(results.get('split and match, plain addresses')!);
process.stdout.write(
  '| input (1 M lines, duplicates dropped) | M lines/s | against split and match |\n|---|---|---|\n',
);
for (const [name, times] of results) {
  const ms = median(times);
  process.stdout.write(`| ${name} | ${(LINES / ms / 1000).toFixed(1)} | ${(peer / ms).toFixed(1)}× |\n`);
}
