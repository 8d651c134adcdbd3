/** The text under one heading of a page of docs/. */
export interface DocsSection {
  readonly path: string;
  /** Title of the page. */
  readonly title: string;
  readonly heading: string;
  /** Id of the heading; empty for the beginning of the page. */
  readonly id: string;
  readonly text: string;
}

export interface FoundSection extends DocsSection {
  /** The text around the first match: before it, the match, and after it. */
  readonly excerpt: readonly [before: string, match: string, after: string];
}

const FOUND_MAX = 12;
const BEFORE = 50;
const AFTER = 110;

/**
 * Sections that hold every word of the question, those with a word in their heading first. Chinese has no
 * spaces: its words are looked for as pairs of characters.
 */
export function searchDocs(sections: readonly DocsSection[], question: string): readonly FoundSection[] {
  const whole = question.normalize('NFKC').trim().toLowerCase();
  const words = wordsOf(whole);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, rank: rankOf(section, whole, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, two) => two.rank - one.rank)
    .slice(0, FOUND_MAX)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, [whole, ...words]) }));
}

const wordsOf = (question: string): readonly string[] =>
  (question.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? []).flatMap((word) =>
    /^\p{Script=Han}{3,}$/u.test(word) ? pairsOf(word) : [word],
  );

/** Most Chinese words have two characters; of an odd number the last pair overlaps. */
const pairsOf = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / 2) }, (_, i) => {
    const from = Math.min(2 * i, text.length - 2);
    return text.slice(from, from + 2);
  });

/** 0 where a word is missing. */
function rankOf({ title, heading, text }: DocsSection, whole: string, words: readonly string[]): number {
  const places = [heading, title, text].map((place) => place.toLowerCase());
  const rank = (part: string): number => {
    const at = places.findIndex((place) => startsOf(part, place).length > 0);
    const points = [8, 4, 1][at] ?? 0;
    return points + Math.min(startsOf(part, places[2]!).length, MENTIONS_MAX) / MENTIONS_MAX / 2;
  };
  const ranks = words.map(rank);
  return ranks.includes(0) ? 0 : ranks.reduce((sum, points) => sum + points, rank(whole));
}

/** Mentions in the text settle the order of sections whose headings say as much. */
const MENTIONS_MAX = 8;

/** Where a text has words that begin with a part; "tor" begins "Tor" and not the end of "Storage". */
function startsOf(part: string, text: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    if (!LETTER.test(part[0]!) || !LETTER.test(text[at - 1] ?? '')) starts.push(at);
  return starts;
}

/** A letter of a script that puts spaces between words. */
const LETTER = /(?!\p{Script=Han})[\p{L}\p{N}]/u;

function excerptOf(text: string, words: readonly string[]): FoundSection['excerpt'] {
  const lower = text.toLowerCase();
  const word = words.find((part) => startsOf(part, lower).length > 0) ?? '';
  const [at = 0] = word === '' ? [] : startsOf(word, lower);
  const from = Math.max(0, at - BEFORE);
  const end = at + word.length;
  const before = `${from > 0 ? '…' : ''}${text.slice(from, at)}`;
  return [before, text.slice(at, end), text.slice(end, end + AFTER) + (end + AFTER < text.length ? '…' : '')];
}
