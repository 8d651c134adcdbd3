/** A sentence that was recognised, with the words in its slots. */
export interface ReadSentence<T extends string> {
  readonly text: T;
  readonly values: Readonly<Record<string, string>>;
}

/** Finds which of some sentences a finished text is. One with more words of its own is tried first: `{host}: {why}` fits many. */
export function sentenceReader<T extends string>(texts: readonly T[]): (text: string) => ReadSentence<T> | undefined {
  const patterns = [...texts]
    .sort((a, b) => ownLength(b) - ownLength(a))
    .map((text) => ({ text, pattern: patternOf(text) }));
  return (line) => {
    for (const { text, pattern } of patterns) {
      const found = pattern.exec(line);
      if (found !== null) return { text, values: { ...found.groups } };
    }
    return undefined;
  };
}

const ownLength = (text: string): number => text.replace(/\{\w+\}/g, '').length;

/** A slot that comes twice has the same words both times. */
function patternOf(text: string): RegExp {
  const seen = new Set<string>();
  const source = text.replace(/\{(\w+)\}|[$()*+./?[\\\]^{|}]/g, (part, slot: string | undefined) => {
    if (slot === undefined) return `\\${part}`;
    if (seen.has(slot)) return `\\k<${slot}>`;
    seen.add(slot);
    return `(?<${slot}>.*?)`;
  });
  return new RegExp(`^${source}$`, 's');
}
