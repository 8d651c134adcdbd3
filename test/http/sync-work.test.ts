/** No request of a page, an account or an app makes the thread that answers look-ups wait for files: what it does synchronously is counted, not timed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const HOOK = pathToFileURL(resolve(import.meta.dirname, '../support/count-sync-work.mjs')).href;
const folder = mkdtempSync(join(tmpdir(), 'pulse-sync-work-'));
const NOTED = join(folder, 'requests');

interface Work {
  readonly url: string;
  readonly status: number;
  readonly files: readonly string[];
  readonly statements: number;
  readonly holdMs: number;
}

let server: ServeProcess;
let key = '';
let cookie = '';
before(async () => {
  server = await serveProcess({ env: { PULSE_WORKERS: '1', NODE_OPTIONS: `--import=${HOOK}`, TEST_SYNC_WORK: NOTED } });
  key = createKey(server.dataDir, 'owner', []).key;
  const signedUp = await fetch(`${server.base}/console/api/session/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'visitor@example.com', password: 'correct horse battery staple', language: 'en' }),
  });
  assert.equal(signedUp.status, 200, await signedUp.text());
  cookie = signedUp.headers.get('set-cookie')!.split(';', 1)[0]!;
});
after(async () => {
  await server?.dispose();
  rmSync(folder, { recursive: true });
});

const worksOf = (path: string): readonly Work[] =>
  readFileSync(NOTED, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Work)
    .filter(({ url }) => url === path);

/** Path, answer, files it may touch, statements it may run. The usage page asks each closed day whether it has changed. */
const BOUNDS: readonly (readonly [path: string, status: number, files: number, statements: number])[] = [
  ['/console/api/status', 200, 0, 0],
  ['/v1/me', 200, 0, 8],
  ['/console/api/session', 200, 0, 8],
  ['/console/api/keys', 200, 0, 8],
  ['/console/api/apps', 200, 0, 8],
  ['/console/api/usage', 200, 30, 8],
  ['/oauth/authorize?client_id=nobody', 400, 0, 8],
  ['/.well-known/oauth-authorization-server', 200, 0, 0],
  ['/openapi.json', 200, 0, 0],
  ['/', 200, 0, 8],
];

for (const [path, status, files, statements] of BOUNDS)
  test(`GET ${path} touches at most ${files} files and runs at most ${statements} statements`, async (t) => {
    const headers: Record<string, string> = path === '/v1/me' ? { 'X-API-Key': key } : { cookie };
    // The first one may load code; the third is of a thread that has answered it before.
    for (let n = 0; n < 3; n++) assert.equal((await fetch(server.base + path, { headers, redirect: 'manual' })).status, status);
    const work = await eventually(() => worksOf(path)[2] ?? false);
    t.diagnostic(`${work.files.length} files, ${work.statements} statements, longest hold of the event loop ${work.holdMs.toFixed(1)} ms`);
    assert.ok(work.files.length <= files, work.files.join(' '));
    assert.ok(work.statements <= statements, String(work.statements));
  });

test('the status page shows what a command wrote, though it opens no file', async () => {
  const off = async (): Promise<readonly boolean[]> => {
    const { sources } = (await (await fetch(`${server.base}/console/api/status`)).json()) as { sources: readonly { off: boolean }[] };
    return sources.map((source) => source.off);
  };
  assert.ok((await off()).length > 100 && !(await off()).includes(true));
  assert.equal(pulseCommand(['feeds', 'off', 'iplocate-proxies'], { env: { PULSE_DATA_DIR: server.dataDir } }).status, 0);
  await eventually(async () => (await off()).includes(true));
});
