import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Entry {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== '');
const production = entries.filter(([, entry]) => entry.dev !== true && entry.devOptional !== true);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

interface Licences {
  readonly allowed: readonly string[];
  readonly exceptions: Readonly<Record<string, { readonly licence: string; readonly because: string }>>;
}
const { allowed, exceptions } = JSON.parse(read('test/house/allowed-licences.json')) as Licences;

/** Packages whose licence is neither allowed nor the one their exception names. */
const refused = (all: readonly (readonly [string, Entry])[]): readonly string[] =>
  all
    .map(([path, { license = 'none' }]) => [nameOf(path), license] as const)
    .filter(([name, licence]) => !allowed.includes(licence) && exceptions[name]?.licence !== licence)
    .map(([name, licence]) => `${name}: ${licence}`);

test('every production package is under a licence of allowed-licences.json, and no exception is left over', () => {
  assert.ok(production.length > 100);
  assert.deepEqual(refused(production), []);
  const names = new Set(production.map(([path]) => nameOf(path)));
  const unexpected = Object.keys(exceptions).filter((name) => !names.has(name));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(refused([['node_modules/a', { license: 'AGPL-3.0' }]]), ['a: AGPL-3.0']);
});

test('the licence that the lockfile names is the one that the installed package declares', () => {
  const installed = production.filter(([path]) => existsSync(join(ROOT, path, 'package.json')));
  assert.ok(installed.length > 100);
  const declared = (path: string) => (JSON.parse(read(`${path}/package.json`)) as { license?: unknown }).license;
  const paths = installed.filter(([path, { license }]) => declared(path) !== license).map(([path]) => path);
  assert.deepEqual(paths, []);
});

/** Packages with a script for their installation, and why they do without it. */
const NOT_RUN: Readonly<Record<string, string>> = {
  ssh2: 'compiles a faster cipher; without it ssh2 uses that of Node',
  'cpu-features': 'compiled to choose between ciphers of ssh2; without it ssh2 has a fixed order',
};

test('no package needs a script that npm runs when it installs, and npm is set to run none', () => {
  assert.deepEqual(
    entries
      .filter(([, entry]) => entry.hasInstallScript === true)
      .map(([path]) => nameOf(path))
      .toSorted(),
    Object.keys(NOT_RUN).toSorted(),
  );
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m);
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: object;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly needs?: string;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
const WORKFLOWS = '.github/workflows';
const workflows = readdirSync(join(ROOT, WORKFLOWS)).map(
  (name) => [name, parse(read(join(WORKFLOWS, name))) as Workflow, read(join(WORKFLOWS, name))] as const,
);
const workflowNamed = (name: string): Workflow => workflows.find(([file]) => file === name)![1];
const rightsOf = ({ permissions }: Workflow, job: Job): Readonly<Record<string, string>> =>
  job.permissions ?? permissions ?? { everything: 'write' };

test('every action of a workflow is a commit, with its version as a comment, and every job says which rights it has', () => {
  assert.ok(workflows.length >= 3);
  for (const [name, workflow, text] of workflows)
    for (const [id, job] of Object.entries(workflow.jobs)) {
      assert.ok(job.permissions !== undefined || workflow.permissions !== undefined, `${name} ${id}`);
      for (const { uses } of job.steps) {
        if (uses === undefined) continue;
        assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, name);
        assert.match(text, new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'), `${name}: ${uses}`);
      }
    }
});

test('code of the project and of its packages runs without the right to sign or publish, and no job has a secret', () => {
  for (const [name, workflow, text] of workflows) {
    assert.doesNotMatch(text, /secrets\.|_authToken|NODE_AUTH_TOKEN/, name);
    for (const [id, job] of Object.entries(workflow.jobs)) {
      const mayWrite = Object.values(rightsOf(workflow, job)).includes('write');
      const runs = job.steps.flatMap(({ run }) => run ?? []);
      const isForeign = runs.some((run) => !/^npm publish --ignore-scripts /.test(run));
      const isCheckedOut = job.steps.some(({ uses }) => uses?.startsWith('actions/checkout@'));
      if (mayWrite) assert.ok(!isForeign && !isCheckedOut, `${name} ${id}`);
    }
  }
});

test('a release is begun by hand, published from tested tarballs alone, and approved in a protected environment', () => {
  const { on, jobs } = workflowNamed('release.yml');
  assert.deepEqual(Object.keys(on), ['workflow_dispatch']);
  const [[making, made], [, publish], ...more] = Object.entries(jobs) as [[string, Job], [string, Job]];
  assert.deepEqual([more.length, publish.needs, publish.environment], [0, making, 'release']);
  assert.deepEqual(publish.permissions, { 'id-token': 'write', attestations: 'write' });
  assert.deepEqual(made.permissions, { contents: 'read' });
  assert.ok(
    made.steps.findIndex(({ run }) => run?.startsWith('npm test')) <
      made.steps.findIndex(({ uses }) => uses?.startsWith('actions/upload-artifact@')),
  );
  const [published] = publish.steps.flatMap(({ run }) => run ?? []);
  assert.match(published!, /^npm publish --ignore-scripts --access public \.\/packages\/[\w*.-]+\.tgz$/);
});

test('known faults of packages are asked about once a week', () => {
  const { on, jobs } = workflowNamed('audit.yml');
  const [{ cron }] = on['schedule'] as [{ cron: string }];
  assert.match(cron, /^\d+ \d+ \* \* \d$/);
  assert.ok(Object.values(jobs).some(({ steps }) => steps.some(({ run }) => run === 'npm run audit')));
});
