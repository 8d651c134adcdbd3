/**
 * Fills the slots of a sentence: `{name}` takes its value, and `{name:line|lines}` its value with the word that
 * goes with it, the first one where the value is 1. A slot without a value stays.
 */
export const fillWords = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)(?::([^{|}]+)\|([^{|}]+))?\}/g, (slot, name: string, one?: string, many?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return slot;
    if (many === undefined) return String(value);
    return `${value} ${String(value) === '1' ? one : many}`;
  });
