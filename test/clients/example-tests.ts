import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type DocsElement, docsExamples } from '../../console/docs-pages.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { testFolder } from '../support/test-folder.ts';
import { PRINTED } from './example-output.fixture.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'clients/examples');

const DENIED = '45.77.33.1';

/**
 * The examples of clients/examples and docs/examples.md and the sandbox commands of the docs, run as they are
 * written against a running server.
 * @param key of an operator with phone numbers
 */
export function exampleTests(base: () => string, key: () => string): void {
  const folder = testFolder('examples');
  before(async () => {
    const headers = { 'X-API-Key': key(), 'Content-Type': 'application/x-ndjson' };
    const body = JSON.stringify({ ip: DENIED, risk_type: 'proxy' });
    await fetch(`${base()}/v1/evidence?source=examples`, { method: 'POST', headers, body });
    await eventually(async () => (await fetch(`${base()}/v1/decide?ip=${DENIED}`, { headers })).status === 403);
  });

  describe('programs that ask what to do', () => {
    /** The program says the order of the service and names the code of a refusal. */
    function expectOrders(command: readonly string[]): void {
      const run = (secret: string, ...ips: readonly string[]) =>
        spawnSync(command[0]!, [...command.slice(1), ...ips], {
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] ?? '', PULSE_URL: base(), PULSE_KEY: secret },
        });
      const asked = run(key(), '8.8.8.8', DENIED, '10.0.0.1', '8.8.8.9');
      assert.match(asked.stdout, /^8\.8\.8\.8 allow no evidence\n45\.77\.33\.1 deny proxy, 0 minutes ago.*\n$/);
      assert.match(asked.stderr, /^10\.0\.0\.1: reserved_ip, /);
      assert.equal(asked.status, 1);
      assert.match(run('pk_wrong', '8.8.8.8').stderr, /invalid_key/, 'a key is sent');
    }

    test('Python', (t) => {
      const python = findProgram('python3', 'python3');
      if (python === undefined) return t.skip('python3 is not installed');
      expectOrders([python, join(EXAMPLES, 'python/check_ip.py')]);
    });

    test('Go', (t) => {
      // Its package takes half a gigabyte: it is used where it is, and never installed for this.
      if (spawnSync('go', ['version']).error !== undefined) return t.skip('go is not installed');
      const built = join(folder, 'check-ip');
      const { status, stderr } = spawnSync('go', ['build', '-o', built, join(EXAMPLES, 'go/main.go')], {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: folder,
          GOCACHE: join(folder, 'go-cache'),
          GOFLAGS: '-mod=mod',
          ...(process.env['GOROOT'] !== undefined && { GOROOT: process.env['GOROOT'] }),
        },
      });
      assert.equal(status, 0, stderr);
      expectOrders([built]);
    });
  });

  // One of them waits as a refusal says.
  describe('docs/examples.md', { concurrency: true }, () => {
    const examples = [...docsExamples(join(ROOT, 'docs/examples.md'))].map(([name, { content }]) => {
      const block = (language: string): string =>
        (content as DocsElement[]).find(({ value }) => value === language)!.content.join('');
      return { name, block };
    });

    /**
     * Runs the programs of all examples in one process, which prints a form feed before each.
     * @returns their outputs by name
     */
    async function run(language: string, ...command: readonly string[]) {
      const files = examples.map(({ name, block }) => {
        const file = join(folder, `${name}.${language === 'ts' ? 'mts' : language}`);
        writeFileSync(file, block(language).replaceAll('http://127.0.0.1:8080', base()));
        return file;
      });
      const [program = '', ...words] = command;
      const env = { PATH: process.env['PATH'], HOME: folder, GOROOT: process.env['GOROOT'], PULSE_KEY: key() };
      const { stdout } = await promisify(execFile)(program, [...words, ...files], { env, cwd: folder });
      const outputs = stdout.split('\f').slice(1);
      return Object.fromEntries(examples.map(({ name }, i) => [name, outputs[i]?.trim()]));
    }
    const eachInShell = (command: string): readonly string[] => [
      'bash',
      '-c',
      `curl() { command curl -s "$@"; }; for file; do printf '\\f'; ${command}; done`,
      'bash',
    ];

    test('curl gives answers of the form that stands below', async () => {
      /** The same with types for values: times, versions and places differ from one installation to the next. */
      const form = (text: string): unknown =>
        JSON.parse(text, (_key, value) => (typeof value === 'object' ? value : typeof value));
      const answers = await run('sh', ...eachInShell('( . "$file" )'));
      for (const { name, block } of examples)
        assert.partialDeepStrictEqual(form(answers[name]!.split('\n').at(-1)!), form(block('json')), name);
    });

    test('TypeScript', async () => {
      const each = "for (const file of process.argv.slice(1)) { process.stdout.write('\\f'); await import(file); }";
      assert.deepEqual(await run('ts', process.execPath, '--input-type=module', '-e', each), PRINTED);
    });

    test('Python', async (t) => {
      const python = findProgram('python3', 'python3');
      if (python === undefined) return t.skip('python3 is not installed');
      const each = `import runpy, sys
for file in sys.argv[1:]:
    print('\\f', end='', flush=True)
    runpy.run_path(file, run_name='__main__')`;
      assert.deepEqual(await run('py', python, '-c', each), PRINTED);
    });

    test('Go', async (t) => {
      if (spawnSync('go', ['version']).error !== undefined) return t.skip('go is not installed');
      assert.deepEqual(await run('go', ...eachInShell('go run "$file"')), PRINTED);
    });
  });

  test('every command of the docs that asks the sandbox answers what stands behind it', () => {
    const curl = findProgram('curl', 'curl');
    assert.ok(curl, 'curl is not installed');
    const files = [...globSync('docs/*.md', { cwd: ROOT }), 'README.md', 'clients/typescript/README.md'];
    const commands = files.flatMap((file) =>
      sandboxCommands(readFileSync(join(ROOT, file), 'utf8')).map((command) => [file, command] as const),
    );
    assert.ok(commands.length >= 8, String(commands.length));
    for (const [file, command] of commands) {
      const [, asked = '', status = '', part = ''] =
        /^(curl .*?)\s+# (\d{3})(?: (\S+?)[,:;]?(?=\s|$))?/.exec(command) ?? [];
      assert.notEqual(status, '', `${file}: ${command}: no status behind it`);
      const run: string = asked
        .replace('curl', `${curl} -s -w '\\n%{http_code}'`)
        .replaceAll('http://127.0.0.1:8080', base());
      const { stdout, stderr } = spawnSync('bash', ['-c', run], { encoding: 'utf8', cwd: folder });
      assert.equal(stdout.slice(-3), status, `${file}: ${command}: ${stderr}${stdout}`);
      assert.ok(stdout.includes(part), `${file}: ${command}: ${stdout}`);
    }
  });
}

/** The commands in blocks marked as ones of the sandbox. */
const sandboxCommands = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh sandbox\n(.*?)^```/gms)].flatMap(([, block]) =>
    block!.split('\n').filter((line) => line !== ''),
  );
