/** `pulse enrich` as its users run it: local data, the past, a server, packed files, threads, and being stopped. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = testFolder('enrich');
const env = { PULSE_DATA_DIR: dataDir };
const path = (name: string): string => join(dataDir, name);
const pulse = (args: readonly string[], input = '') => pulseCommand(args, { env, input });

const LINES = ['8.8.8.8', '5.5.5.5', '2001:4860::1', '10.0.0.1', '12.0.0.1', 'host.example', '8.8.8.8'];
const LOG = LINES.map((ip, i) => `${ip} - - [22/Nov/2026:08:00:0${i} +0000] "GET /${i} HTTP/1.1" 200 1 "-" "x"\n`).join(
  '',
);

interface Document {
  readonly risk: { readonly score: number | null };
  readonly evidence_state: string | null;
}

/** The members that enrich adds to one line a address. */
function fieldsOf(ips: readonly string[], ...args: readonly string[]): readonly Document[] {
  const { status, stdout, stderr } = pulse(['enrich', '--output', 'ndjson', ...args], `${ips.join('\n')}\n`);
  assert.equal(status, 0, stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { pulse: Document }).pulse);
}

before(() => {
  writeSyntheticGeo(dataDir);
  const at = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  writeFileSync(path('captures.csv'), `ip,risk_type,captured_at\n5.5.5.5,proxy,${at(1)}\n8.8.8.8,vpn,${at(2000)}\n`);
  const { status, stderr } = pulse([
    'evidence',
    'import',
    path('captures.csv'),
    '--source',
    'own',
    '--since',
    at(3000),
    '--allow-known-good',
  ]);
  assert.equal(status, 0, stderr);
});

describe('from local data', () => {
  test('no address is lost without a word: lists, prose and UTF-16 are read, and a file without addresses is an error', () => {
    const ips = (input: string, ...args: readonly string[]): readonly string[] =>
      [...pulse(['enrich', '--fields', 'ip', ...args, '-'], input).stdout.matchAll(/\t(.*)$/gm)].map(([, ip]) => ip!);
    assert.deepEqual(ips('5.5.5.5,8.8.8.8 2001:4860::1\n'), ['5.5.5.5', '8.8.8.8', '2001:4860::1']);
    assert.deepEqual(ips('seen: hxxp://5[.]5[.]5[.]5/x via 10.0.0.1\n'), ['5.5.5.5']);
    assert.deepEqual(ips('for 10.0.0.1, 5.5.5.5, 8.8.8.8\n', '--which', 'last'), ['8.8.8.8']);
    writeFileSync(path('utf16.csv'), Buffer.from('\uFEFFip,x\n5.5.5.5,1\n', 'utf16le'));
    assert.match(pulse(['enrich', '--fields', 'ip', path('utf16.csv')]).stdout, /^5\.5\.5\.5,1,5\.5\.5\.5$/m);
    const table = '\u5730\u5740\u540d,ip\n\u7532,5.5.5.5\n\u4e59,8.8.8.8\n';
    for (const [name, bytes] of [
      ['UTF-16 without a mark', Buffer.from(table, 'utf16le')],
      ['big-endian', Buffer.from(table, 'utf16le').swap16()],
      ['CR alone', Buffer.from(table.replaceAll('\n', '\r'))],
      ['CR alone and no last one', Buffer.from(table.trimEnd().replaceAll('\n', '\r'))],
    ] as const) {
      writeFileSync(path('table.csv'), bytes);
      const { stdout } = pulse(['enrich', '--fields', 'ip', path('table.csv')]);
      assert.match(stdout, /^\u7532,5\.5\.5\.5,5\.5\.5\.5\n\u4e59,8\.8\.8\.8,8\.8\.8\.8\n?$/m, name);
      assert.match(pulse(['summarize', '--json', path('table.csv')]).stdout, /"total":2[,}]/, name);
      assert.match(pulse(['lookup', path('table.csv')]).stdout, /"5\.5\.5\.5"[\s\S]*"8\.8\.8\.8"/, name);
    }
    // A CR inside of a line of an ordinary log is a character of it.
    assert.deepEqual(ips('5.5.5.5 a\rb\n8.8.8.8 c\n'), ['5.5.5.5', '8.8.8.8']);
    const noted = pulse(['enrich', '-'], LOG.replaceAll('"x"', '"x" "9.9.9.9"'));
    assert.match(noted.stderr, /read 1 \(.*\); also there: 10 \(9\.9\.9\.9\); choose with --field 10, or --which/);
    const counted = pulse(['enrich', '--json', '-'], '{"gateway":"8.8.8.8","ip":"5.5.5.5"}\n');
    const doubt = [
      { taken: { name: 'ip', example: '5.5.5.5' }, others: [{ name: 'gateway', example: '8.8.8.8' }], lines: 1 },
    ];
    assert.deepEqual(JSON.parse(counted.stderr.trim()).doubt, doubt);
    assert.match(counted.stdout, /"pulse":\{"ip":"5\.5\.5\.5"/);

    writeFileSync(path('kept.txt'), 'kept');
    const half = '5.5.5.5\nno\nno\n';
    for (const [input, ...args] of [
      ['10.0.0.1\n10.0.0.2\n', '--allow-partial'],
      ['a\nb\n'],
      ['a\nb\n', '--allow-partial'],
      [half, '--format', 'lines'],
    ] as const) {
      const { status, stderr } = pulse(['enrich', '-', '--out', path('kept.txt'), ...args], input);
      assert.equal(status, 1, input);
      assert.match(stderr, /address.*--format/, input);
      assert.equal(pulse(['summarize', '-', ...args], input).status, 1);
    }
    assert.equal(readFileSync(path('kept.txt'), 'utf8'), 'kept');
    assert.equal(pulse(['enrich', '-', '--format', 'lines', '--allow-partial'], half).status, 0);
  });

  test('each line of a log gets the fields of its lookup; a line without an address stays and is counted', () => {
    const { status, stdout, stderr } = pulse(
      ['enrich', '--json', '--fields', 'risk.score,evidence_state,network.asn,geo.country'],
      LOG,
    );
    assert.equal(status, 0, stderr);
    const added = stdout.split('\n').map((line, i) => line.slice(LOG.split('\n')[i]!.length));
    assert.match(added[1]!, /^ "\d+" "active" "-" "DE"$/);
    assert.deepEqual(added.toSpliced(1, 1), [
      ' "0" "stale" "15169" "US"',
      ' "0" "none" "15169" "US"',
      ' "-" "-" "-" "-"',
      ' "-" "-" "-" "-"',
      '',
      ' "0" "stale" "15169" "US"',
      '',
    ]);
    const summary = JSON.parse(stderr) as Record<string, unknown>;
    assert.deepEqual(
      [
        summary['records'],
        summary['enriched'],
        summary['without_verdict'],
        summary['without_address'],
        summary['format'],
      ],
      [7, 4, 2, 1, 'combined'],
    );
  });

  test('network.as_name is the registered name, in no document of a lookup and not asked of a service', () => {
    const [named, unnamed] = fieldsOf(['8.8.8.8', '9.9.9.9'], '--fields', 'network.as_name');
    assert.deepEqual([named, unnamed], [{ network: { as_name: 'Google LLC' } }, { network: { as_name: null } }]);
    assert.doesNotMatch(pulse(['lookup', '8.8.8.8', '--professional']).stdout, /Google/);
    const { status, stderr } = pulse(['enrich', '-', '--server', 'http://127.0.0.1:9', '--fields', 'network.as_name']);
    assert.deepEqual([status, /local data alone/.test(stderr)], [2, true]);
  });

  test('the fields are those of pulse lookup', () => {
    for (const ip of ['8.8.8.8', '5.5.5.5', '2001:4860::1']) {
      const looked = JSON.parse(pulse(['lookup', ip, '--professional']).stdout) as Record<string, unknown>;
      const [added] = fieldsOf(
        [ip],
        '--fields',
        'ip,risk.level,evidence_state,share_tier,evidence.risk_type,geo.country,meta.data_version.risk',
      );
      const { evidence, risk, geo, meta } = looked as {
        evidence: { risk_type: string }[];
        risk: { level: string };
        geo: { country: string };
        meta: object;
      };
      assert.deepEqual(added, {
        ip: looked['ip'],
        risk: { level: risk.level },
        evidence_state: looked['evidence_state'],
        share_tier: looked['share_tier'],
        evidence: { risk_type: evidence.map(({ risk_type }) => risk_type) },
        geo: { country: geo.country },
        meta: { data_version: { risk: (meta as { data_version: { risk: string } }).data_version.risk } },
      });
    }
  });

  test('of the past the fields are those of that moment, and IPv6 has none', () => {
    const past = new Date(Date.now() - 30 * 60_000).toISOString();
    const before = new Date(Date.now() - 2 * 3_600_000).toISOString();
    assert.deepEqual(fieldsOf(['5.5.5.5', '2001:4860::1'], '--at', past, '--fields', 'evidence_state,error.code'), [
      { evidence_state: 'active', error: { code: null } },
      { evidence_state: null, error: { code: 'history_no_ipv6' } },
    ]);
    assert.equal(fieldsOf(['5.5.5.5'], '--at', before)[0]!.evidence_state, 'none');
    assert.match(
      pulse(['enrich', '--at', '2001-01-01T00:00:00Z'], '5.5.5.5\n').stderr,
      /at_out_of_window.*window_from/,
    );
    assert.match(pulse(['enrich', '--at', '2999-01-01T00:00:00Z'], '5.5.5.5\n').stderr, /invalid_time/);
  });

  test('files are read packed or not and written packed or not, and threads change no byte', () => {
    const big = LOG.repeat(8000);
    writeFileSync(path('a.log'), big);
    writeFileSync(path('a.log.gz'), gzipSync(big));
    // Two frames, as a file has that was packed in parts.
    writeFileSync(
      path('a.log.zst'),
      Buffer.concat([zstdCompressSync(big.slice(0, 1000)), zstdCompressSync(big.slice(1000))]),
    );
    const runs = [
      ['a.log', 'one.log', '1'],
      ['a.log', 'two.log', '2'],
      ['a.log.gz', 'three.log.gz', '2'],
      ['a.log.zst', 'four.log.zst', '1'],
    ] as const;
    const outputs = runs.map(([from, to, jobs]) => {
      const { status, stderr } = pulse(['enrich', path(from), '--out', path(to), '--jobs', jobs]);
      assert.equal(status, 0, stderr);
      const bytes = readFileSync(path(to));
      return to.endsWith('.gz') ? gunzipSync(bytes) : to.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes;
    });
    assert.equal(outputs[0]!.subarray(0, LOG.indexOf('\n')).toString(), LOG.split('\n')[0]);
    for (const output of outputs.slice(1)) assert.equal(output.equals(outputs[0]!), true);
    assert.ok(!readdirSync(dataDir).some((name) => name.endsWith('.part')));
  });

  test('a file that is cut off, or whose layout is not clear, leaves the old output as it was', () => {
    writeFileSync(path('kept.log'), 'old');
    writeFileSync(path('cut.gz'), gzipSync(LOG.repeat(1000)).subarray(0, 300));
    const failures = [
      pulse(['enrich', path('cut.gz'), '--out', path('kept.log')]),
      pulse(['enrich', '--out', path('kept.log')], 'only words\n'),
      pulse(['enrich', path('missing.log'), '--out', path('kept.log')]),
    ];
    const statuses = failures.map(({ status }) => status);
    assert.deepEqual(statuses, [1, 1, 1]);
    assert.match(failures[1]!.stderr, /--format/);
    assert.equal(readFileSync(path('kept.log'), 'utf8'), 'old');
    assert.ok(!readdirSync(dataDir).some((name) => name.endsWith('.part')));
  });

  test('an empty file is enriched to an empty file', () => {
    assert.deepEqual(
      [pulse(['enrich', '--out', path('empty.log')]).status, readFileSync(path('empty.log'), 'utf8')],
      [0, ''],
    );
  });

  test('a field that does not exist is wrong usage', () => {
    assert.equal(pulse(['enrich', '--fields', 'risk.points']).status, 2);
    assert.equal(pulse(['enrich', '--key-file', 'x']).status, 2);
  });
});

test('one that is stopped leaves no half file, though its input never ends', async () => {
  const child = spawn(process.execPath, [MAIN, 'enrich', '--out', path('stopped.log')], {
    env: { ...pulseEnvironment, ...env, PULSE_FEEDS: 'off' },
  });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += String(text)));
  // It ends before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.write(LOG.repeat(8000));
  await eventually(() => readdirSync(dataDir).some((name) => name.startsWith('.stopped.log')));
  child.kill('SIGINT');
  const [status] = (await once(child, 'exit')) as [number];
  assert.equal(status, 130, stderr);
  assert.match(stderr, /stopped/);
  assert.ok(!readdirSync(dataDir).some((name) => name.includes('stopped.log')));
});

describe('from a server', () => {
  let server: ServeProcess;
  before(async () => {
    server = await serveProcess({ dataDir });
  });
  after(() => server.kill());

  const made = (...args: readonly string[]): Record<string, string> => {
    const { status, stdout, stderr } = pulse([...args, '--json']);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const keyFile = (plan: string, ...more: readonly string[]): string => {
    const { account_id: id } = made('account', 'create', '--email', `${plan}@example.com`, '--plan', plan, ...more);
    writeFileSync(path(`${plan}.key`), `${made('key', 'create', '--account', id!, '--name', 'bulk')['key']}\n`);
    return path(`${plan}.key`);
  };
  const FIELDS = ['--fields', 'risk.score,risk.signals,evidence_state,network.asn,geo.country,error.code'];
  const IPS = LINES.filter((ip) => ip !== 'host.example');

  test('the fields are those of local data, with any key and without one', async () => {
    const local = fieldsOf(IPS, ...FIELDS);
    await eventually(() => fieldsOf(['5.5.5.5'], '--server', server.base)[0]!.evidence_state === 'active');
    for (const more of [[], ['--key-file', keyFile('free')], ['--key-file', keyFile('professional', '--dpa')]])
      assert.deepEqual(fieldsOf(IPS, ...FIELDS, '--server', server.base, ...more), local);
  });

  test('professional fields and the past need the tier', () => {
    const professional = path('professional.key');
    const [added] = fieldsOf(
      ['5.5.5.5'],
      '--fields',
      'share_tier',
      '--server',
      server.base,
      '--key-file',
      professional,
    ) as unknown as [{ share_tier: string }];
    assert.match(added.share_tier, /^T\d$/);
    const past = new Date(Date.now() - 2 * 3_600_000).toISOString();
    assert.equal(
      fieldsOf(['5.5.5.5'], '--at', past, '--server', server.base, '--key-file', professional)[0]!.evidence_state,
      'none',
    );
    const refused = pulse(
      ['enrich', '--fields', 'share_tier', '--server', server.base, '--key-file', path('free.key')],
      '5.5.5.5\n',
    );
    assert.match(refused.stderr, /professional_required/);
    assert.equal(refused.status, 1);
  });
});
