import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Modules that a file loads at its start: `import type` and `import()` load nothing, `import { type … }`
 * loads the module.
 */
const namedBy = (file: string): string[] =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^'";]*?\sfrom\s+'([^']+)'/g,
    ),
  ].map(([, name]) => name!);

const loadedBy = (file: string): string[] =>
  namedBy(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)));

function closureOf(entry: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.ts')) return;
    seen.add(file);
    for (const next of loadedBy(file)) visit(next);
  };
  visit(entry);
  return seen;
}

/**
 * Code that a thread can load once lookups are answered: app routes, schemas, phone, history, the build of
 * place and network, the demonstration.
 */
const LATER = [
  /^src\/contract\/documents\.ts$/,
  /^src\/apps\/(console|mcp|oauth|site)\//,
  /^src\/apps\/http\/(create-app\.ts|chains\.ts|routes\/|openapi\/|steps\/(charge-numbers|identify-account))/,
  /phone/,
  /^src\/adapters\/(history|feeds|oauth|sign-in|mail)\//,
  /^src\/main\/(app|jobs)\//,
];

test('an HTTP thread loads before the first lookup only modules of lookups', () => {
  const loaded = [...closureOf('src/main/threads/http-worker.ts')];
  assert.ok(
    loaded.includes('src/apps/http/lane/fast-lane.ts') && loaded.includes('src/core/risk/verdict.ts'),
    'the closure is not followed',
  );
  const unexpected = loaded.filter((file) => LATER.some((pattern) => pattern.test(file)));
  assert.deepEqual(unexpected, []);
});

test('serving the last image of place and network loads nothing of its build', () => {
  const loaded = [...closureOf('src/main/place-data/geo-image-job.ts')];
  assert.ok(loaded.includes('src/main/place-data/current-geo-image.ts'), 'the closure is not followed');
  assert.deepEqual(
    loaded.filter((file) =>
      /^src\/(adapters\/layers|service\/compile\/(compile-data|merge)|main\/place-data\/(prepare|data-worker|update))/.test(
        file,
      ),
    ),
    [],
  );
});

test('the thread of all other routes starts without the libraries that only some requests need', () => {
  const loaded = ['src/main/app/open-app-routes.ts', 'src/apps/http/create-app.ts'].flatMap((entry) => [
    ...closureOf(entry),
  ]);
  const packages = new Set(loaded.flatMap(namedBy).filter((name) => !name.startsWith('.')));
  assert.ok(packages.has('fastify') && packages.has('kysely'), 'the closure is not followed');
  assert.deepEqual(
    [...packages].filter((name) =>
      /^(oidc-provider|openid-client|oauth4webapi|@modelcontextprotocol|typebox|pg$|nodemailer|@simplewebauthn)/.test(
        name,
      ),
    ),
    [],
  );
});

test('the control thread has no records: the thread of all other routes reads, writes and prunes them', () => {
  const jobs = readFileSync(join(ROOT, 'src/main/jobs/background-jobs.ts'), 'utf8').matchAll(/import\('([^']+)'\)/g);
  const entries = ['src/main/serve.ts', ...[...jobs].map(([, name]) => join('src/main/jobs', name!))];
  const loaded = entries.flatMap((entry) => [...closureOf(entry)]);
  assert.ok(loaded.includes('src/main/jobs/evidence-job.ts'), 'the closure is not followed');
  assert.deepEqual(
    loaded.filter((file) => namedBy(file).includes('kysely')),
    [],
  );
});

test('only one module touches node:http at run time, past its view as an ES module', () => {
  const loaded = ['src/main/threads/http-worker.ts', 'src/main/app/open-app-routes.ts', 'src/main/serve.ts'].flatMap(
    (entry) => [...closureOf(entry)],
  );
  assert.ok(loaded.includes('src/apps/http/connection/node-http.ts'), 'the closure is not followed');
  assert.deepEqual(
    loaded.filter((file) => namedBy(file).includes('node:http')),
    [],
  );
});
