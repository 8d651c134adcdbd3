import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = testFolder('audit');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly unknown[];
}

test('the bill of materials has every production package of the lockfile with its digest and licence, and no other', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/sbom.mjs')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const bom = JSON.parse(stdout) as {
    bomFormat: string;
    metadata: { component: Component & { type: string } };
    components: readonly Component[];
    dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
  };
  assert.deepEqual(
    [bom.bomFormat, bom.metadata.component.name, bom.metadata.component.type],
    ['CycloneDX', 'pulse', 'application'],
  );
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string; dev?: boolean; devOptional?: boolean }>;
  };
  const expected = Object.entries(packages)
    .filter(([path, entry]) => path !== '' && entry.dev !== true && entry.devOptional !== true)
    .map(
      ([path, { version, integrity }]) =>
        `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version} ${integrity}`,
    );
  const inBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
  const found = bom.components.map(
    ({ name, version, hashes = [] }) =>
      `${name}@${version} sha512-${inBase64(hashes.find(({ alg }) => alg === 'SHA-512')!.content)}`,
  );
  assert.deepEqual(found.toSorted(), [...new Set(expected)].toSorted());
  const known = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
  const unexpected = bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref));
  assert.deepEqual(unexpected, []);
  const names = bom.components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name);
  assert.deepEqual(names, []);
});

describe('npm run audit', () => {
  /** Runs the script with an npm that gives these answers. */
  const audit = (advisories: unknown, signatures: unknown) => {
    const npm = join(folder, 'npm.mjs');
    writeFileSync(
      npm,
      `process.stdout.write(JSON.stringify(process.argv.includes('signatures') ? ${JSON.stringify(signatures)} : ${JSON.stringify(advisories)}));`,
    );
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/audit.mjs')], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: npm },
    });
    return { status, lines: stdout.trimEnd().split('\n') };
  };
  const CLEAN = { vulnerabilities: {} };
  const SIGNED = { invalid: [], missing: [] };

  test('ends with 0 when all was checked and nothing was found', () => {
    assert.deepEqual(audit(CLEAN, SIGNED), {
      status: 0,
      lines: [
        'advisories of production packages: nothing found',
        'signatures of all packages: nothing found',
        'digest of the pinned Node: nothing found',
      ],
    });
  });

  test('ends with 1 and names the findings', () => {
    const advised = audit({ vulnerabilities: { a: { name: 'a', severity: 'high' } } }, SIGNED);
    assert.deepEqual(
      [advised.status, advised.lines.slice(0, 2)],
      [1, ['advisories of production packages: 1 found', '  a: high']],
    );
    const unsigned = audit(CLEAN, {
      invalid: [{ name: 'b', version: '1.0.0' }],
      missing: [{ name: 'c', version: '2.0.0' }],
    });
    assert.deepEqual(
      [unsigned.status, unsigned.lines.slice(2, 4)],
      [1, ['  b@1.0.0: the signature is wrong', '  c@2.0.0: the registry has no signature']],
    );
  });

  test('ends with 2 and names each failed check and its reason', () => {
    const { status, lines } = audit({ error: { summary: 'no route' } }, SIGNED);
    assert.deepEqual([status, lines[0]], [2, 'advisories of production packages: NOT CHECKED: no route']);
    assert.equal(audit(CLEAN, {}).status, 2);
  });
});
