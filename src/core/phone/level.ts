import { PHONE_LEVELS, type PhoneLevel } from '../../contract/phone.ts';
import { LEVEL_BANDS, RISK_TAGS } from './dictionary.ts';
import type { PhoneEntry } from './entry.ts';

/** Level of an entry: the band of its score; without a score the level the dictionary gives its primary tag. */
export const levelOf = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): PhoneLevel =>
  risk === undefined ? levelOfTag(tags[0]) : levelOfScore(risk);

/**
 * Which of two entries leads: the one with the greater weight (decisions 6.3). A score, whatever its height, leads an entry whose source states none;
 * among those without a score the level of the primary tag decides.
 */
export const entryWeight = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): number =>
  risk ?? PHONE_LEVELS.indexOf(levelOfTag(tags[0])) - PHONE_LEVELS.length;

function levelOfScore(score: number): PhoneLevel {
  for (const { slug, min, max } of LEVEL_BANDS) if (score >= min && score <= max) return slug;
  return 'none';
}

/** A vendor's own code, or no tag at all, says that the number is listed and no more. */
const levelOfTag = (code: number | undefined): PhoneLevel =>
  (code === undefined ? undefined : tagLevels.get(code)) ?? 'low';

const tagLevels = new Map(RISK_TAGS.map(({ code, levelWithoutScore }) => [code, levelWithoutScore]));
