import { ASSISTANT_FAMILIES, type AssistantFamily } from '../../src/adapters/assistants/assistant-families.ts';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { shippedTable } from '../../src/adapters/layers/tables.ts';
import type { NetworkListFile } from '../../src/core/place/network-list.ts';

const shipped = new Map(
  shippedTable<{ readonly lists: readonly NetworkListFile[] }>('network-prefixes').lists.map((list) => [list.id, list]),
);

const familyRow = ({ family, tokens }: AssistantFamily): string =>
  `| \`${family}\` | ${tokens.map((token) => `\`${token}\``).join(', ')} |`;

const copyOf = (id: string): string => {
  const list = shipped.get(id);
  return list === undefined ? 'none | –' : `${list.prefixes!.length} | ${list.version}, ${list.origin}`;
};

const listRow = (family: string, id: string): string => {
  const feed = feedById(id);
  const name = feed === undefined ? `\`${id}\`` : `[\`${id}\`](${feed.url})`;
  const read = feed === undefined ? 'never' : feed.scheduled === false ? 'on request' : 'daily';
  return `| \`${family}\` | ${name} | ${read} | ${copyOf(id)} |`;
};

export const ASSISTANT_FAMILY_ROWS = ASSISTANT_FAMILIES.map(familyRow);

export const ASSISTANT_LIST_ROWS = ASSISTANT_FAMILIES.flatMap(({ family, feeds, stated = [] }) =>
  [...feeds, ...stated].map((id) => listRow(family, id)),
);
