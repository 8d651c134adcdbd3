/**
 * Runs benchmarks and prints their results as one markdown text. Installs the peers of bench/ first when they are missing.
 *
 *   node bench/run.ts [NAME…] [--out FILE]
 *
 * Without names all are run, one after another: about half an hour on two cores. Names are the files of this folder without their ending.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const FOLDER = import.meta.dirname;
const known = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts') && name !== 'run.ts')
  .map((name) => name.slice(0, -3))
  .sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}

function installPeers(): void {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  if (Object.keys(dependencies).every((name) => existsSync(join(FOLDER, 'node_modules', name)))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the peers could not be installed: npm ci in bench/ failed');
}

/** @returns its output and exit status */
function run(name: string): Promise<{ readonly printed: string; readonly status: number | null }> {
  const child = spawn(process.execPath, [join(FOLDER, `${name}.ts`)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (part) => {
    printed += String(part);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ printed, status }));
  });
}

/** First sentences of a benchmark's own description. */
function about(name: string): string {
  const comment = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(FOLDER, `${name}.ts`), 'utf8'))?.[1] ?? '';
  const text = comment.replace(/^ *\* ?/gm, '').trim();
  return text
    .split(/\n\s*\n/)[0]!
    .replace(/\n/g, ' ')
    .trim();
}

installPeers();
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.version}`;
let text = `${machine}, ${new Date().toISOString().slice(0, 10)}\n`;
let failed = 0;
for (const name of positionals.length > 0 ? positionals : known) {
  process.stderr.write(`bench: ${name}\n`);
  const { printed, status } = await run(name);
  if (status !== 0) failed += 1;
  text += `\n## ${name}\n\n${about(name)}\n\n${printed.trim()}\n`;
  if (status !== 0) text += `\nFailed with status ${status}.\n`;
}
process.stdout.write(text);
if (values.out !== undefined) writeFileSync(values.out, text);
process.exitCode = failed > 0 ? 1 : 0;
