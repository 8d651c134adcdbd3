import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import help from '../../../data/texts/help.zh.json' with { type: 'json' };
import { COMMANDS } from '../commands.ts';
import { chineseHelp } from './chinese-help.ts';

const described = chineseHelp().styleOptionDescription!;
const HAN = /[\u4e00-\u9fff]/;

function* descriptionsOf(command: Command): Generator<string> {
  yield* [command.description(), command.summary()];
  yield* command.options.map(({ description }) => description);
  yield* command.registeredArguments.map(({ description }) => description);
  for (const child of command.commands) yield* descriptionsOf(child);
}

test('everything that --help says of commands, options and arguments has its Chinese, and nothing else does', async () => {
  const said = new Set(['display help for command', 'output the version number', DESCRIPTION]);
  for (const { summary, load } of Object.values(COMMANDS)) {
    said.add(summary);
    const program = new Command('pulse');
    (await load()).register(program, COMMANDS);
    for (const text of descriptionsOf(program)) said.add(text);
  }
  said.delete('');
  const english = [...said].filter((text) => !HAN.test(described(text)));
  assert.deepEqual(english, []);
  const chinese = new Set([...said].map(described));
  const unused = Object.entries(help).filter(
    ([text, zh]) => !said.has(text) && !text.includes('{') && !chinese.has(zh),
  );
  assert.deepEqual(unused, []);
});

test('choices and defaults are Chinese, and lines break between signs, not before a comma', () => {
  assert.equal(
    described('address family (choices: "4", "6", "both", default: "both")'),
    '地址族（可选："4", "6", "both"；默认："both"）',
  );
  assert.equal(described('of no command'), 'of no command');
  const wrap = chineseHelp().boxWrap!;
  assert.equal(wrap('地址所在的列，或 name of it', 12), '地址所在的\n列，或 name\nof it');
});

const DESCRIPTION = 'IP risk, geolocation and phone-number risk, on your own machine.';
