/** The manifests of deploy/kubernetes against the types of the API, and against the service that they start. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts';
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { covers } from '../spec/covers.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const TYPES = dirname(require.resolve('kubernetes-types/package.json'));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}
const manifests = parseAllDocuments(readFileSync(join(ROOT, 'deploy/kubernetes/pulse.yaml'), 'utf8')).map(
  (document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as Manifest;
  },
);
const ofKind = <T>(kind: string): readonly T[] => manifests.filter((one) => one.kind === kind) as unknown as T[];
const WORKLOADS = ofKind<StatefulSet>('StatefulSet');

/** Types of the API are in a file for each group and version: `apps/v1`, `core/v1`, `networking/v1`. */
const moduleOf = ({ apiVersion }: Manifest): string => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return join(TYPES, group!.split('.')[0]!, `${version}.d.ts`);
};

/** Returns the errors of the compiler for manifests as values of their types: unknown keys and wrong values. */
function faultsOf(all: readonly Manifest[]): string {
  const folder = testFolder('manifests');
  const lines = all.flatMap((manifest, index) => [
    `import type { ${manifest.kind} as Type${index} } from '${moduleOf(manifest)}';`,
    `export const manifest${index}: Type${index} = ${JSON.stringify(manifest, null, 1)};`,
  ]);
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, lines.join('\n'));
  const options = '--noEmit --strict --allowImportingTsExtensions --module nodenext --ignoreConfig --types'.split(' ');
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, '', file], { encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}

test('the manifests fit the types of the API, and a misspelt or wrong key does not', () => {
  covers('SHIPPED-RUN');
  assert.equal(faultsOf(manifests), '');
  const text = JSON.stringify(WORKLOADS[0]);
  const broken = [
    text.replace('"readinessProbe"', '"readynessProbe"'),
    text.replace('"replicas":1', '"replicas":"1"'),
    text.replace('"failureThreshold":60', '"failureThresholds":60'),
  ];
  for (const [index, one] of broken.entries()) {
    assert.notEqual(one, text);
    assert.match(faultsOf([JSON.parse(one) as Manifest]), /error TS2/, String(index));
  }
});

test('pods are held as the containers of compose.yaml are, ask for health, and have settings that exist', () => {
  covers('SHIPPED-RUN');
  assert.equal(WORKLOADS.length, 2);
  for (const { spec } of WORKLOADS) {
    const pod = spec!.template.spec!;
    assert.deepEqual(
      [pod.automountServiceAccountToken, pod.securityContext?.runAsNonRoot, pod.securityContext?.runAsUser],
      [false, true, 10_001],
    );
    const [container, ...others] = pod.containers;
    assert.deepEqual(others, []);
    assert.deepEqual(container!.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const { startupProbe, livenessProbe, readinessProbe } = container!;
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path),
      ['/healthz', '/healthz', '/readyz'],
    );
    const mounted = container!.volumeMounts!.map(({ name }) => name).toSorted();
    const there = [...pod.volumes!, ...spec!.volumeClaimTemplates!.map(({ metadata }) => metadata!)];
    assert.deepEqual(mounted, there.map(({ name }) => name).toSorted());
    assert.deepEqual(spec!.selector.matchLabels, spec!.template.metadata!.labels);
  }
  const data = ofKind<ConfigMap>('ConfigMap')[0]!.data!;
  // A name that is not a setting, or a value that is none, is refused.
  const config = loadConfig({ ...data, PULSE_DATA_DIR: testFolder('pod') });
  assert.equal(config.snapshotUrl, data['PULSE_SNAPSHOT_URL']);
  assert.throws(() => loadConfig({ ...data, PULSE_SNAPSHOTS_URL: 'x' }));
});
