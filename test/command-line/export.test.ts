/**
 * Files of `pulse export` in the programs they are for, over one data folder that a server answers from: each program must do with an address as a lookup says
 * of it at the same moment. Programs of Debian are installed where they are missing; a test that needs a network namespace of its own is skipped where none may be made.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Reader } from 'mmdb-lib';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import type { RiskType } from '../../src/contract/risk.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { unixMs } from '../../src/core/units.ts';
import { ExportImages } from '../../src/main/bulk/export-images.ts';
import { VerdictFile } from '../../src/main/bulk/verdict-file.ts';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { freePort } from '../support/free-port.ts';
import { install } from '../support/install.ts';
import { pulseOver, seenByThreads } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS, pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { verifyMmdb } from '../support/verify-mmdb.ts';

const DAY = 86_400_000;
const folder = testFolder('export');
let server: ServeProcess;

interface Body {
  readonly risk: { readonly score: number; readonly level: string; readonly signals?: readonly string[] };
  readonly evidence_state: string;
  readonly network?: object;
}

/** Captures three days old: such a score stays the same for hours. */
const CAPTURES: readonly (readonly [prefix: string, type: RiskType, days: number, source: string])[] = [
  ['8.8.8.8', 'proxy', 3, 'own'],
  ['5.5.5.0/24', 'vpn', 1, 'own'],
  ['5.5.5.7', 'hijacked_proxy', 3, 'own'],
  ['1.2.0.0/20', 'proxy', 3, 'own'],
  ['1.2.3.4', 'proxy', 3, 'own'],
  ['1.2.3.5', 'proxy', 3, 'own'],
  ['11.0.0.9', 'dialup_pool', 20, 'own'],
  ['2001:4860::1', 'vpn', 1, 'own'],
  ['2001:4860:1::/64', 'cloud_phone', 3, 'own'],
  ['9.9.9.9', 'osint', 1, 'greensnow'],
  ['1.2.3.4', 'osint', 1, 'greensnow'],
  ['7.7.7.7', 'vpn', 1, 'tor-nodes'],
  ['7.7.7.8', 'vpn', 1, 'tor-nodes'],
  ['7.7.7.8', 'vpn', 1, 'own'],
];
/** Nested, single, at the bounds of prefixes, IPv6, next to captures, and without evidence. */
const PROBES =
  '8.8.8.8 8.8.8.9 5.5.5.0 5.5.5.6 5.5.5.7 5.5.5.8 5.5.5.255 1.2.0.0 1.2.3.3 1.2.3.4 1.2.3.5 1.2.3.6 1.2.15.255 1.2.16.0 11.0.0.9 9.9.9.9 2001:4860::1 2001:4860::2 2001:4860:1::9'.split(
    ' ',
  );

/** Into the store itself: commands refuse the names of lists. */
async function importCaptures(rows: typeof CAPTURES): Promise<void> {
  const store = await openHistory({ dataDir: server.dataDir });
  for (const [prefix, riskType, days, id] of rows) {
    const batch = new CaptureBatchBuilder();
    batch.add(parsePrefix(prefix)!);
    const at = unixMs(Date.now() - days * DAY);
    const shared = id === 'tor-nodes' ? ({ sharedBy: 'tor' } as const) : {};
    await store.recordCaptures({ id, family: id, mode: 'events', riskType, ...shared }, at, batch.build(), at);
  }
  await store.close();
}

async function lookup(ip: string): Promise<Body | undefined> {
  const response = await fetch(`${server.base}/v1/ip/${ip}`);
  return response.status === 200 ? ((await response.json()) as Body) : undefined;
}

/** Runs `pulse export`; the path of the file. */
function exported(format: string, ...more: readonly string[]): string {
  const path = join(folder, `${format}-${more.join('').replaceAll(/[^a-z0-9]/g, '')}`);
  const run = pulseOver(server.dataDir, ['export', '--format', format, '--out', path, ...more]);
  assert.equal(run.status, 0, run.stderr);
  return path;
}

before(async () => {
  server = await serveProcess({ env: MANY_ANONYMOUS });
  await importCaptures(CAPTURES);
  await seenByThreads(
    () => lookup('9.9.9.9'),
    (body) => body?.evidence_state === 'active',
  );
});
after(() => server?.dispose());

test('a block list holds what is denied, what is challenged only if asked, and nothing that stands in a file', () => {
  const excluded = join(folder, 'excluded.txt');
  writeFileSync(excluded, 'ours: 1.2.3[.]0/24, and hxxp://8.8.8[.]8/');
  const text = (...args: readonly [string, ...string[]]): string => readFileSync(exported(...args), 'utf8');
  assert.match(text('ipset'), /score from 70, evidence active, order deny$/m);
  assert.match(text('ipset', '--include-shared'), /order challenge or deny$/m);
  assert.doesNotMatch(text('csv'), /order/);
  const without = text('csv', '--exclude', excluded, '--include-fetch-only');
  assert.deepEqual(
    ['9.9.9.9', '8.8.8.8', '1.2.3.4'].map((ip) => without.includes(ip)),
    [true, false, false],
  );
});

/** Asked of each program that needs it, when it is needed. */
const skipped = (t: TestContext, name: string, debianPackage: string): string | undefined => {
  const program = findProgram(name, debianPackage);
  if (program === undefined) t.skip(`${name} is not installed and cannot be installed here`);
  return program;
};

/** Runs a shell script in a network namespace of its own, in which 8.8.8.8 and 8.8.4.4 are this machine. */
function inNamespace(script: string): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-rn', 'sh', '-ec', `ip link set lo up; ip addr add 8.8.8.8/32 dev lo; ip addr add 8.8.4.4/32 dev lo\n${script}`],
    {
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, HOME: folder },
    },
  );
  return { status, said: `${stdout}${stderr}` };
}

const hasNamespace = (t: TestContext): boolean => {
  const can = process.platform === 'linux' && inNamespace('true').status === 0;
  if (!can) t.skip('no network namespace may be made here');
  return can;
};

/** A client in a namespace: prints the result of connecting to 127.0.0.1 from each of these addresses comes to. */
const connects = (port: number): string => `
  ${process.execPath} -e '
    const net = require("net");
    const server = net.createServer((socket) => socket.end("hello")).listen(${port}, "0.0.0.0", async () => {
      for (const localAddress of ["8.8.8.8", "8.8.4.4"])
        await new Promise((done) => {
          const socket = net.connect({ port: ${port}, host: "127.0.0.1", localAddress });
          socket.on("data", () => { console.log(localAddress, "allowed"); socket.destroy(); done(); });
          socket.on("error", () => { console.log(localAddress, "refused"); done(); });
        });
      server.close();
    });'`;

describe('a file of verdicts', () => {
  test('as MMDB says the same as lookups, in mmdblookup and in another reader, and passes the checks of verifiers', async (t) => {
    const path = exported('mmdb', '--include-fetch-only');
    const { metadata } = verifyMmdb(readFileSync(path));
    assert.match(metadata.description['en']!, /^Pulse verdicts of 20.*parameters version 5.*do not redistribute/s);
    const reader = new Reader(readFileSync(path)) as Reader<never>;
    const mmdblookup = findProgram('mmdblookup', 'mmdb-bin');
    for (const ip of PROBES) {
      const body = await lookup(ip);
      const record = reader.get(ip) as Body | null;
      const expected =
        body === undefined || body.evidence_state === 'none'
          ? null
          : { risk: body.risk, evidence_state: body.evidence_state };
      assert.deepEqual(record && { risk: record.risk, evidence_state: record.evidence_state }, expected, ip);
      if (record?.network !== undefined) assert.deepEqual(record.network, body?.network, ip);
      if (mmdblookup === undefined) continue;
      const { status, stdout, stderr } = spawnSync(mmdblookup, ['--file', path, '--ip', ip, 'risk', 'score'], {
        encoding: 'utf8',
      });
      if (expected === null) assert.match(stderr, /Could not find an entry/, ip);
      else assert.deepEqual([status, stdout.trim()], [0, `${expected.risk.score} <uint16>`], ip);
    }
    if (mmdblookup === undefined) t.skip('mmdblookup is not installed and cannot be installed here');
  });

  test('without --include-fetch-only has the verdicts of a service without such sources, and names them', () => {
    const reader = new Reader(readFileSync(exported('mmdb'))) as Reader<never>;
    assert.equal(reader.get('9.9.9.9'), null);
    assert.deepEqual(reader.get('1.2.3.4'), {
      risk: { score: 49, level: 'medium', signals: ['proxy'] },
      evidence_state: 'active',
    });
    const path = exported('csv');
    const text = readFileSync(path, 'utf8');
    assert.match(text, /^prefix,score,level,/, 'the header is the first line');
    const meta = JSON.parse(readFileSync(`${path}.meta.json`, 'utf8')) as { notice: string[]; computed_at: string };
    assert.ok(meta.notice.some((line) => line.startsWith('left out: greensnow; ')));
    assert.match(
      readFileSync(exported('csv', '--comments'), 'utf8'),
      /^# Pulse verdicts[\s\S]*^# left out: greensnow; [\s\S]*^prefix,/m,
    );
    assert.match(text, /^1\.2\.3\.4\/31,49,medium,proxy,active,,$/m);
    assert.match(text, /^11\.0\.0\.9\/32,0,none,,stale,,$/m, 'a format that says the state holds stale evidence');
    assert.doesNotMatch(readFileSync(exported('nft', '--min-score', '1'), 'utf8'), /11\.0\.0\.9/, 'a set does not');
  });

  const read = (path: string, ip: string) => (new Reader(readFileSync(path)) as Reader<never>).get(ip) as object | null;

  test('as MMDB in MaxMind’s schemas has their fields, which the readers of Debian take', async (t) => {
    covers('EXPORT-MMDB');
    const anonymous = exported('mmdb', '--schema', 'anonymous-ip', '--include-fetch-only');
    assert.equal(verifyMmdb(readFileSync(anonymous)).metadata.database_type, 'Pulse-Anonymous-IP');
    const is = (...fields: readonly string[]) => Object.fromEntries(fields.map((field) => [`is_${field}`, true]));
    const vpn = ['anonymous', 'anonymous_vpn'];
    for (const [ip, fields] of [
      ['8.8.8.8', ['anonymous', 'hosting_provider', 'public_proxy']],
      ['5.5.5.6', vpn],
      ['5.5.5.7', [...vpn, 'residential_proxy']],
      ['2001:4860::1', [...vpn, 'hosting_provider']],
      ['7.7.7.7', ['anonymous', 'tor_exit_node']],
      ['7.7.7.8', [...vpn, 'tor_exit_node']],
      ['9.9.9.9', undefined],
      ['11.0.0.9', undefined],
      ['1.2.3.9', ['anonymous', 'public_proxy']],
    ] as const)
      assert.deepEqual(read(anonymous, ip), fields === undefined ? null : is(...fields), ip);
    const asn = exported('mmdb', '--schema', 'asn');
    assert.deepEqual(read(asn, '8.8.8.1'), {
      autonomous_system_number: 15169,
      autonomous_system_organization: 'Google LLC',
    });
    assert.equal(read(asn, '5.5.5.5'), null);
    const city = exported('mmdb', '--schema', 'city');
    const { metadata } = verifyMmdb(readFileSync(city));
    assert.deepEqual([metadata.database_type, metadata.languages], ['Pulse-City', ['en', 'zh-CN']]);
    assert.deepEqual(read(city, '1.2.3.4'), {
      city: { names: { en: 'São Paulo' } },
      continent: { code: 'SA', names: { en: 'South America', 'zh-CN': '南美洲' } },
      country: { iso_code: 'BR', names: { en: 'Brazil', 'zh-CN': '巴西' } },
      subdivisions: [{ names: { en: 'São Paulo' } }],
    });
    assert.deepEqual((read(city, '8.8.8.8') as { location: object }).location, {
      latitude: 37.751,
      longitude: -97.822,
      time_zone: 'America/Chicago',
    });
    assert.deepEqual(Object.keys(read(city, '13.0.0.1')!), ['continent', 'country'], 'an anycast address has no city');
    const named = (schema: string, type: string): string =>
      exported('mmdb', '--schema', schema, '--database-type', type);
    const script = `import geoip2.database, maxminddb, sys
for path, ip in zip(sys.argv[1:7:2], sys.argv[2:7:2]):
    r = maxminddb.open_database(path, maxminddb.MODE_FILE); print(r.metadata().database_type, r.get(ip))
a, c, n = map(geoip2.database.Reader, sys.argv[7:])
print(a.anonymous_ip('5.5.5.6').is_anonymous_vpn, c.country('8.8.8.8').country.iso_code, n.asn('8.8.8.8').autonomous_system_number)`;
    const hasReader = (): true | undefined =>
      spawnSync('/usr/bin/python3', ['-c', 'import geoip2']).status === 0 || undefined;
    if ((hasReader() ?? install('python3-geoip2', hasReader)) === undefined)
      return t.skip('python3-geoip2 is not installed and cannot be installed here');
    const files = [
      ...[anonymous, '5.5.5.6', city, '8.8.8.8', asn, '8.8.8.8', named('anonymous-ip', 'GeoIP2-Anonymous-IP')],
      ...[named('city', 'GeoLite2-Country'), named('asn', 'GeoLite2-ASN')],
    ];
    const run = spawnSync('/usr/bin/python3', ['-c', script, ...files], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.match(
      run.stdout,
      /^Pulse-Anonymous-IP \{'is_anonymous': True, 'is_anonymous_vpn': True\}\nPulse-City .*37\.751.*\nPulse-ASN .*15169.*\nTrue US 15169\n$/,
    );
  });

  test('is refused with status 2 where options do not go together', () => {
    for (const args of [
      ['csv', '--schema', 'city'],
      ['csv', '--database-type', 'GeoIP2-City'],
      ['mmdb', '--comments'],
      ['mmdb', '--schema', 'city', '--min-score', '30'],
    ]) {
      const run = pulseOver(server.dataDir, ['export', '--format', ...args, '--out', join(folder, 'x')]);
      assert.equal(run.status, 2, args.join(' '));
    }
  });

  test('is refused with status 2 where a signal of network data is asked for that the file may not have', () => {
    const run = pulseOver(server.dataDir, [
      'export',
      '--format',
      'csv',
      '--out',
      join(folder, 'x'),
      '--signals',
      'hosting',
    ]);
    assert.equal(run.status, 2);
    assert.match(run.stderr, /--include-fetch-only/);
  });

  test('as nftables sets refuses the addresses in it, again after it was loaded a second time, and is a valid script', (t) => {
    if (skipped(t, 'nft', 'nftables') === undefined || !hasNamespace(t)) return;
    const path = exported('nft', '--min-score', '1');
    const { status, said } = inNamespace(`
      nft -c -f ${path}
      nft -f ${path}
      nft 'add chain inet pulse in { type filter hook input priority 0; }'
      nft 'add rule inet pulse in ip saddr @pulse4 reject with tcp reset'
      nft -f ${path}
      ${connects(18_080)}
      nft list set inet pulse pulse6`);
    assert.equal(status, 0, said);
    assert.match(said, /8\.8\.8\.8 refused\n8\.8\.4\.4 allowed/);
    assert.match(said, /2001:4860:1::\/64/);
  });

  test('as ipset sets is restored and swapped in, a second time too', (t) => {
    if (skipped(t, 'ipset', 'ipset') === undefined || !hasNamespace(t)) return;
    const path = exported('ipset', '--min-score', '1');
    const { status, said } = inNamespace(`
      ipset restore -f ${path}
      ipset restore -f ${path}
      ipset list -n
      for a in 5.5.5.7 1.2.3.6 2001:4860:1::9; do case $a in *:*) s=pulse6;; *) s=pulse4;; esac; ipset test $s $a 2>&1; done
      ipset test pulse4 8.8.4.4 2>&1 || true`);
    if (/Kernel error|Operation not permitted|Protocol not supported/.test(said))
      return t.skip('the kernel has no ipset here');
    assert.equal(status, 0, said);
    assert.match(said, /^pulse4\npulse6\n/);
    assert.equal(said.match(/ is in set /g)?.length, 3, said);
    assert.match(said, /8\.8\.4\.4 is NOT in set pulse4/);
  });

  test('as an nginx geo table blocks and lets through by score', async (t) => {
    const nginx = skipped(t, 'nginx', 'nginx');
    if (nginx === undefined) return;
    const port = await freePort();
    mkdirSync(join(folder, 'logs'), { recursive: true });
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
      .join(' ');
    const config = join(folder, 'nginx.conf');
    writeFileSync(
      config,
      `pid ${join(folder, 'nginx.pid')}; error_log stderr; worker_processes 1; events {}
       http { access_log off; ${temporary}
         set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;
         geo $pulse_score { default 0; include ${exported('nginx-geo')}; }
         map $pulse_score $pulse_deny { default 0; ~^[7-9]\\d$ 1; ~^[56]\\d$ 1; 100 1; }
         server { listen 127.0.0.1:${port};
           if ($pulse_deny) { return 403 $pulse_score; }
           location / { return 200 $pulse_score; } } }`,
    );
    const checked = spawnSync(nginx, ['-t', '-p', folder, '-c', config], { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
    assert.doesNotMatch(checked.stderr, /warn/);
    await withProgram(t, spawn(nginx, ['-p', folder, '-c', config, '-g', 'daemon off;']), port);
    await expectScores(port, 50);
  });

  test('as MMDB in MaxMind’s schemas is read by nginx’s geoip2 module', async (t) => {
    covers('EXPORT-MMDB');
    const nginx = skipped(t, 'nginx', 'nginx');
    const module = '/usr/lib/nginx/modules/ngx_http_geoip2_module.so';
    const hasModule = (): true | undefined => existsSync(module) || undefined;
    if (nginx === undefined) return;
    if ((hasModule() ?? install('libnginx-mod-http-geoip2', hasModule)) === undefined)
      return t.skip('the geoip2 module of nginx is not installed and cannot be installed here');
    const port = await freePort();
    const config = join(folder, 'geoip2.conf');
    const city = exported('mmdb', '--schema', 'city', '--family', 'both');
    const anonymous = exported('mmdb', '--schema', 'anonymous-ip', '--include-fetch-only', '--family', 'both');
    mkdirSync(join(folder, 'logs'), { recursive: true });
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
      .join(' ');
    writeFileSync(
      config,
      `load_module ${module}; pid ${join(folder, 'geoip2.pid')}; error_log stderr; worker_processes 1; events {}
       http { access_log off; ${temporary}
         geoip2 ${city} { $city source=$http_x_forwarded_for city names en; $country source=$http_x_forwarded_for country names zh-CN; }
         geoip2 ${anonymous} { $vpn default=0 source=$http_x_forwarded_for is_anonymous_vpn; }
         server { listen 127.0.0.1:${port}; charset utf-8; default_type text/plain; location / { return 200 "$city|$country|$vpn"; } } }`,
    );
    const checked = spawnSync(nginx, ['-t', '-p', folder, '-c', config], { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
    await withProgram(t, spawn(nginx, ['-p', folder, '-c', config, '-g', 'daemon off;']), port);
    for (const [ip, expected] of [
      ['1.2.3.4', 'São Paulo|巴西|0'],
      ['5.5.5.6', '|德国|1'],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': ip } });
      assert.equal(await answer.text(), expected, ip);
    }
  });

  test('as an HAProxy map blocks and lets through by score', async (t) => {
    const haproxy = skipped(t, 'haproxy', 'haproxy');
    if (haproxy === undefined) return;
    const port = await freePort();
    const config = join(folder, 'haproxy.cfg');
    const map = exported('haproxy-map');
    writeFileSync(
      config,
      `defaults
  mode http
  timeout client 10s
  timeout connect 10s
  timeout server 10s
frontend web
  bind 127.0.0.1:${port}
  http-request set-src hdr(x-forwarded-for)
  http-request set-var(txn.score) src,map_ip(${map},0)
  http-request return status 403 content-type text/plain lf-string %[var(txn.score)] if { src,map_ip(${map},0) -m int ge 50 }
  http-request return status 200 content-type text/plain lf-string %[var(txn.score)]
`,
    );
    const checked = spawnSync(haproxy, ['-c', '-f', config], { encoding: 'utf8' });
    assert.equal(checked.status, 0, `${checked.stdout}${checked.stderr}`);
    await withProgram(t, spawn(haproxy, ['-f', config, '-db']), port);
    await expectScores(port, 50);
  });
});

test('`-` is standard output, with the summary on standard error; it cannot be kept current', () => {
  const run = (...more: readonly string[]) =>
    pulseOver(server.dataDir, ['export', '--format', 'csv', '--out', '-', '--json', ...more]);
  const { status, stdout, stderr } = run();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^8\.8\.8\.8\/32,49,/m);
  assert.doesNotMatch(stdout, /prefixes/);
  assert.equal((JSON.parse(stderr.trim().split('\n').at(-1)!) as { out: string }).out, '-');
  assert.deepEqual([run('--watch').status, run('--watch').stdout], [2, '']);
});

test('work that is given up leaves the file as it was and nothing next to it', async () => {
  const path = join(folder, 'given-up', 'pulse.csv');
  mkdirSync(join(folder, 'given-up'));
  writeFileSync(path, 'the former file');
  const store = await openHistory({ dataDir: server.dataDir });
  const order = {
    format: 'csv',
    schema: 'pulse',
    path,
    families: [4, 6],
    filter: { minScore: 0 },
    includeFetchOnly: false,
    name: 'pulse',
  } as const;
  const file = new VerdictFile(
    { images: new ExportImages({ dataDir: server.dataDir, databaseUrl: undefined }, store), store },
    order,
  );
  await assert.rejects(file.write(AbortSignal.abort(new Error('stopped'))), /stopped/);
  assert.deepEqual(
    [readFileSync(path, 'utf8'), readdirSync(join(folder, 'given-up'))],
    ['the former file', ['pulse.csv']],
  );
  await file.write(new AbortController().signal);
  assert.match(readFileSync(path, 'utf8'), /^8\.8\.8\.8\/32,49,/m);
  await store.close();
});

test('--watch keeps a file current next to a server, replaces it when it would say something else, tries again after a fault, and ends on SIGTERM', async () => {
  const path = join(folder, 'watched', 'pulse.geo');
  const args = ['export', '--format', 'nginx-geo', '--out', path, '--watch', '--interval', '1', '--json'];
  const env = { ...pulseEnvironment, PULSE_FEEDS: 'off', PULSE_LOG: 'debug', PULSE_DATA_DIR: server.dataDir };
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../src/cli/main.ts'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, faults] = ['', ''];
  child.stdout.on('data', (chunk) => (said += String(chunk)));
  child.stderr.on('data', (chunk) => (faults += String(chunk)));
  const ended = once(child, 'exit');
  const content = (): string => readFileSync(path, 'utf8');
  const written = (): number => said.trim().split('\n').length;
  try {
    await eventually(() => said.includes('\n'), { hint: () => faults });
    const first = statSync(path);
    assert.equal(first.mode & 0o777, 0o644);
    assert.doesNotMatch(content(), /^8\.8\.4\.4/m);
    await eventually(() => faults.split('would say the same').length > 2, { hint: () => faults });
    assert.deepEqual([statSync(path).ino, written()], [first.ino, 1], 'two looks found nothing new');
    await importCaptures([['8.8.4.4', 'proxy', 3, 'own']]);
    await eventually(() => written() === 2, { hint: () => faults });
    assert.match(content(), /^8\.8\.4\.4\/32 49;$/m);
    rmSync(join(folder, 'watched'), { recursive: true });
    writeFileSync(join(folder, 'watched'), 'a file where the folder was');
    await eventually(() => faults.includes('could not be brought up to date'), { hint: () => faults });
    rmSync(join(folder, 'watched'));
    await eventually(() => written() === 3, { hint: () => faults });
    assert.match(content(), /^8\.8\.4\.4\/32 49;$/m);
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(readdirSync(join(folder, 'watched')), ['pulse.geo']);
});

/** Waits until the program answers, and ends it with the test. */
async function withProgram(t: TestContext, program: ChildProcess, port: number): Promise<void> {
  let said = '';
  for (const stream of [program.stdout!, program.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
  t.after(async () => {
    program.kill('SIGTERM');
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
  });
  await eventually(
    async () =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': '8.8.4.4' } })).status === 200,
    { hint: () => said },
  );
}

/** A proxy refuses clients from a score on, and answers each with the score of its address: that of a lookup, but for sources left out. */
async function expectScores(port: number, from: number): Promise<void> {
  for (const ip of PROBES.filter((probe) => !['9.9.9.9', '1.2.3.4'].includes(probe))) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': ip } });
    const score = (await lookup(ip))?.risk.score ?? 0;
    assert.deepEqual([answer.status, await answer.text()], [score >= from ? 403 : 200, String(score)], ip);
  }
}
