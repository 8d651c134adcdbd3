import cities from 'virtual:cities';
import { PHONE_WORDS, type PhoneWords, withCities } from '../../../src/core/phone/phone-words.ts';
import { useLocale } from '../locale.tsx';

const WORDS = {
  en: withCities(PHONE_WORDS.en, Object.entries(cities)),
  zh: withCities(PHONE_WORDS.zh, Object.entries(cities)),
};

/** Words of the reader's language, with the names of cities. */
export const usePhoneWords = (): PhoneWords => WORDS[useLocale().locale];
