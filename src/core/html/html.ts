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

/** A block is fenced code, a heading, a table, or lines up to the next empty one. */
const BLOCK =
  /^(?:```[^\n]*\n(?<code>[\s\S]*?)\n```|(?<level>#{1,4}) (?<heading>[^\n]+)|(?<text>[^\n]+(?:\n(?!\s*\n|```)[^\n]+)*))/;
const LINK = /\[(?<label>[^[\]]+)\]\((?<target>[^()\s]+(?:\([^()\s]*)?)\)/;

/**
 * Returns Markdown as HTML for readers without scripts: headings, paragraphs, links and code. Lists and tables
 * stay as they are written.
 */
export function markdownHtml(markdown: string): Html {
  const blocks: Html[] = [];
  for (let rest = markdown.trim(); rest !== ''; ) {
    const { 0: all = rest, groups = {} } = BLOCK.exec(rest) ?? {};
    blocks.push(blockOf(groups));
    rest = rest.slice(all.length).trimStart();
  }
  return html`${blocks}`;
}

function blockOf({ code, level, heading = '', text = '' }: Readonly<Record<string, string | undefined>>): Html {
  if (code !== undefined) return html`<pre>${code}</pre>\n`;
  if (level !== undefined) return { html: `<h${level.length}>${withLinks(heading).html}</h${level.length}>\n` };
  return /^(?:[|*-] ?|\d+\. )/.test(text) ? html`<pre>${withLinks(text)}</pre>\n` : html`<p>${withLinks(text)}</p>\n`;
}

function withLinks(text: string): Html {
  const parts: Html[] = [];
  for (let rest = text; rest !== ''; ) {
    const { index = rest.length, 0: all = '', groups = {} } = LINK.exec(rest) ?? {};
    parts.push(html`${rest.slice(0, index)}`);
    const { label = '', target = '' } = groups;
    if (all !== '')
      parts.push(/^(?:https?:|\/|#)/.test(target) ? html`<a href="${target}">${label}</a>` : html`${label}`);
    rest = rest.slice(index + all.length);
  }
  return html`${parts}`;
}
