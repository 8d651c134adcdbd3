import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const NPM = process.env['npm_execpath'] === undefined ? ['npm'] : [process.execPath, process.env['npm_execpath']];

export interface PackedClient {
  /** Folder in whose node_modules pulse-client lies as `npm install` lays it. */
  readonly folder: string;
  readonly files: readonly string[];
  load<Module>(entry: string): Promise<Module>;
  dispose(): void;
}

function run(command: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command[0]!, command.slice(1), { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stdout}${stderr}${error ?? ''}`);
  return stdout;
}

/** Builds clients/typescript in a folder of its own, packs it with npm, and unpacks the tarball where an import finds it. */
export function packClient(): PackedClient {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-client-'));
  const source = join(folder, 'source');
  const installed = join(folder, 'node_modules/pulse-client');
  cpSync(join(ROOT, 'clients/typescript'), source, {
    recursive: true,
    filter: (path) => !/\/(?:dist|node_modules)$|\/cjs\/.*(?:\.js|\.d\.ts)$/.test(path),
  });
  for (const project of [source, join(source, 'cjs')]) run([process.execPath, TSC, '-p', project], source);
  const [packed] = JSON.parse(
    run([...NPM, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder], source),
  ) as [{ filename: string; files: { path: string }[] }];
  rmSync(source, { recursive: true });
  mkdirSync(installed, { recursive: true });
  run(['tar', '-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed], folder);
  return {
    folder,
    files: packed.files.map(({ path }) => path),
    load: async (entry) => await import(join(installed, 'dist', `${entry}.js`)),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Compiles one text against the packed types, as a strict program of the web or of Node does. @returns the compiler's output */
export function compileAgainst({ folder }: PackedClient, file: string): string {
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    'false',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [TSC, ...options, '--lib', 'es2022,dom', '--types', '', '--typeRoots', folder, file],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return stdout + stderr;
}
