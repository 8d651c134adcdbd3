import { sourceTextZh } from '../../../src/core/texts/source-text-zh.ts';
import { useLocale } from '../locale.tsx';

/** A text about a source in the reader's language. */
export function useSourceText(): (text: string) => string {
  return useLocale().locale === 'zh' ? sourceTextZh : (text) => text;
}

interface SourceTexts {
  readonly title: string;
  readonly licence: string;
  readonly left_out_because?: string;
}

/** Sources with their texts in the reader's language. */
export function useSourceTexts<Source extends SourceTexts>(sources: readonly Source[]): readonly Source[] {
  const textOf = useSourceText();
  return sources.map((source) => ({
    ...source,
    title: textOf(source.title),
    licence: textOf(source.licence),
    ...(source.left_out_because !== undefined && { left_out_because: textOf(source.left_out_because) }),
  }));
}
