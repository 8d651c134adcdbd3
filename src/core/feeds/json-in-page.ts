import { type Json, parseRecord } from '../kit/json.ts';

/**
 * The `<pre><code>` element holds text alone. No part of the pattern runs past the next angle bracket, so the
 * time stays linear in the page.
 */
const ELEMENT = /<pre(?:\s[^<>]*)?>\s*<code(?:\s[^<>]*)?>([^<]*)<\/code>\s*<\/pre>/gi;

/**
 * JSON text needs these character references in HTML (HTML standard, section 13.5). Any other one leaves text
 * that is not JSON.
 */
const REFERENCES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

export function jsonInPage(page: string): Json | undefined {
  const objects = Array.from(page.matchAll(ELEMENT), ([, text = '']) => objectIn(text)).filter(
    (object) => object !== undefined,
  );
  return objects.length === 1 ? objects[0] : undefined;
}

const objectIn = (text: string): Json | undefined =>
  parseRecord(text.replace(/&[#a-z0-9]{2,5};/gi, (reference) => REFERENCES[reference.toLowerCase()] ?? reference)) as
    | Json
    | undefined;
