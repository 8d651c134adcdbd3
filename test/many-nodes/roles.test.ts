/** One node that compiles and nodes that answer, on one PostgreSQL, one Redis and one folder of images. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { loadSecret } from '../../src/adapters/data-folder/deployment-secret.ts';
import { makeEvidence } from '../../src/adapters/evidence/image-thread.ts';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import { ImageFolder } from '../../src/adapters/snapshots/image-folder.ts';
import { type ImagePlace, PublishedImages } from '../../src/adapters/snapshots/published-images.ts';
import { unixMs } from '../../src/core/units.ts';
import type { ImageKind } from '../../src/engine/image.ts';
import { createAccount } from '../../src/service/accounts/account.ts';
import type { By } from '../../src/service/accounts/account-store.ts';
import { createKey } from '../../src/service/accounts/keys.ts';
import { NO_SOURCES } from '../../src/service/ports.ts';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { saveEvidenceTables } from '../support/postgres.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { type Stores, sharedStores } from '../support/stores.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const SECRET = 'one-secret-for-every-node-of-the-test';

let why: string | undefined;
let stores: Stores | undefined;
let key = '';
let env: Record<string, string> = {};
const folder = testFolder('roles');
const snapshots = join(folder, 'snapshots');
/** A pointer of place and network that another followed. */
let old = '';
const nodes: Record<'ingest' | 'api', ServeProcess | undefined> = { ingest: undefined, api: undefined };

before(async () => {
  const started = await sharedStores();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  stores = started;
  env = {
    PULSE_TRUSTED_PROXIES: '127.0.0.1',
    ...stores.env,
    PULSE_SECRET: SECRET,
    PULSE_SNAPSHOT_URL: snapshots,
    PULSE_LOG: 'info',
  };
  key = await makeKey(stores.databaseUrl);
  // The node that answers starts first, with nothing to answer from.
  const api = serveProcess({ env, args: ['--role', 'api'], geo: false });
  nodes.ingest = await serveProcess({ env, args: ['--role', 'ingest'] });
  nodes.api = await api;
  await until(async () => (await fetch(`${nodes.api!.base}/readyz`)).status === 200, 'the api node is ready');
});
after(async () => {
  await Promise.all(Object.values(nodes).map((node) => node?.dispose()));
});

async function makeKey(databaseUrl: string): Promise<string> {
  const accounts = await openAccounts({ dataDir: '/nonexistent', databaseUrl, secret: SECRET });
  const by: By = { actor: 'cli', at: unixMs(Date.now() - 1000) };
  const account = await createAccount(accounts.store, { email: 'n@example.com', plan: 'enterprise', dpa: true }, by);
  await accounts.store.changeAccount(account.id, { perDay: 100_000, perMin: 1_000_000 }, by);
  const { secret } = await createKey(accounts.store, accounts.hasher, { accountId: account.id }, by);
  await accounts.close();
  return secret;
}

const until = (what: () => Promise<boolean>, title: string): Promise<true> =>
  eventually(what, { everyMs: 100, hint: () => `${title}\n${nodes.api?.output()}` }) as Promise<true>;

interface Pulse {
  readonly status: number;
  readonly body: {
    readonly computed_at: string;
    readonly evidence_state: string;
    readonly evidence: readonly { readonly risk_type: string }[];
    readonly risk: object;
    readonly error?: { readonly code: string };
    readonly meta: { readonly data_version: { readonly geo: string } };
  };
}
async function professional(ip: string, at?: string): Promise<Pulse> {
  const response = await fetch(
    `${nodes.api!.base}/pulse/v1/ip/${ip}${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`,
    {
      headers: { 'X-API-Key': key },
    },
  );
  return { status: response.status, body: (await response.json()) as Pulse['body'] };
}

const degraded = async (): Promise<string | null> =>
  (await fetch(`${nodes.api!.base}/v1/ip/9.9.9.9`, { headers: { 'X-API-Key': key } })).headers.get('X-Pulse-Degraded');

/** Imports as an operator would on the compiling node. */
function importCaptures(ips: readonly string[], type: string): void {
  const { status, stderr } = pulseCommand(`evidence import - --source sensor --risk-type ${type} --allow-known-good`, {
    env: { PULSE_DATA_DIR: nodes.ingest!.dataDir, ...env },
    input: `${ips.join('\n')}\n`,
  });
  assert.equal(status, 0, stderr);
}

/** Looks up all the time. `enough` waits until that was often from then on, `stop` throws where an answer was not a 200. */
function keepAsking(): { enough(): Promise<unknown>; stop(): Promise<void> } {
  let going = true;
  let answered = 0;
  let fault: unknown;
  const ask = async (): Promise<boolean> => {
    try {
      const response = await fetch(`${nodes.api!.base}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } });
      assert.equal(response.status, 200, await response.text());
      answered += 1;
    } catch (error) {
      fault ??= error;
    }
    return !going;
  };
  const asking = eventually(ask, { withinMs: 120_000, everyMs: 5 }).catch((error: unknown) => {
    fault ??= error;
  });
  return {
    enough: () => {
      const before = answered;
      return eventually(() => answered - before > 20 || fault !== undefined);
    },
    async stop() {
      going = false;
      await asking;
      assert.ifError(fault);
    },
  };
}

/** Images as the compiling node publishes them. */
const published = (kind: ImageKind, place: ImagePlace = new ImageFolder(join(snapshots, kind))): PublishedImages =>
  new PublishedImages(place, kind, {
    keys: { current: loadSecret({ dataDir: '/nonexistent', secret: SECRET }).subkey('snapshot'), former: [] },
  });

/** A disk that damages large files. */
class DamagingFolder extends ImageFolder {
  override async write(name: string, bytes: Uint8Array): Promise<void> {
    const written = Uint8Array.from(bytes);
    if (name.endsWith('.img')) written.fill(0xa5, written.length / 2, written.length / 2 + 65_536);
    await super.write(name, written);
  }
}

describe('a compiling node and an answering one', () => {
  const guarantee = (title: string, body: (t: TestContext) => Promise<void>): void => {
    test(title, async (t) => {
      if (why !== undefined) return t.skip(why);
      await body(t);
    });
  };

  guarantee('the compiling node answers nothing but its health', async () => {
    const { base } = nodes.ingest!;
    const health = await fetch(`${base}/healthz`);
    assert.deepEqual([health.status, ((await health.json()) as { role: string }).role], [200, 'ingest']);
    for (const path of ['/v1/ip/8.8.8.8', '/', '/mcp', '/metrics'])
      assert.equal((await fetch(base + path)).status, 404, path);
    const metrics = await nodes.ingest!.metrics();
    assert.match(metrics, /^pulse_ready 1$/m);
    assert.match(metrics, /^pulse_store_up\{store="evidence"\} 1$/m);
    assert.doesNotMatch(metrics, /pulse_requests_total|pulse_ledger/, 'it answers and counts nothing');
  });

  guarantee('an import on one node is seen on the other in five seconds, live and of the past', async () => {
    assert.equal((await professional('9.9.9.9')).body.evidence_state, 'none');
    importCaptures(['9.9.9.9', '1.2.0.0/24'], 'honeypot_scan');
    await until(async () => (await professional('9.9.9.9')).body.evidence_state === 'active', 'the capture is seen');
    const live = await professional('1.2.0.77');
    const past = await professional('1.2.0.77', live.body.computed_at);
    assert.deepEqual([live.status, past.status, past.body], [200, 200, live.body]);
    const riskTypes = live.body.evidence.map((row) => row.risk_type);
    assert.deepEqual(riskTypes, ['honeypot_scan']);
  });

  guarantee(
    'new images, and lists that verify AI assistants, are taken while requests are answered, and none of these fails',
    async () => {
      const prefixes = ['45.77.9.0/24'];
      const list = { id: 'applebot', version: '1', effect: { crawler: true }, prefixes };
      const limit = async (): Promise<string | null> =>
        (
          await fetch(`${nodes.api!.base}/v1/ip/8.8.8.8`, {
            headers: { 'User-Agent': 'Applebot/0.1', 'X-Forwarded-For': '45.77.9.9' },
          })
        ).headers.get('X-Daily-Limit');
      assert.equal(await limit(), '1000');
      mkdirSync(join(nodes.ingest!.dataDir, 'network'), { recursive: true });
      writeFileSync(join(nodes.ingest!.dataDir, 'network', 'applebot.json'), JSON.stringify(list));
      const asking = keepAsking();
      const geoBefore = (await professional('8.8.8.8')).body.meta.data_version.geo;
      const made = await makeEvidence({ target: { dataDir: '/nonexistent', databaseUrl: env['PULSE_DATABASE_URL'] } })
        .made;
      const evidence = await published('evidence').publish(new Uint8Array(made.image));
      const other = join(folder, 'other-world');
      writeSyntheticGeo(other, 'swapped');
      const geo = await published('geo').publish(readFileSync(join(other, 'images', 'geo.img')));
      await until(
        async () => (await professional('8.8.8.8')).body.meta.data_version.geo === 'swapped',
        'the new image serves',
      );
      await until(async () => [evidence, geo].every((file) => nodes.api!.output().includes(file)), 'both are taken');
      assert.notEqual(geoBefore, 'swapped');
      assert.equal((await professional('9.9.9.9')).body.evidence_state, 'active');
      importCaptures(['5.5.5.5'], 'proxy');
      await until(
        async () => (await professional('5.5.5.5')).body.evidence.length === 1,
        'captures after the new image are followed',
      );
      await until(async () => (await limit()) === '5000', 'the family has its own allowance');
      await asking.enough();
      await asking.stop();
    },
  );

  guarantee('a published file that is damaged is refused and the one before keeps serving', async () => {
    const other = join(folder, 'damaged-world');
    writeSyntheticGeo(other, 'damaged');
    const publishing = published('geo', new DamagingFolder(join(snapshots, 'geo'))).publish(
      readFileSync(join(other, 'images', 'geo.img')),
    );
    // Its publisher notices too, when it reads back what it wrote.
    const file = await publishing.then(
      () => assert.fail('the damage went unnoticed'),
      (error: Error) => /(geo-\S+\.img) cannot be read back/.exec(error.message)![1]!,
    );
    await until(async () => new RegExp(`${file}.*refused|refused.*${file}`).test(nodes.api!.output()), 'it is refused');
    assert.equal((await professional('8.8.8.8')).body.meta.data_version.geo, 'swapped');
  });

  guarantee('a stranger’s publication is refused and degrades verdicts, an old one too', async (t) => {
    // Every ten seconds it looks whether its publication still stands, and would mend the file put in its place here.
    nodes.ingest!.child.kill('SIGSTOP');
    t.after(() => nodes.ingest!.child.kill('SIGCONT'));
    const pointer = join(snapshots, 'geo', 'current.json');
    const right = readFileSync(pointer, 'utf8');
    old = right;
    const { seal: _, ...unsealed } = JSON.parse(right) as { readonly seal: object };
    writeFileSync(pointer, JSON.stringify(unsealed));
    await until(async () => (await degraded()) === '1', 'verdicts are degraded');
    const refused = /current\.json has no seal[^\n]*published images are refused; what was there keeps serving/;
    await until(async () => refused.test(nodes.api!.output()), 'the log says why');
    assert.equal((await professional('8.8.8.8')).body.meta.data_version.geo, 'swapped');
    writeFileSync(pointer, right);
    await until(async () => (await degraded()) === null, 'the right pointer is back');

    const other = join(folder, 'third-world');
    writeSyntheticGeo(other, 'third');
    await published('geo').publish(readFileSync(join(other, 'images', 'geo.img')));
    await until(
      async () => (await professional('8.8.8.8')).body.meta.data_version.geo === 'third',
      'the newer one serves',
    );
    const newest = readFileSync(pointer, 'utf8');
    writeFileSync(pointer, right);
    await until(async () => (await degraded()) === '1', 'the old publication is refused');
    writeFileSync(pointer, newest);
    await until(async () => (await degraded()) === null, 'nothing is degraded');
    assert.equal((await professional('8.8.8.8')).body.meta.data_version.geo, 'third');
  });

  guarantee('both nodes notice that PostgreSQL was restored, and live and past answers agree', async () => {
    const seen = async (ip: string, at?: string) => (await professional(ip, at)).body.evidence_state === 'active';
    const version = async (): Promise<string> =>
      (
        (await (await fetch(`${nodes.ingest!.base}/healthz`)).json()) as {
          readonly data_version: { readonly risk: string };
        }
      ).data_version.risk;
    const restore = await saveEvidenceTables(env['PULSE_DATABASE_URL']!);
    const before = await version();
    importCaptures(['6.6.6.6'], 'proxy');
    await until(async () => (await seen('6.6.6.6')) && (await version()) !== before, 'both nodes follow the capture');
    await restore();
    await until(async () => !(await seen('6.6.6.6')) && (await degraded()) === null, 'what was restored is shown');
    assert.deepEqual([await seen('9.9.9.9'), await seen('6.6.6.6', new Date().toISOString())], [true, false]);
    for (const node of [nodes.ingest!, nodes.api!])
      await until(
        async () => node.output().includes('the evidence store was restored or lost its newest batches'),
        'the log of the node names it',
      );
    importCaptures(['6.6.6.7'], 'proxy');
    await until(() => seen('6.6.6.7'), 'captures are followed again');
    assert.deepEqual([await seen('6.6.6.6'), await degraded()], [false, null]);
  });

  guarantee('an api node knows which sources the node that reads them lacks, and since when', async () => {
    const store = await openHistory({ dataDir: folder, databaseUrl: env['PULSE_DATABASE_URL'] });
    const headerAt = async (at: string) =>
      (await fetch(`${nodes.api!.base}/pulse/v1/ip/9.9.9.9?at=${at}`, { headers: { 'X-API-Key': key } })).headers.get(
        'X-Pulse-Degraded',
      );
    const whole = new Date().toISOString();
    assert.deepEqual([await degraded(), await headerAt(whole)], [null, null]);
    await store.noteLeftOut(NO_SOURCES, unixMs(Date.now() - 1000));
    await store.noteLeftOut({ ids: ['tor-nodes'], retired: ['gone'], expected: 3 }, unixMs(Date.now()));
    const lacking = new Date().toISOString();
    await until(async () => (await degraded()) === '1', 'a source is left out');
    await store.noteLeftOut(NO_SOURCES, unixMs(Date.now()));
    await until(async () => (await degraded()) === null, 'it is back');
    assert.deepEqual([await headerAt(whole), await headerAt(lacking)], [null, '1']);
    await store.noteLeftOut(undefined, unixMs(Date.now()));
    await store.close();
  });

  guarantee('with PostgreSQL gone live lookups go on, and captures are followed when it is back', async () => {
    const { computed_at: moment } = (await professional('9.9.9.9')).body;
    const asking = keepAsking();
    await stores!.postgres.stop();
    const live = await professional('9.9.9.9');
    assert.deepEqual([live.status, live.body.evidence_state], [200, 'active']);
    const past = await professional('9.9.9.9', moment);
    assert.deepEqual([past.status, past.body.error?.code], [503, 'history_unavailable']);
    await until(async () => (await degraded()) === '1', 'answers say they are degraded');
    await asking.enough();
    await stores!.postgres.start();
    await until(async () => (await professional('9.9.9.9', moment)).status === 200, 'the past is back');
    await asking.stop();
    importCaptures(['8.8.8.8'], 'vpn');
    await until(async () => (await professional('8.8.8.8')).body.evidence.length === 1, 'captures are followed again');
    await until(async () => (await degraded()) === null, 'nothing is degraded');
  });

  guarantee(
    'a node that starts again refuses what is older than it followed, and takes the newest and captures since',
    async () => {
      await nodes.ingest!.stop();
      const pointer = join(snapshots, 'geo', 'current.json');
      const newest = readFileSync(pointer, 'utf8');
      const { dataDir } = nodes.api!;
      await nodes.api!.stop();
      writeFileSync(pointer, old);
      nodes.api = await serveProcess({ env, args: ['--role', 'api'], dataDir, geo: false });
      await until(
        async () => /and that of [^\n]* was followed before/.test(nodes.api!.output()),
        'it is refused after the restart too',
      );
      assert.equal((await professional('8.8.8.8')).body.meta.data_version.geo, 'third', 'it has its own copy');
      assert.equal(await degraded(), '1');
      writeFileSync(pointer, newest);
      await until(async () => (await degraded()) === null, 'the newest one is taken');
      const { status, body } = await professional('8.8.8.8');
      assert.deepEqual([status, body.evidence.map((row) => row.risk_type)], [200, ['vpn']]);
      assert.equal(body.meta.data_version.geo, 'third');
      await until(async () => (await degraded()) === null, 'nothing is degraded');
    },
  );

  guarantee('a key that one thread knows works on all of them while PostgreSQL is away', async () => {
    covers('KEYS-NODE');
    const { dataDir } = nodes.api!;
    await nodes.api!.stop();
    nodes.api = await serveProcess({
      env: { ...env, PULSE_WORKERS: '4' },
      args: ['--role', 'api'],
      dataDir,
      geo: false,
    });
    const ask = async (): Promise<number> =>
      (
        await fetch(`${nodes.api!.base}/v1/ip/8.8.8.8`, {
          headers: { authorization: `Bearer ${key}`, connection: 'close' },
        })
      ).status;
    await until(async () => (await ask()) === 200, 'the key is known');
    await stores!.postgres.stop();
    try {
      const answers: number[] = [];
      for (let n = 0; n < 20; n += 1) answers.push(await ask());
      assert.deepEqual(answers, Array(20).fill(200));
    } finally {
      await stores!.postgres.start();
    }
  });

  guarantee(
    'an api node starts while PostgreSQL and the published images are away, and says what it lacks',
    async () => {
      covers('IMAGES-KEPT');
      const made = await makeEvidence({ target: { dataDir: '/nonexistent', databaseUrl: env['PULSE_DATABASE_URL'] } })
        .made;
      const evidence = await published('evidence').publish(new Uint8Array(made.image));
      await until(async () => nodes.api!.output().includes(evidence), 'the image of evidence is taken');
      const { dataDir } = nodes.api!;
      await nodes.api!.stop();
      await stores!.postgres.stop();
      renameSync(snapshots, `${snapshots}-away`);
      try {
        nodes.api = await serveProcess({ env, args: ['--role', 'api'], dataDir, geo: false });
        await until(async () => (await fetch(`${nodes.api!.base}/v1/ip/8.8.8.8`)).status === 200, 'it answers');
        assert.equal((await professional('8.8.8.8')).status, 503);
        assert.match(nodes.api.output(), /started without the database of PULSE_DATABASE_URL/);
      } finally {
        renameSync(`${snapshots}-away`, snapshots);
        await stores!.postgres.start();
      }
      await until(async () => (await professional('8.8.8.8')).status === 200, 'keys work again');
      await until(async () => (await degraded()) === null, 'nothing is degraded');
    },
  );
});
