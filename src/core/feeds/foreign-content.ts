import { binaryKind } from '../logs/binary-kind.ts';
import { type Said, said } from '../texts/said.ts';
import type { FeedFormat } from './feed.ts';

const JSON_KINDS: ReadonlySet<FeedFormat['kind']> = new Set(['json', 'stix', 'misp', 'cowrie']);
const HTML = /^<(?:!doctype html|!--|html|head|body|title|meta|script|h1|p|div|center)\b/i;
const XML = /^<(?:\?xml|[a-z][\w:.-]*[\s/>])/i;
/** An array of texts, numbers or objects: `[2001:db8::1]:80` is an address. */
const JSON_TEXT = /^(?:\{|\[\s*(?:[{"\]]|-?\d+\s*[,\]]))/;

/** Says what a body is where it is not a list of this format: an error page, an archive, another format. */
export function foreignContent(body: Uint8Array, head: string, format: FeedFormat): Said | undefined {
  const kind = binaryKind(body);
  if (kind !== undefined) return said('the body is a file of {kind}, not the list', { kind });
  return otherText(head.trimStart(), format);
}

function otherText(text: string, format: FeedFormat): Said | undefined {
  if (format.kind === 'json' && format.inPage === true) return undefined;
  if (HTML.test(text)) return said('the body is an HTML page, not the list');
  if (XML.test(text)) return said('the body is an XML document, not the list');
  if (text.includes('\0')) return said('the body is binary data, not the list');
  return JSON_TEXT.test(text) && !JSON_KINDS.has(format.kind)
    ? said('the body is a JSON document, not the list')
    : undefined;
}
