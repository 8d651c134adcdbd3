import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadSecret } from '../adapters/data-folder/deployment-secret.ts';
import { openDataFolder } from '../adapters/data-folder/open-data-folder.ts';
import { shippedTable } from '../adapters/layers/tables.ts';
import { writeOutput } from '../adapters/log-files/open-output.ts';
import { openPhoneReader, openPhoneWriter } from '../adapters/phone-db/open-phone.ts';
import { prepareLibraries } from '../adapters/phone-db/prepare-libraries.ts';
import { systemClock } from '../adapters/system/own-process.ts';
import { type Config, loadConfig } from '../config.ts';
import { findNumbers } from '../core/phone/find-numbers.ts';
import { namesCountry } from '../core/phone/normalise.ts';
import type { NumberingPlan } from '../core/phone/numbering-plan.ts';
import { phoneFacts } from '../core/phone/phone-facts.ts';
import type { PhoneFound } from '../core/phone/phone-item.ts';
import { phoneLines, phoneRow, phoneTableHead } from '../core/phone/phone-lines.ts';
import { homePlan, type PhoneRecord } from '../core/phone/phone-list.ts';
import { PHONE_WORDS, type PhoneWords, withCities } from '../core/phone/phone-words.ts';
import { cityNames, type DivisionTable } from '../core/place/divisions.ts';
import type { Language } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import {
  lookUpPhones,
  PHONE_CSV,
  PHONE_NDJSON,
  type PhoneCounts,
  type PhoneText,
  phoneAnswers,
} from '../main/bulk/look-up-phones.ts';
import type { PhoneData } from '../service/phone/lookup-phone.ts';
import { Problem } from '../service/problem.ts';
import { languageOption } from './language/language-of.ts';
import { say } from './language/say.ts';
import { isFile } from './options/addresses-in.ts';
import { paintedText, printJson, printNote, printPainted, progressLine } from './terminal/print.ts';
import { stopRequested } from './terminal/stop-requested.ts';

interface LookupFlags {
  readonly region?: NumberingPlan;
  readonly field?: string;
  readonly allowPartial?: boolean;
  readonly output?: 'ndjson' | 'csv';
  readonly out?: string;
  readonly json?: boolean;
  readonly lang: Language;
}

export function addPhoneLookup(phone: Command): void {
  phone
    .command('lookup')
    .description('what the local libraries know about numbers; no server needed. A table on a terminal, else JSON')
    .argument(
      '<number...>',
      'numbers in any spelling, or one file (a list, or CSV with more columns), or - for standard input',
    )
    .option(
      '--region <code>',
      'country of numbers without + or 00, as US or 1; default: as POST /v1/phone/lookup reads them',
      region,
    )
    .option(
      '--field <name|n>',
      'column of a table with the numbers, by name or number from 1; default: where numbers are',
    )
    .option('--allow-partial', 'take a list of which most lines have no number; else that is an error')
    .addOption(new Option('--output <form>', 'csv keeps all columns and adds pulse_phone_…').choices(['ndjson', 'csv']))
    .option('--out <file>', 'file to write, replaced when it is whole; packed when it ends in .gz or .zst')
    .option('--json', 'print JSON, also on a terminal; of several numbers one document per line')
    .addOption(languageOption())
    .action(run);
}

async function run(words: readonly string[], flags: LookupFlags, command: Command): Promise<void> {
  const [path] = words.filter(isFile);
  if (path !== undefined && words.length > 1)
    command.error(say('error: a file is looked up alone, without further words'));
  const config = loadConfig();
  const now = systemClock.now();
  const data = await openLibraries(config, now);
  try {
    if (path === undefined) await lookUpWords(data, words, flags, now);
    else await lookUpFile(data, path, flags, now);
  } finally {
    await data.libraries.close();
  }
}

async function openLibraries(config: Config, now: UnixMs): Promise<PhoneData> {
  if (!config.phone) throw new Problem('phone_disabled');
  const folder = await openDataFolder(config);
  const secret = loadSecret(config);
  const writer = openPhoneWriter(config, secret);
  try {
    await folder.settle();
    await prepareLibraries(writer, now);
  } finally {
    await writer.close();
  }
  return openPhoneReader(config, secret)!;
}

async function lookUpWords(data: PhoneData, words: readonly string[], flags: LookupFlags, now: UnixMs): Promise<void> {
  const { out, output, json, lang } = flags;
  const records = words.map((word): PhoneRecord => {
    const numbers = findNumbers(word, flags.region);
    if (numbers.length === 0) throw new Problem('bad_number');
    return { cells: [word], sought: word, numbers };
  });
  const answers = await phoneAnswers(data, records, now);
  const found = answers.flat();
  if (output === undefined && out === undefined && found.length === 1) {
    const [{ item, planned }] = found as [PhoneFound];
    if (json === true || process.stdout.isTTY !== true) printJson(item, 2);
    else {
      const words = phoneWords(lang);
      printPainted(phoneLines(phoneFacts(item, planned, words), words));
    }
    return;
  }
  const text = textOf(flags);
  const written =
    text.head({ format: 'lines', header: undefined }) +
    records.map((record, i) => text.body(record, answers[i]!)).join('');
  await writeOutput(out ?? '-', Buffer.from(written));
  const isAssumed = records
    .flatMap(({ numbers }) => numbers)
    .some(({ input, number }) => number.validLength === false && !namesCountry(input));
  if (flags.region === undefined && isAssumed) noteAssumed();
}

async function lookUpFile(data: PhoneData, path: string, flags: LookupFlags, now: UnixMs): Promise<void> {
  const { out, field, region: home } = flags;
  const show = progressLine('phone lookup');
  const counts = await lookUpPhones(data, {
    path,
    out,
    field,
    home,
    now,
    allowPartial: flags.allowPartial === true,
    text: textOf(flags),
    signal: out === undefined ? stopRequested() : stopRequested(say('stopped; {out} is as it was', { out })),
    onProgress: out === undefined && process.stdout.isTTY ? () => {} : show.update,
  }).finally(show.end);
  if (counts === undefined) return;
  printNote(countsText(counts));
  if (home === undefined && counts.badLength > 0) noteAssumed();
}

const noteAssumed = (): void =>
  printNote(say('numbers without + or 00 were detected automatically (default +86); --region names their country'));

const countsText = ({ records, withoutNumber, numbers, hits, badLength }: PhoneCounts): string =>
  say(
    '{records:line|lines}: {numbers:number|numbers}, {hits} found, {badLength} of a wrong length; {withoutNumber:line|lines} without a number',
    { records, numbers, hits, badLength, withoutNumber },
  );

function textOf({ output, out, json, lang }: Pick<LookupFlags, 'output' | 'out' | 'json' | 'lang'>): PhoneText {
  if (output === 'csv') return PHONE_CSV;
  if (output === 'ndjson' || json === true || out !== undefined || process.stdout.isTTY !== true) return PHONE_NDJSON;
  const words = phoneWords(lang);
  const width = process.stdout.columns ?? 80;
  return {
    head: () => paintedText([phoneTableHead(words, width)]),
    body: (_, found) =>
      paintedText(found.map(({ item, planned }) => phoneRow(phoneFacts(item, planned, words), words, width))),
  };
}

const phoneWords = (lang: Language): PhoneWords =>
  withCities(PHONE_WORDS[lang], cityNames(shippedTable<DivisionTable>('gb2260')));

function region(value: string): NumberingPlan {
  const plan = homePlan(value);
  if (plan === undefined) throw new InvalidArgumentError(say('expected a country, as US, or a calling code, as 1'));
  return plan;
}
