import { workerData } from 'node:worker_threads';
import type { FoundRegex } from './regex-pumps.ts';

const { regexes, from, at } = workerData as {
  readonly regexes: readonly FoundRegex[];
  readonly from: number;
  /** Number of the expression, then of the text over all expressions. */
  readonly at: Int32Array;
};

/** Each kind of character that a class may mean has one here. */
const KINDS = [...'0a9fZ_ \t\n"%-.,=:/<>[]{}();#*@\\|&+', '\r', '\u0000', 'é', '\u202e', '中'];
const LONG = 100_000;
const SHORT = 200;

const ATOM = /\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|./gsu;
const EDGES = ['\\w', '[\\n\\r\\u2028\\u2029]'];
/**
 * A backreference compares letters with each other, a class of flag v holds classes: there every letter
 * counts for itself.
 */
const letterwise = ({ source, flags }: FoundRegex): boolean => /\\[1-9k]/.test(source) || flags.includes('v');

/**
 * Returns the letters that stand for themselves, and one of each kind. Of letters that every piece of the
 * expression matches alike, only the first is there, for the others behave as it does.
 */
function alphabet(regex: FoundRegex): readonly string[] {
  const letters = [...new Set([...regex.source.replace(/\\[a-zA-Z]/g, '').replace(/[\\^$?()]/g, ''), ...KINDS])];
  if (letterwise(regex)) return letters;
  const atoms = [...new Set([...regex.source.match(ATOM)!, ...EDGES])].flatMap((atom) =>
    compileAtom(atom, regex.flags),
  );
  const byMatches = new Map(
    letters.toReversed().map((letter) => [atoms.map((atom) => Number(atom.test(letter))).join(''), letter]),
  );
  return [...byMatches.values()];
}

/** Returns nothing for a bracket or a quantifier, which matches no character by itself. */
function compileAtom(atom: string, flags: string): readonly RegExp[] {
  try {
    return [new RegExp(`^${atom}$`, flags.replace(/[gy]/g, ''))];
  } catch {
    return [];
  }
}

/**
 * Returns a text that the expression may match, letter by letter: the first of several ways, each repeated part once.
 * Lookarounds are left out.
 */
function sampleOf({ source, flags }: FoundRegex, letters: readonly string[]): readonly string[] {
  const pieces = source.match(
    new RegExp(
      `\\\\(?:k<\\w+>|[bB])|\\((?:\\?(?:<[=!]|<\\w+>|[:=!]))?|\\)|\\||[*+?]\\??|\\{\\d+,?\\d*\\}\\??|${ATOM.source}`,
      'gsu',
    ),
  )!;
  const found: string[] = [];
  /** Each open group, and whether its letters count. */
  const open: boolean[] = [true];
  for (const piece of pieces) {
    const counts = open.at(-1)!;
    if (piece.startsWith('(')) open.push(counts && !/^\(\?(?:[=!]|<[=!])/.test(piece));
    else if (piece === ')') open.pop();
    else if (piece === '|') open[open.length - 1] = false;
    else if (counts && !/^(?:[*+?{^$]|\\[bBk])/.test(piece)) {
      const [atom] = compileAtom(piece, flags);
      found.push(letters.find((letter) => atom?.test(letter)) ?? '');
    }
  }
  return found;
}

const LITERAL = /(?:[\w =:;,"<>/#%@!&~-]|\\[^\w]){2,}/g;

/** Repeats what the expression says itself, and each of its letters behind the beginning that it wants. */
function* ownPumps(regex: FoundRegex, letters: readonly string[]): Generator<string> {
  for (const literal of new Set(regex.source.match(LITERAL)?.map((text) => text.replaceAll('\\', ''))))
    yield `${literal.repeat(LONG / literal.length)}\u0001`;
  const sample = sampleOf(regex, letters);
  for (const [at, letter] of sample.entries()) yield `${sample.slice(0, at).join('')}${letter.repeat(LONG)}\u0001`;
  const whole = sample.join('');
  if (whole !== '') yield `${whole.slice(0, -1).repeat(LONG / whole.length)}\u0001`;
}

function* pumps(regex: FoundRegex): Generator<string> {
  const { source } = regex;
  const letters = alphabet(regex);
  yield* ownPumps(regex, letters);
  // Some expressions only begin behind this text.
  const front = /^\^?((?:[a-zA-Z0-9"<>/:=_ -]|\\[./-])+)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  for (const letter of letters) {
    yield `${letter.repeat(LONG)}\u0001`;
    if (front !== '') yield `${front}${letter.repeat(LONG)}\u0001`;
  }
  if (front !== '') yield `${front.repeat(LONG / front.length)}\u0001`;
  for (const one of letters)
    for (const other of letters) if (one !== other) yield `${front}${(one + other).repeat(SHORT)}\u0001`;
}

for (let number = from; number < regexes.length; number++) {
  Atomics.store(at, 0, number);
  const regex = regexes[number]!;
  const compiled = new RegExp(regex.source, regex.flags);
  for (const pump of pumps(regex)) {
    Atomics.add(at, 1, 1);
    compiled.lastIndex = 0;
    compiled.test(pump);
  }
}
Atomics.store(at, 0, regexes.length);
