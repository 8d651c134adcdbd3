import { namesIn } from '../../core/names/names-in.ts';
import { PHONE_WORDS } from '../../core/phone/phone-words.ts';
import type { NetworkEffect } from '../../core/place/network-list.ts';
import { wordsZh } from '../../core/report/words-zh.ts';
import { CHINESE } from '../../core/texts/chinese.ts';
import { isChinese } from './say.ts';

const { tag, signalNames, usageNames, sheet } = wordsZh;
const NAMES: Readonly<Record<string, string>> = {
  ...CHINESE,
  ...PHONE_WORDS.zh.names,
  ...usageNames,
  ...signalNames,
  ...sheet.riskTypes,
};

/**
 * A slug, a code or a field of the documents for the person at the terminal: as it is, or its Chinese name
 * where it has one.
 */
export const slugName = (slug: string): string =>
  !isChinese() ? slug : Object.hasOwn(NAMES, slug) ? NAMES[slug]! : namesIn(tag).country(slug);

export const networkText = (effect: NetworkEffect): string =>
  Object.entries(effect)
    .map(([key, value]) => slugName(value === true ? key : value))
    .join(' ');
