// `npm run sbom [FILE]`: the software bill of materials of a production installation, CycloneDX JSON, from the lockfile. Runs on Node 20; needs no network.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from './npm-command.mjs';
import { root } from './runtime.mjs';

/** Licence of every package that a production installation has, by name@version. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const named = Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.dev && !entry.devOptional);
  return new Map(
    named.map(([path, entry]) => [
      `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`,
      entry.license,
    ]),
  );
}

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [command, ...first] = npmCommand();
const made = spawnSync(
  command,
  [...first, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'],
  {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  },
);
if (made.status !== 0) {
  process.stderr.write(`pulse: npm sbom failed${made.error ? `: ${made.error.message}` : ''}\n${made.stderr ?? ''}`);
  process.exit(1);
}
const bom = JSON.parse(made.stdout);
// `--omit=dev` of npm 11 also leaves out packages that development needs as well as production (ajv, jose), so the lockfile decides.
const production = productionPackages();
bom.components = bom.components.filter((one) => production.has(one['bom-ref']));
// npm leaves out a licence that is not an SPDX identifier.
for (const one of bom.components) one.licenses ??= [{ license: { name: production.get(one['bom-ref']) } }];
bom.dependencies = bom.dependencies
  .filter(({ ref }) => production.has(ref) || ref === bom.metadata.component['bom-ref'])
  .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => production.has(ref)) }));
// npm names a private package after its folder, and calls every package a library.
Object.assign(bom.metadata.component, { name, version, type: 'application' });
const text = `${JSON.stringify(bom, undefined, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
