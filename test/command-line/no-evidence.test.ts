/** A command that reads makes no data folder and builds none. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';

import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('no-evidence');
const log = join(folder, 'access.log');
const absent = join(folder, 'absent');
const emptied = join(folder, 'empty');
const placed = join(folder, 'placed');
const run = (args: readonly string[], dataDir: string) =>
  pulseCommand(args, { env: { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' }, input: '' });

const READERS: Readonly<Record<string, readonly string[]>> = {
  lookup: ['lookup', '8.8.8.8'],
  'an address alone': ['8.8.8.8'],
  'lookup --explain': ['lookup', '8.8.8.8', '--explain'],
  'lookup --at': ['lookup', '8.8.8.8', '--at', '2026-01-01T00:00:00Z'],
  enrich: ['enrich', log],
  'enrich --at': ['enrich', log, '--at', '2026-01-01T00:00:00Z'],
  'enrich --report': ['enrich', log, '--report', join(folder, 'report.html')],
  summarize: ['summarize', log],
  'summarize --html': ['summarize', log, '--html', join(folder, 'report.html')],
  mcp: ['mcp'],
  export: ['export', '--format', 'nft', '--out', join(folder, 'block.nft')],
};

before(() => {
  writeFileSync(log, '8.8.8.8 - - [22/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "x"\n');
  mkdirSync(emptied);
  writeSyntheticGeo(placed);
});

describe('where there is no evidence, a command that reads', () => {
  for (const [name, args] of Object.entries(READERS))
    test(`${name}: names the folder and the next step with status 1, and makes nothing`, () => {
      covers('CLI-READS');
      for (const dataDir of [absent, emptied, placed]) {
        const held = existsSync(dataDir) ? readdirSync(dataDir) : undefined;
        const { status, stdout, stderr } = run(args, dataDir);
        assert.deepEqual([status, stdout], [1, ''], dataDir);
        assert.ok(stderr.includes(`no evidence in ${dataDir}`), stderr);
        assert.match(stderr, /PULSE_DATA_DIR.*npm start/);
        assert.equal(
          stderr.includes('--place-only'),
          !['export', 'mcp'].includes(args[0]!),
          'only a command that has the option names it',
        );
        assert.deepEqual(existsSync(dataDir) ? readdirSync(dataDir) : undefined, held);
      }
      assert.deepEqual(readdirSync(folder).sort(), ['access.log', 'empty', 'placed']);
    });
});

test('myip, which lacks --place-only, names the folder too, and makes nothing', () => {
  covers('CLI-READS');
  const interfaces = join(testFolder('interfaces'), 'interfaces.mjs');
  writeFileSync(
    interfaces,
    `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.networkInterfaces = () => ({ eth0: [{ address: '8.8.8.8' }, { address: '10.0.0.1' }] });
syncBuiltinESMExports();`,
  );
  const myip = (dataDir: string) =>
    pulseProcess(['myip'], { env: { PULSE_DATA_DIR: dataDir, NODE_OPTIONS: `--import=${interfaces}` } });
  const { status, stdout, stderr } = myip(absent);
  assert.deepEqual([status, stdout, existsSync(absent)], [1, '', false]);
  assert.ok(stderr.includes(`no evidence in ${absent}`), stderr);
  assert.doesNotMatch(stderr, /place-only/);
  const held = testFolder('myip');
  writeSyntheticGeo(held);
  writeEmptyEvidence(held);
  const found = myip(held);
  assert.equal(found.status, 0, found.stderr);
  assert.match(found.stdout, /"ip": ?"8\.8\.8\.8"/);
  assert.doesNotMatch(found.stdout, /10\.0\.0\.1/);
});

test('--place-only goes on with place and network, says nothing about risk, and writes nothing into the folder', () => {
  const held = readdirSync(placed);
  const looked = run(['lookup', '8.8.8.8', '--place-only'], placed);
  assert.equal(looked.status, 0, looked.stderr);
  const { ip, geo, ...rest } = JSON.parse(looked.stdout) as { ip: string; geo: { country: string }; network?: object };
  assert.deepEqual([ip, geo.country], ['8.8.8.8', 'US']);
  assert.deepEqual(
    Object.keys(rest).filter((key) => key !== 'network'),
    [],
  );
  const enriched = run(['enrich', log, '--place-only', '--output', 'ndjson'], placed);
  assert.equal(enriched.status, 0, enriched.stderr);
  assert.match(enriched.stdout, /"country":"US"/);
  assert.doesNotMatch(enriched.stdout, /"risk"|evidence_state/);
  const summarized = run(['summarize', log, '--place-only'], placed);
  assert.equal(summarized.status, 0, summarized.stderr);
  assert.match(summarized.stderr, /without evidence/);
  assert.deepEqual(readdirSync(placed), held);
  assert.equal(run(['enrich', log, '--place-only', '--fields', 'risk.score'], placed).status, 2);
  assert.equal(run(['lookup', '8.8.8.8', '--place-only', '--explain'], placed).status, 2);
});

test('a folder where a file is asked for is named before anything is made', () => {
  for (const args of [
    ['evidence', 'import', emptied, '--source', 'own', '--risk-type', 'proxy'],
    ['summarize', emptied, '--place-only'],
  ]) {
    const { status, stderr } = run(args, absent);
    assert.deepEqual([status, existsSync(absent)], [1, false], stderr);
    assert.match(stderr, new RegExp(`pulse: ${emptied} is a folder`));
  }
});

test('a word that is not an address ends no lookup of the others: it is named, with status 1', () => {
  const { status, stdout, stderr } = run(['lookup', '8.8.8.8', 'nonsense', '2001:4860::1', '--place-only'], placed);
  assert.equal(status, 1);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { ip: string }).ip),
    ['8.8.8.8', '2001:4860::1'],
  );
  assert.match(stderr, /not an address: nonsense/);
  const unreadable = run(['lookup', '8.8.8.8', emptied, '2001:4860::1', '--place-only'], placed);
  assert.deepEqual([unreadable.status, unreadable.stdout.trim().split('\n').length], [1, 2], 'nor does a folder');
  assert.match(unreadable.stderr, new RegExp(`${emptied} is a folder`));
});
