import { PHONE_LEVELS, type PhoneLevel } from '../../contract/phone.ts';
import { LEVEL_RANGES, RISK_TAGS } from './dictionary.ts';
import type { PhoneEntry } from './entry.ts';

export const levelOf = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): PhoneLevel =>
  risk === undefined ? levelOfTag(tags[0]) : levelOfScore(risk);

/** Returns the level shown of an expired hit, one lower: the number may have a new holder (decisions 6.4). */
export const staleLevel = (level: PhoneLevel): PhoneLevel =>
  level === 'high' ? 'medium' : level === 'medium' ? 'low' : level;

/**
 * The entry with the greater weight leads (decisions 6.3). Any score outweighs an entry without one. Among
 * entries without a score, the level of the primary tag decides.
 */
export const entryWeight = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): number =>
  risk ?? PHONE_LEVELS.indexOf(levelOfTag(tags[0])) - PHONE_LEVELS.length;

function levelOfScore(score: number): PhoneLevel {
  for (const { slug, min, max } of LEVEL_RANGES) if (score >= min && score <= max) return slug;
  return 'none';
}

const levelOfTag = (code: number | undefined): PhoneLevel =>
  (code === undefined ? undefined : tagLevels.get(code)) ?? 'low';

const tagLevels = new Map(RISK_TAGS.map(({ code, levelWithoutScore }) => [code, levelWithoutScore]));
