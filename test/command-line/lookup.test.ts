/**
 * `pulse lookup` of one, many, a file and standard input, its short form, and completion from the commands
 * themselves.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('lookup-command');
writeSyntheticGeo(dataDir);
writeEmptyEvidence(dataDir);
const run = (args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}) =>
  pulseCommand(args, { env: { PULSE_DATA_DIR: dataDir, ...more }, input });
const rowsOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('several addresses, a file and standard input are one document per line, each address once, in any spelling', () => {
  covers('CLI-LOOKUP');
  const file = join(dataDir, 'list.txt');
  writeFileSync(file, 'seen: hxxp://8.8.8[.]8/x and 9.9.9.9:53, then 8.8.8.8\n10.0.0.1\n');
  for (const { stdout, status } of [
    run(['lookup', '8.8.8.8', '9.9.9.9,10.0.0.1']),
    run(['lookup', file]),
    run(['lookup', '-'], '"8.8.8.8"\n9.9.9.9\n10.0.0.1\n'),
  ]) {
    assert.equal(status, 0);
    assert.deepEqual(
      rowsOf(stdout).map(({ ip, error }) => [ip, (error as { code: string } | undefined)?.code]),
      [
        ['8.8.8.8', undefined],
        ['9.9.9.9', undefined],
        ['10.0.0.1', 'reserved_ip'],
      ],
    );
  }
});

test('pulse ADDRESS is short for its lookup; any other word stays an unknown command', () => {
  const [short, long] = [run(['8[.]8.8.8']), run(['lookup', '8.8.8.8'])].map(({ stdout }) => {
    const { computed_at: _, ...document } = JSON.parse(stdout) as Record<string, unknown>;
    return document;
  });
  assert.deepEqual(short, long);
  assert.equal(run(['nonsense.txt']).status, 2);
});

test('a list of which no address has a verdict is status 1, as one address is; a network is called one', () => {
  assert.equal(run(['lookup', '10.0.0.1', '192.168.0.1']).status, 1);
  const { status, stderr } = run(['lookup', '8.8.8.0/24']);
  assert.deepEqual([status, /invalid_ip: .*8\.8\.8\.0\/24 is a network/.test(stderr)], [1, true]);
});

test('errors are Chinese with --lang zh, and by LC_ALL, LC_MESSAGES and LANG in this order; the code stays', () => {
  const chinese = /reserved_ip: 内网或保留地址/;
  assert.match(run(['lookup', '10.0.0.1', '--lang', 'zh']).stderr, chinese);
  assert.match(run(['lookup', '10.0.0.1'], '', { LANG: 'zh_CN.UTF-8' }).stderr, chinese);
  assert.match(run(['lookup', '10.0.0.1'], '', { LANG: 'zh_CN.UTF-8', LC_ALL: 'en_GB.UTF-8' }).stderr, /Private/);
  assert.match(run(['lookup', '10.0.0.1', '--lang=en'], '', { LANG: 'zh_CN.UTF-8' }).stderr, /Private/);
});

test('wrong usage, faults of the system and of settings are Chinese too, of every command; statuses stay', () => {
  const said = (line: string, env: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = run(line.split(' '), '', { LANG: 'zh_CN.UTF-8', ...env });
    return `${status} ${stdout}${stderr}`.trim();
  };
  const help = said('key create --help');
  assert.ok(help.includes('用法： pulse key create') && help.includes('选项：') && help.includes('--lang'), help);
  for (const [line, expected] of [
    ['key create', "2 错误：缺少必需的选项 '--account <id>'"],
    ['lookup', "2 错误：缺少参数 'ip'"],
    ['feeds lst', "2 错误：没有命令 'lst'\n（是否想输入 list？）"],
    ['account list --jsn', "2 错误：没有选项 '--jsn'\n（是否想输入 --json？）"],
    ['account set x --per-min', "2 错误：选项 '--per-min <n>' 缺少值"],
    ['account set x --lang zh', '2 错误：没有要修改的内容，见 --help'],
    ['enrich --format x', "2 错误：选项 '--format <format>' 的值 'x' 无效。可选值："],
    ['enrich --jobs 0', "2 错误：选项 '--jobs <n>' 的值 '0' 无效。应为 1 到 256 的整数"],
    ['enrich --report -', '2 错误：--report 需要文件名'],
    ['enrich /nonexistent', '1 pulse: /nonexistent：不存在，或所在目录不存在（ENOENT）'],
    ['lookup 8.8.8.8 --at x', '1 pulse: invalid_time: 应为 RFC 3339 时间，且不晚于现在。'],
    ['account set acc_none --plan free', '1 pulse: not_found: 没有账户 "acc_none"。'],
    ['summarize a b', "2 错误：'summarize' 的参数过多：a, b。"],
    ['export --format csv --out - --watch', '2 错误：--watch 持续更新一个文件，请用 --out 指定文件'],
    [
      'evidence import x --source s --risk-type y',
      "2 错误：选项 '--risk-type <type>' 的值 'y' 无效。应为其中之一：proxy",
    ],
    [
      'phone import x --library cn --column y',
      "2 错误：选项 '--column <ours=theirs>' 的值 'y' 无效。应为“本系统列名=文件列名”",
    ],
  ] as const)
    assert.ok(said(line).startsWith(expected), said(line));
  const settings = said('feeds list', { PULSE_PORT: 'x', PULSE_HOTS: '::' });
  assert.ok(
    settings.startsWith('2 pulse: 配置有误：\n  PULSE_PORT：应为 0 到 65535 的整数\n  PULSE_HOTS：没有这个设置'),
    settings,
  );
  const lines = run(['enrich', '-', '--lang', 'zh'], 'a,b\nx,y\n');
  assert.deepEqual([lines.status, lines.stderr], [1, 'pulse: 没有一列在多数行中是地址，请用 --field 指定列\n']);
});

test('bash completes subcommands, options and choices of the commands as they are', () => {
  const { stdout } = run(['completion', 'bash']);
  const script = `${stdout}
for line in "pulse loo" "pulse feeds acc" "pulse lookup --prof" "pulse completion f" "pulse data list --l"; do
  COMP_WORDS=($line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _pulse; echo "\${COMPREPLY[@]}"
done`;
  assert.equal(
    spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout,
    'lookup\naccept\n--professional\nfish\n--lang\n',
  );
  assert.equal(run(['completion', 'tcsh']).status, 2);
});
