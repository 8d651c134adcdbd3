/**
 * Runs benchmarks and prints their results as one markdown text. Installs the peers of bench/ first when they
 * are missing.
 *
 *   node bench/run.ts [NAME…] [--out FILE] [--compare REF [--pairs 5]]
 *
 * With --compare each is run in pairs, at the commit REF in a checkout of its own (with this one's packages)
 * and here, and fails when a figure is worse (compare-figures.ts). Without names all are run that need no files of yours, one
 * after another: about half an hour on two cores. Names are the files of this folder without their ending.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { costsOf, worseFigures } from './peers/compare-figures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, compare: { type: 'string' }, pairs: { type: 'string', default: '5' } },
});
const FOLDER = import.meta.dirname;
const known = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts') && name !== 'run.ts')
  .map((name) => name.slice(0, -3))
  .sort();
/** They measure files of yours, which they are given by hand. */
const OF_YOUR_FILES: ReadonlySet<string> = new Set(['accuracy', 'china', 'logs']);
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
function run(name: string, folder = FOLDER): Promise<{ readonly printed: string; readonly status: number | null }> {
  const child = spawn(process.execPath, [join(folder, `${name}.ts`)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (part) => {
    printed += String(part);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ printed, status }));
  });
}

/** The benchmarks of a commit. @returns the folder, and how to remove the checkout */
function checkOut(ref: string): { readonly folder: string; remove(): void } {
  const root = join(FOLDER, '..');
  const git = (...args: string[]): void => {
    if (spawnSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
      throw new Error(`git ${args.join(' ')} failed`);
  };
  const checkout = join(mkdtempSync(join(tmpdir(), 'pulse-compare-')), 'checkout');
  git('worktree', 'add', '--quiet', '--detach', checkout, ref);
  for (const name of ['node_modules', 'bench/node_modules']) symlinkSync(join(root, name), join(checkout, name));
  return { folder: join(checkout, 'bench'), remove: () => git('worktree', 'remove', '--force', checkout) };
}

/**
 * Runs a benchmark of a commit and of this checkout in pairs, the order reversed each time.
 * @returns its text and whether no figure is worse
 */
async function compare(name: string, folder: string): Promise<Awaited<ReturnType<typeof run>>> {
  const pairs: { before: string; now: string }[] = [];
  for (let i = 0; i < Number(values.pairs); i++) {
    const pair = { before: '', now: '' };
    for (const side of i % 2 === 0 ? (['before', 'now'] as const) : (['now', 'before'] as const)) {
      const { printed, status } = await run(name, side === 'now' ? FOLDER : folder);
      if (status !== 0) return { printed, status };
      pair[side] = printed;
    }
    pairs.push(pair);
  }
  const figures = costsOf(pairs[0]?.now ?? '').size;
  if (figures === 0) throw new Error(`${name} prints no figures to compare`);
  const worse = worseFigures(pairs);
  const lines = worse.map(({ figure, ratio }) => `${figure}: ${((ratio - 1) * 100).toFixed(0)} % worse`);
  return { printed: lines.join('\n') || `None of ${figures} figures is worse.`, status: worse.length };
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
const past = values.compare === undefined ? undefined : checkOut(values.compare);
let failed = 0;
try {
  for (const name of positionals.length > 0 ? positionals : known.filter((name) => !OF_YOUR_FILES.has(name))) {
    process.stderr.write(`bench: ${name}\n`);
    const { printed, status } = await (past === undefined ? run(name) : compare(name, past.folder));
    if (status !== 0) failed += 1;
    text += `\n## ${name}\n\n${about(name)}\n\n${printed.trim()}\n`;
    if (status !== 0) text += `\nFailed with status ${status}.\n`;
  }
} finally {
  past?.remove();
}
process.stdout.write(text);
if (values.out !== undefined) writeFileSync(values.out, text);
process.exitCode = failed > 0 ? 1 : 0;
