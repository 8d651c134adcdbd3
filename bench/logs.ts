/**
 * Counts the lines of foreign log files whose client is read rightly, wrongly, or not at all, against
 * what their own tests say. Nothing is fetched.
 *
 *   node bench/logs.ts FOLDER… [--each] [--failures N]
 *
 * In a FOLDER, at any depth: `NAME.log` with `NAME.expected` next to it (an address or `-` for each line),
 * and the tests of public collections: `NAME.log-expected.json` of Elastic, `tests/*.json` with
 * `input.message` and `expected.source.ip` of SEKOIA.IO, `# failJSON:` lines of fail2ban, `parser.assert` of
 * CrowdSec (which says who must be found, and not where), CloudTrail files. `--each` reads every line as a
 * file of its own. Refused files count as none.
 */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAddress } from '../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../src/core/ip/parse-address.ts';
import { detectLayout, SAMPLE_BYTES } from '../src/core/logs/detect-layout.ts';
import { LineBlocks } from '../src/core/logs/line-blocks.ts';
import { makeLineReader } from '../src/core/logs/make-line-reader.ts';
import { Fault } from '../src/core/texts/said.ts';
import { unixMs } from '../src/core/units.ts';
import { table } from './peers/measure.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { each: { type: 'boolean', default: false }, failures: { type: 'string', default: '0' } },
});

interface Line {
  readonly text: string;
  /** Undefined: the test does not say. */
  readonly client: string | undefined;
}

interface Case {
  readonly collection: string;
  readonly name: string;
  readonly lines: readonly Line[];
  /** Found anywhere in the file, where the test names no lines. */
  readonly anywhere?: readonly string[];
}

interface Tally {
  files: number;
  lines: number;
  right: number;
  wrong: number;
  none: number;
}

const canonical = (text: unknown): string | undefined => {
  const address = typeof text === 'string' ? parseAnyAddress(text) : undefined;
  return address && formatAddress(address);
};
const linesOf = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** One line of a message: JSON without line ends between its members, else a blank for each line end. */
function onOneLine(message: string): string {
  try {
    return JSON.stringify(JSON.parse(message));
  } catch {
    return message.trim().replace(/\s*\r?\n\s*/g, ' ');
  }
}

type Source = { readonly source?: { readonly ip?: unknown } };
type Sekoia = { readonly input?: { readonly message?: string }; readonly expected?: Source };

/** Every form in which a folder says what is right. */
const FORMS: readonly { readonly glob: string; readonly read: (path: string) => Case | undefined }[] = [
  {
    glob: '**/*.expected',
    read: (path) => {
      const clients = linesOf(readFileSync(path, 'utf8'));
      const log = path.replace(/\.expected$/, '.log');
      if (!existsSync(log)) return undefined;
      const texts = linesOf(readFileSync(log, 'utf8'));
      return {
        collection: 'own',
        name: path,
        lines: texts.map((text, i) => ({ text, client: canonical(clients[i]) })),
      };
    },
  },
  {
    glob: '**/*.log-expected.json',
    read: (path) => {
      const { expected } = json(path) as { readonly expected: readonly (Source | null)[] };
      const texts = linesOf(readFileSync(path.replace(/-expected\.json$/, ''), 'utf8'));
      if (texts.length !== expected.length) return undefined;
      const lines = texts.map((text, i) => ({ text, client: canonical(expected[i]?.source?.ip) }));
      return { collection: 'elastic', name: path, lines };
    },
  },
  {
    glob: '**/tests',
    read: (path) => {
      const lines = globSync(join(path, '*.json'))
        .toSorted()
        .flatMap((file): Line[] => {
          const { input, expected } = json(file) as Sekoia;
          if (input?.message === undefined) return [];
          return [{ text: onOneLine(input.message), client: canonical(expected?.source?.ip) }];
        });
      return { collection: 'sekoia', name: path, lines };
    },
  },
  {
    glob: '**/files/logs/**/*',
    read: (path) => {
      const lines: Line[] = [];
      let stated: Record<string, unknown> | undefined;
      for (const line of linesOf(readFileSync(path, 'utf8'))) {
        if (!line.startsWith('#'))
          lines.push({ text: line, client: stated?.['match'] === true ? canonical(stated['host']) : undefined });
        stated = /^# failJSON: /.test(line) ? (JSON.parse(line.slice(12)) as Record<string, unknown>) : undefined;
      }
      return { collection: 'fail2ban', name: path, lines };
    },
  },
  {
    glob: '**/parser.assert',
    read: (path) => {
      const [log] = globSync(join(dirname(path), '*.log'));
      const stated = [...readFileSync(path, 'utf8').matchAll(/Meta\["source_ip"\] == "([^"]+)"/g)];
      const anywhere = [...new Set(stated.flatMap(([, ip]) => canonical(ip) ?? []))];
      if (log === undefined || anywhere.length === 0) return undefined;
      const lines = linesOf(readFileSync(log, 'utf8')).map((text) => ({ text, client: undefined }));
      return { collection: 'crowdsec', name: path, lines, anywhere };
    },
  },
  {
    glob: '**/*CloudTrail*.json',
    read: (path) => {
      const { Records: records } = json(path) as { readonly Records: readonly Record<string, unknown>[] };
      const clients = records.map((record) => canonical(record['sourceIPAddress']));
      const text = readFileSync(path, 'utf8').trim();
      return {
        collection: 'cloudtrail',
        name: path,
        lines: clients.map((client, i) => ({ text: i === 0 ? text : '', client })),
      };
    },
  },
];

/** Addresses of the records of a file; undefined where it is refused. */
function addressesOf(text: string): readonly (string | undefined)[] | string {
  const bytes = new TextEncoder().encode(text);
  const layout = detectLayout(bytes.subarray(0, 4 * SAMPLE_BYTES), { now: unixMs(Date.now()) });
  if (layout instanceof Fault) return layout.message;
  const blocks = new LineBlocks(layout);
  const reader = makeLineReader(layout);
  const found: (string | undefined)[] = [];
  let isFirst = layout.header !== undefined;
  for (const block of [blocks.push(bytes), blocks.end()])
    for (let from = 0; block !== undefined && from < block.length; ) {
      from = reader.read(block, from);
      if (isFirst) isFirst = false;
      else if (reader.hasAddress) found.push(formatAddress(reader.address));
      else found.push(undefined);
    }
  if (layout.header !== undefined) found.unshift(undefined);
  return found;
}

const tallies = new Map<string, Tally>();
let failures = Number(values.failures);
function fail(kind: string, { name }: Case, wanted: string, got: string | undefined, text: string): void {
  if (failures-- > 0)
    console.log(
      `${kind} ${basename(dirname(name))}/${basename(name)}: wanted ${wanted}, read ${got}\n    ${text.slice(0, 600)}`,
    );
}

function count(one: Case): void {
  const tally = tallies.get(one.collection) ?? { files: 0, lines: 0, right: 0, wrong: 0, none: 0 };
  tallies.set(one.collection, tally);
  if (one.anywhere === undefined && one.lines.every(({ client }) => client === undefined)) return;
  tally.files++;
  const read = addressesOf(one.lines.map(({ text }) => text).join('\n'));
  const found = typeof read === 'string' ? [] : read;
  for (const client of one.anywhere ?? []) {
    tally.lines++;
    if (found.includes(client)) tally.right++;
    else {
      tally.none++;
      fail(
        'none',
        one,
        client,
        String(typeof read === 'string' ? read : [...new Set(found)].slice(0, 5)),
        one.lines[0]!.text,
      );
    }
  }
  for (const [i, { client, text }] of one.lines.entries()) {
    if (client === undefined) continue;
    tally.lines++;
    const got = values.each ? firstOf(addressesOf(text)) : found[i];
    if (got === client) tally.right++;
    else if (got === undefined) {
      tally.none++;
      fail('none', one, client, typeof read === 'string' ? read : got, text);
    } else {
      tally.wrong++;
      fail('WRONG', one, client, got, text);
    }
  }
}
const firstOf = (read: readonly (string | undefined)[] | string): string | undefined =>
  typeof read === 'string' ? undefined : read.find((address) => address !== undefined);

for (const folder of positionals)
  for (const { glob, read } of FORMS)
    for (const path of globSync(join(folder, glob)).toSorted()) {
      let one: Case | undefined;
      try {
        one = read(path);
      } catch (error) {
        console.log(`${path}: ${String(error)}`);
        continue;
      }
      if (one !== undefined) count(one);
    }
const share = (part: number, { lines }: Tally): string => `${((100 * part) / Math.max(1, lines)).toFixed(1)} %`;
table(
  ['collection', 'files', 'lines with a known client', 'right', 'wrong', 'none'],
  [...tallies].map(([name, tally]) => [
    name,
    String(tally.files),
    String(tally.lines),
    `${tally.right} (${share(tally.right, tally)})`,
    String(tally.wrong),
    `${tally.none} (${share(tally.none, tally)})`,
  ]),
);
