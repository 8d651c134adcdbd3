import { workerData } from 'node:worker_threads';
import type { FoundRegex } from './regex-pumps.ts';

const { regexes, at } = workerData as { readonly regexes: readonly FoundRegex[]; readonly at: Int32Array };

/** Of each kind that a class of characters may mean. */
const KINDS = [...'0a9fZ_ \t\n"%-.,=:/<>[]{}();#*@\\|&+', '\r', '\u0000', 'é', '\u202e', '中'];
const LONG = 200_000;
const SHORT = 200;

/** Letters of an expression that stand for themselves, and one of each kind. */
const alphabet = (source: string): readonly string[] => [...new Set([...source.replace(/\\[a-zA-Z]/g, '').replace(/[\\^$?()]/g, ''), ...KINDS])].slice(0, 60);

function* pumps({ source }: FoundRegex): Generator<string> {
  const letters = alphabet(source);
  // What has to stand in front for the expression to begin at all.
  const front = /^\^?((?:[a-zA-Z0-9"<>/:=_ -]|\\[./-])+)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  for (const letter of letters) {
    yield `${letter.repeat(LONG)}\u0001`;
    if (front !== '') yield `${front}${letter.repeat(LONG)}\u0001`;
  }
  if (front !== '') yield `${front.repeat(LONG / front.length)}\u0001`;
  for (const one of letters) for (const other of letters) if (one !== other) yield `${front}${(one + other).repeat(SHORT)}\u0001`;
}

for (let number = Atomics.load(at, 0); number < regexes.length; number++) {
  Atomics.store(at, 0, number);
  const regex = regexes[number]!;
  const compiled = new RegExp(regex.source, regex.flags);
  for (const pump of pumps(regex)) {
    compiled.lastIndex = 0;
    compiled.test(pump);
  }
}
Atomics.store(at, 0, regexes.length);
