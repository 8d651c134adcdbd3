import { printableText } from '../texts/printable.ts';

/** This text needs no more escaping. */
export interface Html {
  readonly html: string;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/**
 * Control characters for a terminal or a reader are spelled out too, because a log chooses the text and
 * `--html -` prints the page.
 */
const escapeHtml = (text: string): string =>
  printableText(text).replace(/[&<>"']/g, (character) => escapes[character]!);

/** A template for HTML: every value is escaped unless it is Html itself; undefined and false print nothing. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[] | undefined | false)[]
): Html {
  const print = (value: (typeof values)[number]): string => {
    if (value === undefined || value === false) return '';
    if (typeof value === 'object') return 'html' in value ? value.html : value.map((item) => item.html).join('');
    return escapeHtml(String(value));
  };
  return { html: parts.reduce((text, part, at) => `${text}${print(values[at - 1])}${part}`) };
}
