/** The TypeScript client as it is published (packed by npm, unpacked), its middleware, and the examples: all against one real server and its sandbox. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type * as Index from '../../clients/typescript/src/index.ts';
import type { Sandbox } from '../../src/contract/documents.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { compileAgainst, type PackedClient, packClient } from '../support/packed-client.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { sharedService } from '../support/shared-service.ts';
import { exampleTests } from './example-tests.ts';
import { failure } from './failure.ts';
import { middlewareTests } from './middleware-tests.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'clients/typescript');
let packed: PackedClient;
let server: ServeProcess;
let key: string;
let Pulse: typeof Index.Pulse;
before(async () => {
  packed = packClient();
  ({ Pulse } = await packed.load<typeof Index>('index'));
  server = await sharedService();
  ({ key } = createKey(
    server.dataDir,
    'client',
    ['--plan', 'enterprise', '--dpa', '--phone', '--operator'],
    ['--evidence'],
  ));
  const phones = join(packed.folder, 'phones.ndjson');
  writeFileSync(
    phones,
    JSON.stringify({
      number: '+8613800138000',
      risk: 8,
      tags: [101],
      primary_tag: 101,
      last_active: '2026-11-20T00:00:00Z',
    }),
  );
  pulseJson(server.dataDir, ['phone', 'import', phones, '--library', 'cn', '--full']);
});
after(() => packed?.dispose());
const sandbox = (more: Partial<Index.PulseOptions> = {}): Index.Pulse =>
  new Pulse({ baseUrl: `${server.base}/sandbox/`, retries: 0, timeoutMs: 20_000, ...more });
const real = (more: Partial<Index.PulseOptions> = {}): Index.Pulse =>
  new Pulse({ baseUrl: server.base, timeoutMs: 20_000, ...more });

describe('the package', () => {
  test('holds compiled code, types, licence and manual, and nothing else', () => {
    const modules = 'allow-list decide express guard hono index openapi.generated pulse pulse-error transport'.split(
      ' ',
    );
    const expected = [
      'LICENSE',
      'README.md',
      'package.json',
      'cjs/package.json',
      ...modules.flatMap((name) => ['dist', 'cjs'].flatMap((to) => [`${to}/${name}.d.ts`, `${to}/${name}.js`])),
    ];
    assert.deepEqual([...packed.files].sort(), expected.sort());
    assert.equal(readFileSync(join(PACKAGE, 'LICENSE'), 'utf8'), readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  test('has no dependency, and every entry point has a file of code and one of types', () => {
    const manifest = JSON.parse(
      readFileSync(join(packed.folder, 'node_modules/pulse-client/package.json'), 'utf8'),
    ) as Record<string, unknown> & {
      exports: Record<string, string | Record<'import' | 'require', { types: string; default: string }>>;
    };
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      assert.equal(manifest[kind], undefined);
    assert.equal(manifest['license'], 'Apache-2.0');
    assert.equal(manifest['private'], undefined);
    assert.deepEqual(manifest['publishConfig'], { access: 'public', provenance: true });
    const service = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual(
      [service['private'], manifest['version']],
      [true, service['version']],
      'one version, and the service is not for a registry',
    );
    for (const target of Object.values(manifest.exports))
      for (const file of typeof target === 'string'
        ? [target]
        : Object.values(target).flatMap((kind) => Object.values(kind)))
        assert.ok(packed.files.includes(file.slice(2)), file);
  });

  test('it is published under the repository that runs the workflow, and links of its manual lead to files there', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
    assert.match(workflow, /repository\.url=.*GITHUB_REPOSITORY.* repository\.directory=clients\/typescript$/m);
    const manual = readFileSync(join(packed.folder, 'node_modules/pulse-client/README.md'), 'utf8');
    const links = [...manual.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!);
    assert.ok(links.length > 1);
    for (const link of links) assert.ok(existsSync(join(PACKAGE, link)), link);
  });

  test('its code names no module but its own, and nothing that only Node has', () => {
    for (const file of packed.files.filter((path) => /^dist\/.*\.js$/.test(path))) {
      const text = readFileSync(join(packed.folder, 'node_modules/pulse-client', file), 'utf8');
      const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!);
      assert.deepEqual(
        imports.filter((name) => !/^\.\/[\w.-]+\.js$/.test(name)),
        [],
        file,
      );
      assert.doesNotMatch(text, /\b(?:process|Buffer|require|__dirname)\b/, file);
    }
  });

  test('a strict program without the types of Node compiles against it', () => {
    const file = join(packed.folder, 'consumer.mts');
    writeFileSync(file, CONSUMER);
    assert.equal(compileAgainst(packed, file), '');
  });

  test('runs on every Node here that is 20 or newer, under its own name', () => {
    const file = join(packed.folder, 'smoke.mjs');
    writeFileSync(
      file,
      `import { Pulse, decide } from 'pulse-client';\nimport 'pulse-client/express'; import 'pulse-client/hono';\nconst verdict = await new Pulse({ baseUrl: process.argv[2], timeoutMs: 20000 }).ip('192.0.2.5');\nconsole.log(decide(verdict).action, verdict.risk.score);\n`,
    );
    const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path));
    for (const node of nodes) {
      const version = Number(/\d+/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout)?.[0]);
      if (version < 20) continue;
      const { stdout, stderr } = spawnSync(node, [file, `${server.base}/sandbox`], {
        encoding: 'utf8',
        cwd: packed.folder,
      });
      assert.equal(stdout, 'deny 90\n', `${node}: ${stderr}`);
    }
  });
});

const CONSUMER = `
import { decide, type IPRisk, Pulse, PulseError, type Policy } from 'pulse-client';
import { outcomeOf, pulseGuard } from 'pulse-client/hono';
const pulse = new Pulse({ baseUrl: 'https://pulse.example.com', key: undefined, timeoutMs: 500 });
const policy: Policy = { denyFrom: 80, signals: { hosting: 'challenge' } };
const verdict: IPRisk = await pulse.ip('192.0.2.1', { signal: AbortSignal.timeout(100) });
const { action, reason } = decide(verdict, policy);
for await (const item of pulse.pulseBatches(['192.0.2.1'], { at: new Date() })) if ('error' in item) console.log(item.error.code, item.ip); else console.log(item.evidence[0]?.risk_type);
try { await pulse.phone('+8613800138000'); } catch (error) { if (error instanceof PulseError && error.code === 'quota_exceeded') console.log(error.retryAfter); }
const guard = pulseGuard({ pulse, failure: 'open', clientAddress: (context) => context.req.header('x-real-ip') });
const context = { req: { header: (name: string): string | undefined => name } };
export const refused: Response | undefined = await guard(context, async () => undefined);
export const shown: string = outcomeOf(context)?.action === 'challenge' ? action + reason : '';
// @ts-expect-error unknown and challenge are actions too
const allowed: 'allow' | 'deny' = action;
// @ts-expect-error failure has no default
pulseGuard({ pulse, clientAddress: () => allowed });
`;

describe('calls', () => {
  test('every address of the sandbox gives its verdict, or its refusal as an error with code, status and retryAfter', async () => {
    const table = (await (await fetch(`${server.base}/sandbox`)).json()) as Sandbox;
    for (const row of table.addresses) {
      for (const path of row.paths) {
        const call = path.includes('/pulse/') ? sandbox().pulseIp(row.ip) : sandbox().ip(row.ip);
        if (!('code' in row)) {
          const { risk, evidence_state } = await call;
          assert.deepEqual([risk.score, evidence_state], [row.score, row.evidence_state], row.ip);
          continue;
        }
        const { code, status, retryAfter, body, requestId } = await failure(call);
        assert.deepEqual([code, status, body?.code], [row.code, row.status, row.code], row.ip);
        assert.equal(retryAfter !== undefined, status === 429 || status === 503, row.ip);
        assert.match(requestId ?? '', /^\w+-\w+$/);
      }
    }
    assert.ok(table.addresses.length > 50);
  });

  test('at is a Date or a text with any offset', async () => {
    const at = new Date('2026-11-01T12:00:00Z');
    assert.equal((await sandbox().pulseIp('192.0.2.5', { at })).computed_at, at.toISOString());
    assert.equal(
      (await sandbox().pulseIp('192.0.2.5', { at: '2026-11-01T20:00:00+08:00' })).computed_at,
      at.toISOString(),
    );
  });

  test('the key goes into its header, and an address cannot lead to another path', async () => {
    assert.equal((await real({ key }).me()).plan, 'enterprise');
    assert.deepEqual((await real({ key }).pulseIp('8.8.8.8')).evidence, []);
    assert.equal((await failure(real({ key: 'pk_wrong' }).ip('8.8.8.8'))).code, 'invalid_key');
    for (const ip of ['../me', 'x?at=1', '8.8.8.8#', ''])
      assert.match((await failure(real({ key }).ip(ip))).code, /^(?:invalid_ip|not_found|bad_request)$/, ip);
  });

  test('options that cannot be meant are refused at once', () => {
    for (const baseUrl of [
      'pulse.example.com',
      'ftp://pulse.example.com',
      'https://user:pass@pulse.example.com',
      'https://pulse.example.com/?key=x',
    ])
      assert.throws(() => new Pulse({ baseUrl }), TypeError, baseUrl);
    for (const more of [{ timeoutMs: 0 }, { retries: -1 }, { retries: 1.5 }, { batchSize: 1001 }])
      assert.throws(() => sandbox(more), TypeError, JSON.stringify(more));
  });
});

test('phone numbers, one and many', async () => {
  const profile = await eventually(async () => {
    const answer = await real({ key }).phone('138 0013 8000');
    return answer.hit && answer;
  });
  assert.deepEqual([profile.query.e164, profile.risk.level], ['+8613800138000', 'high']);
  const { hit_count, billable, results } = await real({ key }).phones(['+8613800138000', '+6591234567', 'x']);
  assert.deepEqual([hit_count, billable, results.length], [1, 2, 3]);
  assert.equal((await failure(real({ key }).phone('x'))).code, 'bad_number');
  assert.equal((await failure(real().phone('+8613800138000'))).code, 'key_required');
});

describe('batches', () => {
  test('any number of addresses is split, and the items come back in order', async () => {
    const ips = Array.from({ length: 2300 }, (_, i) =>
      i % 700 === 3 ? `no address ${i}` : `8.8.${i >> 8}.${i & 255}`,
    );
    const items = await real({ key }).batch(ips);
    assert.deepEqual(
      items.map(({ ip }) => ip),
      ips,
    );
    const codes = items.map((item) => ('error' in item ? item.error.code : undefined));
    assert.deepEqual(
      codes.flatMap((code, i) => (code === 'invalid_ip' ? [i] : [])),
      [3, 703, 1403, 2103],
    );
    assert.ok(codes.includes(undefined), 'some have a verdict');
    assert.deepEqual(await real({ key }).batch([]), []);
  });

  test('with evidence, from addresses that come one by one, in requests of a chosen size', async () => {
    const sizes: number[] = [];
    const counting: typeof fetch = (url, init) => {
      sizes.push((JSON.parse(String(init!.body)) as { ips: string[] }).ips.length);
      return fetch(url, init);
    };
    async function* addresses() {
      for (const ip of ['8.8.8.8', '1.2.3.4', '10.0.0.1', '8.8.8.9', 'x']) yield ip;
    }
    const items = await real({ key, batchSize: 2, fetch: counting }).pulseBatch(addresses());
    assert.deepEqual(
      items.map((item) => ('error' in item ? item.error.code : item.evidence.length)),
      [0, 0, 'reserved_ip', 0, 'invalid_ip'],
    );
    assert.deepEqual(sizes, [2, 2, 1]);
  });

  test('a refused batch is an error', async () => {
    const { key: slow } = createKey(server.dataDir, 'slow-client', ['--plan', 'free']);
    const refused = await failure(real({ key: slow }).batch(Array.from({ length: 61 }, () => '8.8.8.8')));
    assert.deepEqual([refused.code, refused.status], ['batch_over_rate_limit', 429]);
  });
});

middlewareTests({ packed: () => packed, sandbox });
describe('examples', () =>
  exampleTests(
    () => server.base,
    () => key,
  ));
