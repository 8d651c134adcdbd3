// `npm run pack -- sensor [FOLDER]`: traps and log followers as pulse-sensor-VERSION.tgz in FOLDER (here). It is one program of
// plain JavaScript for Node 22.15 or newer, with the libraries that it uses inside, and installs nothing.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Natives of ssh2 that it does without, and the evidence store, which this package lacks together with its option `--local`. */
const LEFT_OUT = [/\.node$/, /^cpu-features$/, /open-local-receiver\.ts$/];

/** Bundles the program. @returns its file and the folders of the libraries in it */
async function bundle(folder) {
  const build = await rolldown({
    input: join(root, 'src/cli/sensor-main.ts'),
    platform: 'node',
    external: LEFT_OUT,
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: 'pulse-sensor.mjs',
    codeSplitting: false,
    // ssh2 is CommonJS and asks for its folder.
    banner: '#!/usr/bin/env node\nconst __dirname = import.meta.dirname, __filename = import.meta.filename;',
  });
  await build.close();
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const inside = /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
  return [...new Set(modules.map((id) => inside.exec(id.replace(`${root}${sep}`, ''))?.[0]).filter(Boolean))].sort();
}

/** The licences of the libraries, which ask to be kept with copies. */
function licencesOf(folders) {
  return folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    const text =
      file === undefined ? `${JSON.stringify(manifest.license)}\n` : readFileSync(join(root, folder, file), 'utf8');
    return `${manifest.name} ${manifest.version}\n\n${text.trim()}\n`;
  });
}

/** The unit of a checkout, for this program in /opt/pulse-sensor. */
function unit() {
  return readFileSync(join(root, 'deploy/systemd/pulse-sensor.service'), 'utf8')
    .replace(
      /^#[\s\S]*?(?=\[Unit\])/,
      '# The package is unpacked in /opt/pulse-sensor, owned by root. README.md says what to set.\n',
    )
    .replace(/^ExecStartPre=.*\n/m, '')
    .replace('/opt/pulse/deploy/with-secrets.sh', '/usr/bin/node /opt/pulse-sensor/pulse-sensor.mjs')
    .replace('WorkingDirectory=/opt/pulse\n', 'WorkingDirectory=/opt/pulse-sensor\n');
}

export async function packSensor(target) {
  const file = resolve(target, `pulse-sensor-${version}.tgz`);
  const work = mkdtempSync(join(tmpdir(), 'pulse-pack-'));
  // npm takes the folder of this name for the package, whether it is installed or unpacked.
  const folder = join(work, 'package');
  try {
    mkdirSync(folder);
    const libraries = await bundle(folder);
    writeFileSync(join(folder, 'THIRD-PARTY-LICENCES'), licencesOf(libraries).join(`\n${'-'.repeat(80)}\n\n`));
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    cpSync(join(root, 'docs/sensor-package.md'), join(folder, 'README.md'));
    writeFileSync(join(folder, 'pulse-sensor.service'), unit());
    const manifest = {
      ...{ name: 'pulse-sensor', version, license, private: true, type: 'module' },
      description: 'Traps and log followers that report to a Pulse service',
      engines: { node: '>=22.15' },
      bin: { 'pulse-sensor': 'pulse-sensor.mjs' },
    };
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    if (!existsSync(join(folder, 'pulse-sensor.mjs'))) throw new Error('the bundle has another name');
    const { status } = spawnSync('tar', ['-czf', file, '-C', work, 'package'], { stdio: [0, 2, 2] });
    if (status !== 0) throw new Error('tar failed');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return file;
}
